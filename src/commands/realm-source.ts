import { tmpdir } from 'node:os';
import { createSealer, sealerKeys } from '#keys';
import { type Control, type LdifContent, parseDn } from '#ldap';
import { isWithin, loadSchema, normalizeDn } from '#schema';
import { type NamedEntry, notContent, type RealmEntries, sorted } from '#transfer';
import type { Context } from './command.ts';
import { ownDefinitions, readHeld, subschemaRecord } from './definitions.ts';
import { Absent, Failure, Misuse, Unreachable } from './exits.ts';
import { connectRunning } from './operators.ts';

/**
 * Opens a realm: the folder's files, beside a running service or without one; of a service that keeps its entries in memory, by asking it.
 *
 * @throws Misuse when there is no such realm, or secrets are asked of a service that has no files; Failure for files that cannot be read
 */
export async function openRealm(id: string, secrets: boolean, context: Context): Promise<RealmEntries> {
  const opened = await context.openRealm({ id, secrets });
  switch (opened.kind) {
    case 'open':
      return opened.realm;
    case 'unknown':
      throw new Absent(`there is no realm ${JSON.stringify(id)}. See: atrium realm list`);
    case 'refused':
      throw new Failure(opened.lines.join('; '));
    case 'absent':
      return await askedRealm(id, secrets, context);
  }
}

async function askedRealm(id: string, secrets: boolean, context: Context): Promise<RealmEntries> {
  const client = await connectRunning(context);
  const located = context.locate();
  if (client === undefined || located.kind === 'refused') throw new Unreachable('the folder holds no realm, and no service answers here');
  if (secrets || id !== 'default') {
    client.close();
    throw new Misuse('of a service that keeps its entries in memory only the default realm can be had, and no secrets');
  }
  const { suffix } = located;
  const held = await readHeld(client);
  const files = await context.schemaFiles();
  const own = ownDefinitions(held, files);
  const schema = loadSchema([...files], own);
  const leftOut = notContent(schema, suffix);
  const read = async function* (): AsyncGenerator<NamedEntry> {
    const filter = { kind: 'present', description: 'objectClass' } as const;
    for (const controls of [[manageDsaIt], [manageDsaIt, subentriesAlone]]) {
      for await (const { dn, attributes } of client.search({ base: suffix, scope: 'sub', filter, attributes: ['*', '+'] }, controls)) {
        const parsed = parseDn(dn);
        const key = parsed && normalizeDn(schema, parsed);
        if (key !== undefined && !leftOut.some((each) => isWithin(key, each))) yield { line: 0, dn, key, attributes };
      }
    }
  };
  return {
    id,
    suffix,
    schema,
    // No search reads what is sealed.
    stored: createSealer(sealerKeys('', '')),
    definitions: held.isOwn ? subschemaRecord(held, own, false) : undefined,
    inside: [],
    count: 0,
    entries: () => sorted(read(), { folder: tmpdir() }),
    [Symbol.dispose]: () => client.close(),
  };
}

/** RFC 3296 §3: referrals are entries like others, and of groups there is what they say themselves. */
export const manageDsaIt: Control = { oid: '2.16.840.1.113730.3.4.2', critical: true };
/** RFC 3672 §3: else they are left out. */
export const subentriesAlone: Control = { oid: '1.3.6.1.4.1.4203.1.10.1', critical: true, value: Uint8Array.of(0x01, 0x01, 0xff) };

/** Whether a record describes the schema and no realm. */
export function isSubschema({ dn }: Pick<LdifContent, 'dn'>): boolean {
  return /^\s*cn\s*=\s*subschema\s*$/i.test(dn);
}
