import { empty, text, utf8, uuid4 } from '#base';
import { type LdifContent, type LdifLimits, parseDn, readLdif } from '#ldap';
import { checkEntry, collectAttributes, formOf, parentKey } from '#schema';
import type { EntryRecord } from '#store';
import type { Engine } from '../engine.ts';
import { nameBelow, nameOf } from '../realm.ts';
import { recordOf, stampNew } from '../record.ts';
import type { NewRealm } from './judge.ts';

/** What a realm begins with, with `{suffix}`, `{label}` and `{administrator}` in the places of its own. */
export type RealmSeed = readonly LdifContent[];

const seedLimits: LdifLimits = { lineOctetsMax: 65_536, recordOctetsMax: 1_048_576, valuesMax: 10_000 };

/** Reads the page of our own that says what a realm begins with. */
export async function readRealmSeed(page: string): Promise<RealmSeed> {
  const records: LdifContent[] = [];
  for await (const record of readLdif([utf8(page)], seedLimits)) if (record.kind === 'content') records.push(record);
  return records;
}

/**
 * What a new realm begins with: its suffix, the standard `ou`s, and its administrator, who has no password before an operator has one made
 * (`atrium realm invite`).
 */
export function frameRecords(
  { schema, settings }: Pick<Engine, 'schema' | 'settings'>,
  seed: RealmSeed,
  { suffix }: Pick<NewRealm, 'suffix'>,
): readonly LdifContent[] {
  const label = text(suffix.dn[0]?.[0]?.value ?? empty) ?? '';
  const uid = settings['admin.bootstrapUsername'];
  const { text: dn } = nameBelow(schema, suffix, ['uid', uid], ['ou', 'people']);
  const filled = (words: string) =>
    words
      .replaceAll('{suffix}', () => suffix.text)
      .replaceAll('{label}', () => label)
      .replaceAll('{administrator}', () => dn);
  const frame = seed.map((record) => ({
    ...record,
    dn: filled(record.dn),
    attributes: record.attributes.map(({ description, values }) => ({
      description,
      values: values.map((value) => utf8(filled(text(value) ?? ''))),
    })),
  }));
  const said: readonly (readonly [string, ...string[]])[] = [
    ['objectClass', 'top', 'person', 'organizationalPerson', 'inetOrgPerson'],
    ['uid', uid],
    ['cn', 'Administrator'],
    ['sn', 'Administrator'],
    ['displayName', 'Administrator'],
    ['description', 'built-in administrator of the realm'],
  ];
  const attributes = said.map(([description, ...values]) => ({ description, values: values.map(utf8) }));
  return [...frame, { kind: 'content', line: 0, dn, attributes }];
}

/** The same as entries of the store. */
export function frameEntries(
  engine: Pick<Engine, 'schema' | 'settings' | 'chance' | 'clock' | 'csn'>,
  seed: RealmSeed,
  realm: NewRealm,
  by: string,
): EntryRecord[] {
  const { schema, chance, clock, csn: csns } = engine;
  const uuids = new Map<string, string>();
  return frameRecords(engine, seed, realm).map((record) => {
    const name = nameOf(schema, record.dn);
    const attributes = collectAttributes(schema, record.attributes);
    checkEntry(schema, { dn: parseDn(record.dn) ?? [], attributes });
    const uuid = uuid4(chance);
    const csn = csns.next();
    stampNew(schema, attributes, uuid, { csn, nowMs: clock.nowMs(), by });
    const parent = uuids.get(formOf(parentKey(name.key) ?? empty));
    uuids.set(formOf(name.key), uuid);
    return recordOf(schema, { uuid, parent, name, csn }, attributes);
  });
}
