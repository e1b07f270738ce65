import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { text, utf8 } from '#base';
import { type LdifRecord, parseDn, readLdif } from '#ldap';
import { checkEntry, collectAttributes, equalityKeys, normalizeDn } from '#schema';
import { generatePeople, peopleLdif } from '../support/people.ts';
import { readTestSchema } from '../support/schema.ts';

const schema = readTestSchema();
const limits = { lineOctetsMax: 100_000, recordOctetsMax: 1_000_000, valuesMax: 10_000 };
const suffix = 'dc=example,dc=com';

function seed(name: string): string {
  return readFileSync(join(import.meta.dirname, '..', '..', 'ldif', name), 'utf8')
    .replaceAll('{suffix}', suffix)
    .replaceAll('{label}', 'example')
    .replaceAll('{administrator}', `uid=admin,ou=people,${suffix}`);
}

async function records(ldif: string): Promise<LdifRecord[]> {
  const read: LdifRecord[] = [];
  for await (const record of readLdif([utf8(ldif)], limits)) read.push(record);
  return read;
}

/** Loads records in their order, as a directory would: superior first, no name twice, everything by the schema. */
function load(all: readonly LdifRecord[]): { keys: Set<string>; links: string[] } {
  const keys = new Set<string>();
  const links: string[] = [];
  for (const record of all) {
    if (record.kind !== 'content') throw new Error(record.kind);
    const dn = parseDn(record.dn) ?? [];
    const attributes = collectAttributes(schema, record.attributes);
    checkEntry(schema, { dn, attributes });
    const key = keyOf(record.dn);
    if (keys.has(key)) throw new Error(`twice: ${record.dn}`);
    keys.add(key);
    for (const name of ['member', 'manager', 'owner', 'seealso']) {
      for (const value of attributes.get(name)?.values ?? []) links.push(keyOf(text(value) ?? ''));
    }
  }
  return { keys, links };
}

function keyOf(dn: string): string {
  return Buffer.from(normalizeDn(schema, parseDn(dn) ?? []) ?? []).toString('latin1');
}

test('the demo realm fits the schema, and all that its entries point to is there', async (t) => {
  const all = [...(await records(seed('default-realm.ldif'))), ...(await records(seed('demo.ldif')))];
  const { keys, links } = load(all);
  const people = [...keys].filter((key) => key.includes('ou=people\0')).length;
  t.true(people >= 200, `${people} people`);
  t.true(links.length > people);
  // The first start makes the administrator.
  keys.add(keyOf(`uid=admin,ou=people,${suffix}`));
  for (const link of links) t.true(keys.has(link), link);
});

test('the demo realm holds no passwords', (t) => {
  t.notRegex(seed('demo.ldif'), /userPassword/i);
});

test('no line of the demo realm is folded, so that its suffix can be replaced in its text', (t) => {
  t.notRegex(seed('demo.ldif'), /^ /m);
});

test('a realm named by o= begins with the same entries', async (t) => {
  const template = readFileSync(join(import.meta.dirname, '..', '..', 'ldif', 'default-realm.ldif'), 'utf8');
  const { keys } = load(
    await records(
      template.replaceAll('{suffix}', 'o=acme').replaceAll('{label}', 'acme').replaceAll('{administrator}', 'uid=admin,ou=people,o=acme'),
    ),
  );
  t.deepEqual(
    [...keys].map((key) => key.split('\0')[1] ?? key),
    [
      'o=acme',
      'ou=people',
      'ou=groups',
      'ou=applications',
      'ou=authnpolicies',
      'ou=passwordpolicies',
      'ou=accessrules',
      'ou=trustanchors',
      'ou=policies',
      // And what is below it.
      'ou=policies',
      'ou=groups',
      'ou=groups',
    ],
  );
});

test('generated people fit the schema, point to each other, and differ in what must differ', async (t) => {
  const all = await records([...peopleLdif({ count: 2000, seed: 5, suffix })].join(''));
  const { keys, links } = load(all);
  for (const link of links) t.true(keys.has(link), link);
  for (const name of ['uid', 'mail', 'uidNumber', 'employeeNumber']) {
    const type = schema.attributeType(name);
    const values = all.flatMap((record) =>
      record.kind === 'content' ? record.attributes.filter(({ description }) => description === name).flatMap((each) => each.values) : [],
    );
    t.is(type && equalityKeys(schema, type, values).length, 2000, name);
  }
});

test('equal seeds make equal people, other seeds others', (t) => {
  const make = (number: number) => JSON.stringify([...generatePeople({ count: 50, seed: number, suffix })]);
  t.is(make(1), make(1));
  t.not(make(1), make(2));
});

test('generated groups are of very uneven size, and some hold groups', (t) => {
  const groups = [...generatePeople({ count: 3000, seed: 1, suffix })].filter(({ dn }) => dn.includes('ou=groups'));
  const members = groups.map(({ attributes }) => attributes.find(({ description }) => description === 'member')?.values ?? []);
  const sizes = members.map(({ length }) => length);
  t.true(Math.max(...sizes) > 100 * Math.min(...sizes));
  t.true(members.some((values) => values.some((value) => (text(value) ?? '').includes('ou=groups'))));
});
