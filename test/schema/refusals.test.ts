import test from 'ava';
import { schemaErrors as rows, type schemaErrors } from '#schema';
import { type Attributes, type Client, furnishedHouse, person } from '../directory/driver.ts';

const bob: Attributes = { objectClass: 'inetOrgPerson', uid: 'bob', cn: 'Bob', sn: 'B' };
const addBob = (more: Attributes) => (client: Client) => client.add(person('bob'), { ...bob, ...more });

/** Each refusal of the schema, as a client meets it and as the audit keeps it. */
const table: readonly [row: keyof typeof schemaErrors, act: (client: Client) => ReturnType<Client['add']>][] = [
  ['attributeTypeUndefined', addBob({ nickname: 'x' })],
  ['valuesMissing', addBob({ mail: [] })],
  ['attributeRepeated', addBob({ commonName: 'x' })],
  ['valueInvalid', addBob({ telephoneNumber: 'call me!' })],
  ['valueRepeated', addBob({ mail: ['a@x.org', 'A@X.ORG'] })],
  ['singleValued', (client) => client.modify(person('ada'), ['add', 'employeeNumber', '2'])],
  ['objectClassMissing', (client) => client.add(person('bob'), { uid: 'bob', cn: 'Bob' })],
  ['objectClassUnknown', addBob({ objectClass: 'wizard' })],
  ['structuralClassMissing', addBob({ objectClass: 'uidObject' })],
  ['structuralClassesDiffer', addBob({ objectClass: ['inetOrgPerson', 'device'] })],
  ['attributeRequired', addBob({ objectClass: ['inetOrgPerson', 'posixAccount'] })],
  ['attributeNotAllowed', addBob({ gidNumber: '5' })],
  ['namingUnsuitable', (client) => client.add(`pwdReset=TRUE,${person('ada')}`, { ...bob, pwdReset: 'TRUE' })],
  ['namingValueRemoved', (client) => client.modify(person('ada'), ['replace', 'uid', 'eve'])],
  ['structuralClassChanged', (client) => client.modify(person('ada'), ['replace', 'objectClass', 'organizationalPerson'])],
  ['attributeReadOnly', (client) => client.modify(person('ada'), ['replace', 'entryUUID', '597ae2f6-16a6-1027-98f4-d28b5365dc14'])],
];

for (const [name, act] of table) {
  test(`${name}: the client is told which attribute and why, the audit has ${rows[name].code}`, async (t) => {
    const house = await furnishedHouse(t);
    const { code, result } = await act(house.operator());
    t.is(code, rows[name].sees.ldap);
    t.not(result.diagnostic, '');
    t.notRegex(result.diagnostic, /[{}]|STS-/);
    t.deepEqual(
      house.audited.map(({ error }) => error?.code).filter((each) => each !== undefined),
      [rows[name].code],
    );
  });
}
