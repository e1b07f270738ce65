import { utf8 } from '#base';
import { type ClientEntry, ClientRefusal, equals } from '#client';
import { type Modification, resultCodes } from '#ldap';
import type { Context } from './command.ts';
import { confirm } from './confirm.ts';
import { type Directory, suffixIn, withDirectory } from './directory.ts';
import { Absent, Failure, Misuse } from './exits.ts';
import type { Given } from './given.ts';
import { nameIn } from './names.ts';
import { explain } from './operators.ts';
import { list } from './table.ts';

const defaultId = 'default';
const attributes = ['stsRealmId', 'associatedDomain', 'displayName', 'stsRealmMode', 'stsRealmState', 'stsRealmOwed'];

export async function listRealms(given: Given, context: Context): Promise<number> {
  return await withDirectory(context, async ({ client, suffix }) => {
    const registry = `ou=realms,${suffix}`;
    const isThere = (await client.actor.read(registry, ['1.1'])) !== undefined;
    const filter = equals('objectClass', 'stsRealmEntry');
    const found = isThere ? (await client.actor.search({ base: registry, scope: 'one', filter, attributes })).entries : [];
    const realms = [{ id: defaultId, suffix, domain: undefined, mode: undefined, name: undefined, state: 'active' }];
    const others = found.map(realmOf).toSorted((one, other) => (one.id < other.id ? -1 : 1));
    await list([...realms, ...others], given, context, {
      columns: [
        { head: 'ID', of: ({ id }) => id },
        { head: 'SUFFIX', of: (realm) => realm.suffix },
        { head: 'NAME', of: ({ name = '' }) => name },
        { head: 'MODE', of: ({ mode = '' }) => mode },
        { head: 'STATE', of: ({ state }) => state },
      ],
      none: 'There is no realm.',
    });
    return 0;
  });
}

function realmOf(entry: ClientEntry) {
  const one = (name: string) => entry.one(name);
  const [id, domain, state] = [one('stsRealmId') ?? '', one('associatedDomain'), one('stsRealmState') ?? 'active'];
  return { id, suffix: suffixIn(id, domain), domain, mode: one('stsRealmMode'), name: one('displayName'), state };
}

export async function createRealm(given: Given, context: Context): Promise<number> {
  const id = given.need('ID');
  const optional = (name: string, values: readonly (string | undefined)[]) => {
    const held = values.flatMap((value) => (value === undefined ? [] : [utf8(value)]));
    return held.length === 0 ? [] : [{ description: name, values: held }];
  };
  const entry = [
    ...optional('objectClass', ['stsRealmEntry']),
    ...optional('cn', [id]),
    ...optional('stsRealmId', [id]),
    ...optional('associatedDomain', [given.text('domain')]),
    ...optional('displayName', [given.text('name')]),
    ...optional('stsRealmMode', [given.text('mode')]),
    ...optional('stsSetting', given.texts('setting')),
  ];
  return await withDirectory(context, async (directory) => {
    const { client, suffix } = directory;
    const registry = `ou=realms,${suffix}`;
    await told(`the realm ${JSON.stringify(id)} was not made`, async () => {
      if ((await client.actor.read(registry, ['1.1'])) === undefined)
        await client.actor.add(registry, [...optional('objectClass', ['organizationalUnit']), ...optional('ou', ['realms'])]);
      await client.actor.add(nameIn('cn', id, registry), entry);
    });
    await invite(given, context, directory, id, `made the realm ${id}`);
    return 0;
  });
}

export async function inviteAdministrator(given: Given, context: Context): Promise<number> {
  return await withDirectory(context, async (directory) => {
    await invite(given, context, directory, given.need('ID'), undefined);
    return 0;
  });
}

/** Gives the built-in administrator a password that must be changed with the first sign-in, and prints it. */
async function invite(given: Given, context: Context, { client, suffixOf }: Directory, id: string, first: string | undefined) {
  const suffix = await suffixOf(id);
  const located = context.locate();
  const dn = nameIn('uid', located.kind === 'located' ? located.administratorUid : '', `ou=people,${suffix}`);
  const change = (description: string, value: string): Modification => ({
    operation: 'replace',
    attribute: { description, values: [utf8(value)] },
  });
  const password = await told('the invitation was not made', async () => {
    await client.actor.modify(dn, [change('pwdReset', 'TRUE')]);
    return await client.actor.generatePassword(dn);
  });
  const page = id === defaultId ? '/portal' : `/realm/${id}/portal`;
  const lines = [`suffix ${suffix}`, `administrator ${dn}`, `password ${password} (to begin with, at ${page})`];
  const json = { id, suffix, administrator: dn, password };
  context.stdout.write(
    given.flag('json') ? `${JSON.stringify(json)}\n` : `${[...(first === undefined ? [] : [first]), ...lines].join('\n')}\n`,
  );
}

export async function removeRealm(given: Given, context: Context): Promise<number> {
  const id = given.need('ID');
  if (id === defaultId) throw new Misuse('the default realm cannot be removed');
  return await withDirectory(context, async ({ client, suffix, suffixOf }) => {
    const below = await suffixOf(id);
    await confirm(`This removes the realm ${id} with all entries below ${below}. It cannot be taken back.`, id, given, context);
    const state = [{ operation: 'replace', attribute: { description: 'stsRealmState', values: [utf8('removing')] } }] as const;
    await told('the removal did not begin', () => client.actor.modify(nameIn('cn', id, `ou=realms,${suffix}`), state));
    const words = `the realm ${id} is being removed; atrium realm list says how far it is`;
    context.stdout.write(given.flag('json') ? `${JSON.stringify({ id, suffix: below, state: 'removing' })}\n` : `${words}\n`);
    return 0;
  });
}

/** @throws Failure with the directory's words; Absent for what is not there */
async function told<T>(what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ClientRefusal)) throw error;
    if (error.code === resultCodes.noSuchObject) throw new Absent(`${what}: ${explain(error)}`);
    throw new Failure(`${what}: ${explain(error)}`);
  }
}
