import { attributesOf, ClientRefusal, type OperatorsClient } from '#client';
import { resultCodes } from '#ldap';
import type { Context } from './command.ts';
import { withDirectory } from './directory.ts';
import { Failure, Misuse } from './exits.ts';
import type { Given } from './given.ts';
import { groups, need, people } from './lookup.ts';
import { addMember } from './members.ts';
import { nameIn } from './names.ts';
import { explain } from './operators.ts';
import { hiddenIn, isSecret } from './secrets.ts';

export async function addPerson(given: Given, context: Context): Promise<number> {
  const uid = given.need('UID');
  const attributes = entryOf(uid, given);
  return await withDirectory(context, async ({ client, suffixOf }) => {
    const suffix = await suffixOf(given.need('realm'));
    const own = given.texts('attribute').length === 0 ? undefined : await hiddenIn(client);
    const found = Object.keys(attributes).find((name) => isSecret(name, own));
    if (found !== undefined) throw new Misuse(hidden(found));
    // Looked for before: a mistyped group leaves nothing half done.
    const wanted: string[] = [];
    for (const name of given.texts('group')) wanted.push((await need(client, suffix, groups, name, ['1.1'])).dn);
    const dn = nameIn('uid', uid, `${people.below},${suffix}`);
    await add(client, dn, attributes);
    // The directory knows the policy that the password must keep.
    const password = given.flag('generate') ? await generated(client, dn) : undefined;
    for (const group of wanted) await addMember(client, group, dn);
    if (given.flag('json'))
      context.stdout.write(`${JSON.stringify({ dn, uid, groups: wanted, ...(password === undefined ? {} : { password }) })}\n`);
    else {
      context.stdout.write(`added ${dn}\n`);
      for (const group of wanted) context.stdout.write(`member of ${group}\n`);
      if (password !== undefined) context.stdout.write(`password ${password}\n`);
    }
    if (password === undefined && context.stderr.isTTY)
      context.stderr.write(
        `Without a password nobody signs in as them. Next: atrium person set-password ${uid}${given.need('realm') === 'default' ? '' : ` --realm ${given.need('realm')}`}\n`,
      );
    return 0;
  });
}

async function generated({ actor }: OperatorsClient, dn: string): Promise<string> {
  try {
    return await actor.generatePassword(dn);
  } catch (error) {
    if (!(error instanceof ClientRefusal)) throw error;
    throw new Failure(`${dn} was added and has no password: ${explain(error)}. Next: atrium person set-password ${dn} --generate`);
  }
}

function hidden(name: string): string {
  return `--attribute takes no ${name}, which others would see on the command line: use --generate or atrium person set-password for a password, and atrium person change --set-file for another secret`;
}

/** What was given, and what it takes beside that. */
function entryOf(uid: string, given: Given): Record<string, string[]> {
  const attributes = new Map<string, { readonly name: string; readonly values: string[] }>();
  const put = (name: string, values: readonly string[]) => {
    const key = name.toLowerCase();
    const known = attributes.get(key) ?? { name, values: [] };
    known.values.push(...values);
    if (values.length > 0) attributes.set(key, known);
  };
  put('objectClass', ['inetOrgPerson', ...given.texts('class')]);
  put('uid', [uid]);
  for (const name of ['cn', 'sn', 'mail']) put(name, given.texts(name));
  for (const text of given.texts('attribute')) {
    const at = text.indexOf('=');
    if (at <= 0) throw new Misuse(`--attribute is NAME=VALUE, not ${JSON.stringify(text)}`);
    const name = text.slice(0, at);
    if (isSecret(name)) throw new Misuse(hidden(name));
    put(name, [text.slice(at + 1)]);
  }
  const cn = attributes.get('cn')?.values[0] ?? uid;
  if (!attributes.has('cn')) put('cn', [cn]);
  if (!attributes.has('sn')) put('sn', [cn.trim().split(/\s+/).at(-1) ?? cn]);
  return Object.fromEntries([...attributes.values()].map(({ name, values }) => [name, values]));
}

async function add({ actor }: OperatorsClient, dn: string, attributes: Readonly<Record<string, string[]>>): Promise<void> {
  try {
    await actor.add(dn, attributesOf(attributes));
  } catch (error) {
    if (!(error instanceof ClientRefusal)) throw error;
    if (error.code === resultCodes.entryAlreadyExists)
      throw new Failure(`${dn} is there already. See: atrium person show ${attributes['uid']?.[0]}`);
    throw new Failure(`${dn} was not added: ${explain(error)}`);
  }
}
