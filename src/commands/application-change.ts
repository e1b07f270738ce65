import { utf8 } from '#base';
import { attributesOf, type ClientEntry, ClientRefusal, type OperatorsClient } from '#client';
import { type Modification, resultCodes } from '#ldap';
import { clientAuthMethodOf } from '#policy';
import { applicationId, optionAttributes, saidAttributes } from './application-entry.ts';
import type { Context } from './command.ts';
import { confirm } from './confirm.ts';
import { withDirectory } from './directory.ts';
import { Failure, Misuse } from './exits.ts';
import type { Given } from './given.ts';
import { applications, need } from './lookup.ts';
import { nameIn } from './names.ts';
import { explain } from './operators.ts';
import { answer } from './person-change.ts';

export async function addApplication(given: Given, context: Context): Promise<number> {
  const name = given.need('NAME');
  const clientId = given.text('client-id') ?? applicationId(name);
  return await withDirectory(context, async ({ client, suffixOf }) => {
    const suffix = await suffixOf(given.need('realm'));
    const attributes = await saidAttributes(given, client, suffix);
    const dn = nameIn('cn', name, `${applications.below},${suffix}`);
    const own = { objectClass: ['stsApplication', 'stsOAuthClient'], cn: [name], stsClientId: [clientId] };
    const { objectClass = [], ...others } = Object.fromEntries(attributes);
    try {
      await client.actor.add(dn, attributesOf({ ...own, ...others, objectClass: [...new Set([...own.objectClass, ...objectClass])] }));
    } catch (error) {
      if (!(error instanceof ClientRefusal)) throw error;
      if (error.code === resultCodes.entryAlreadyExists)
        throw new Failure(`${dn} is there already. See: atrium application show ${JSON.stringify(name)}`);
      throw new Failure(`${dn} was not added: ${explain(error)}`);
    }
    const secret = takesSecret(given.text('auth')) ? await firstSecret(client, dn, clientId) : undefined;
    const words = [`added ${dn}`, `client id ${clientId}`, ...(secret === undefined ? [] : [`secret ${secret}`])];
    answer(given, context, words.join('\n'), { dn, clientId, ...(secret === undefined ? {} : { secret }) });
    return 0;
  });
}

function takesSecret(method: string | undefined): boolean {
  return clientAuthMethodOf(method).startsWith('client_secret');
}

async function firstSecret({ actor }: OperatorsClient, dn: string, clientId: string): Promise<string> {
  try {
    return await actor.generatePassword(dn);
  } catch (error) {
    if (!(error instanceof ClientRefusal)) throw error;
    throw new Failure(`${dn} was added and has no secret: ${explain(error)}. Next: atrium application secret ${clientId}`);
  }
}

/** Finds the application of the call and does something to it. */
async function withApplication(
  given: Given,
  context: Context,
  act: (application: ClientEntry, client: OperatorsClient, suffix: string) => Promise<void>,
): Promise<number> {
  return await withDirectory(context, async ({ client, suffixOf }) => {
    const suffix = await suffixOf(given.need('realm'));
    const wanted = ['cn', 'objectClass', 'stsClientId', 'stsTokenEndpointAuthMethod', 'stsHasPassword'];
    const application = await need(client, suffix, applications, given.need('APPLICATION'), wanted);
    await act(application, client, suffix);
    return 0;
  });
}

export async function changeApplication(given: Given, context: Context): Promise<number> {
  return await withApplication(given, context, async ({ dn }, client, suffix) => {
    const wanted = new Map(await saidAttributes(given, client, suffix));
    for (const name of given.texts('unset')) {
      const attribute = optionAttributes.get(name) ?? name;
      if (wanted.has(attribute)) throw new Misuse(`${name} is set and unset`);
      wanted.set(attribute, []);
    }
    if (wanted.size === 0) throw new Misuse('nothing is named that should change');
    const changes = [...wanted].map(
      ([description, values]): Modification => ({ operation: 'replace', attribute: { description, values: values.map(utf8) } }),
    );
    try {
      await client.actor.modify(dn, changes);
    } catch (error) {
      if (error instanceof ClientRefusal) throw new Failure(`${dn} was not changed: ${explain(error)}`);
      throw error;
    }
    answer(given, context, `changed ${dn}`, { dn, changed: [...wanted.keys()] });
  });
}

export async function makeSecret(given: Given, context: Context): Promise<number> {
  return await withApplication(given, context, async (application, { actor }) => {
    const { dn } = application;
    const called = application.one('stsClientId') ?? application.one('cn') ?? dn;
    if (!application.all('objectClass').some((name) => name.toLowerCase() === 'stsoauthclient'))
      throw new Failure(`${dn} is no client of OAuth 2.0: it has no stsClientId`);
    const method = application.one('stsTokenEndpointAuthMethod');
    if (!takesSecret(method)) throw new Failure(`${dn} shows who it is by ${method}, and takes no secret. See: atrium application change`);
    if (application.one('stsHasPassword') === 'TRUE')
      await confirm(`This makes the secret of ${dn} worth nothing; the application needs the new one to go on.`, called, given, context);
    try {
      const secret = await actor.generatePassword(dn);
      answer(given, context, `secret ${secret}`, { dn, secret });
    } catch (error) {
      if (error instanceof ClientRefusal) throw new Failure(`no secret was made: ${explain(error)}`);
      throw error;
    }
  });
}

export async function removeApplication(given: Given, context: Context): Promise<number> {
  return await withApplication(given, context, async (application, { actor }) => {
    const { dn } = application;
    const called = application.one('stsClientId') ?? application.one('cn') ?? dn;
    await confirm(`This removes ${dn}: nobody signs in to it any more, and it gets no tokens.`, called, given, context);
    await actor.delete(dn);
    answer(given, context, `removed ${dn}`, { dn });
  });
}
