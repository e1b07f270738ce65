import { empty, text, utf8 } from '#base';
import { refuse } from '#catalogue';
import { generatePassword } from '#keys';
import { type LdifContent, type LdifLimits, type LdifRecord, readLdif } from '#ldap';
import type { Engine } from './engine.ts';
import { errors } from './errors.ts';
import { importLive } from './import/live.ts';
import type { Realm } from './realm.ts';
import { registryOf } from './realms.ts';
import { listRecord } from './tasks/list.ts';

export type Bootstrapped =
  /** The realm was there. */
  | { readonly kind: 'present' }
  /** It was made now. `password` only when it was generated: nobody can read it again. */
  | { readonly kind: 'made'; readonly administrator: string; readonly password: string | undefined };

/** What a realm begins with is a page of our own. */
const seedLimits: LdifLimits = { lineOctetsMax: 65_536, recordOctetsMax: 1_048_576, valuesMax: 10_000 };

/**
 * Makes the default realm in an empty store: its seed, and the built-in administrator with the password of `admin.bootstrapPassword` or a
 * generated one. All of it is one commit, by the same checks as any import.
 *
 * @param seed  LDIF with `{suffix}` for the DN of the suffix, `{label}` for the value that names its entry and `{administrator}` for the DN of the
 *              built-in administrator
 * @throws Refusal  `suffixUnfit` when the store holds another realm, or the suffix cannot be one; `importRefused`
 */
export async function bootstrap(engine: Engine, { seed }: { readonly seed: string }): Promise<Bootstrapped> {
  const { store } = engine;
  const realm = engine.realms.default;
  const snapshot = store.snapshot();
  const top = snapshot.byDnKey(realm.suffix.key);
  if (top !== undefined && top.parent === undefined) {
    await makeRegistry(engine);
    return { kind: 'present' };
  }
  // An entry within the realm that is here is no suffix either: below it, nobody would be its administrator.
  if (snapshot.subtree(empty, undefined, 1).length > 0)
    throw refuse(errors.suffixUnfit, { why: 'the folder holds a realm of another name' });

  const { records, password } = await realmRecords({ ...engine, realm }, seed);
  await importLive(engine, records);
  return { kind: 'made', administrator: realm.administrator.text, password };
}

/**
 * What a realm begins with.
 *
 * @returns the entries, and the administrator's password when it was generated
 * @throws Refusal  `suffixUnfit` when the suffix cannot be one
 */
export async function realmRecords(
  desk: { readonly realm: Realm } & Pick<Engine, 'settings' | 'chance'>,
  seed: string,
): Promise<{ readonly records: readonly LdifRecord[]; readonly password: string | undefined }> {
  const given = desk.settings['admin.bootstrapPassword'];
  const password = given === '' ? generatePassword(desk.chance) : given;
  const records: LdifRecord[] = [];
  for await (const record of readLdif([utf8(fill(desk, seed))], seedLimits)) records.push(record);
  records.push(administratorOf(desk, password));
  // With the rest: where a service made it at its first start, it would be a change that no copy can be told of.
  if (desk.realm.id === 'default') records.push(registryRecord(desk.realm), listRecord({ text: `cn=tasks,${desk.realm.suffix.text}` }));
  return { records, password: given === '' ? password : undefined };
}

/** Folders of before realms could be made have no place for their entries. */
async function makeRegistry(engine: Engine): Promise<void> {
  const { schema, store, realms } = engine;
  if (store.snapshot().byDnKey(registryOf({ schema, default: realms.default }).key) !== undefined) return;
  await importLive(engine, [registryRecord(realms.default)]);
}

/** The entry that those of realms stand below. */
function registryRecord({ suffix }: Pick<Realm, 'suffix'>): LdifContent {
  return {
    ...{ kind: 'content', line: 0, dn: `ou=realms,${suffix.text}` },
    attributes: [
      { description: 'objectClass', values: [utf8('top'), utf8('organizationalUnit')] },
      { description: 'ou', values: [utf8('realms')] },
      { description: 'description', values: [utf8('Realms beside the default one')] },
    ],
  };
}

function fill({ realm }: { readonly realm: Realm }, seed: string): string {
  const label = text(realm.suffix.dn[0]?.[0]?.value ?? empty) ?? '';
  // The seed is LDIF text: what is put into it must be text that needs no encoding there (RFC 2849, SAFE-STRING).
  if (!/^[!-9;=?-~][ -~]*$/.test(label) || !/^[ -~]+$/.test(realm.suffix.text)) {
    throw refuse(errors.suffixUnfit, { why: 'it may hold printable ASCII only' });
  }
  const { text: administrator } = realm.administrator;
  const value = /^[ -~]+$/.test(administrator) ? `: ${administrator}` : `:: ${Buffer.from(administrator).toString('base64')}`;
  return seed.replaceAll(/^(?!#)(.*)$/gm, (line) =>
    line
      .replaceAll('{suffix}', () => realm.suffix.text)
      .replaceAll('{label}', () => label)
      .replace(/: \{administrator\}$/, () => value),
  );
}

function administratorOf({ realm, settings }: { readonly realm: Realm } & Pick<Engine, 'settings'>, password: string): LdifContent {
  const values = (...texts: string[]) => texts.map(utf8);
  return {
    kind: 'content',
    line: 0,
    dn: realm.administrator.text,
    attributes: [
      { description: 'objectClass', values: values('top', 'person', 'organizationalPerson', 'inetOrgPerson') },
      { description: 'uid', values: values(settings['admin.bootstrapUsername']) },
      { description: 'cn', values: values('Administrator') },
      { description: 'sn', values: values('Administrator') },
      { description: 'displayName', values: values('Administrator') },
      { description: 'description', values: values('built-in administrator') },
      { description: 'userPassword', values: values(password) },
    ],
  };
}
