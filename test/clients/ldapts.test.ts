import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import * as ldapts from 'ldapts';
import { type BerWriter, encodeBer } from '#ldap';
import { withLdapUtils } from '../support/ldap-utils.ts';
import { startPeopled } from './replay.ts';

const ldapTest = withLdapUtils(test);
const { Attribute, Change, Client, Control, EqualityFilter } = ldapts;
const jpegStart = [0xff, 0xd8, 0xff];
const personPassword = 'Schlüssel-7-Brücke';

let started: ReturnType<typeof furnish> | undefined;
const serve = () => {
  started ??= furnish();
  return started;
};
test.after.always(async () => (await started)?.atrium[Symbol.asyncDispose]());

async function furnish() {
  const atrium = await startPeopled(30);
  const { suffix, addresses } = atrium;
  const ca = readFileSync(join(atrium.dataDir, 'tls', 'ca.pem'));
  const lab = `ou=lab,${suffix}`;
  const open = async (dn: string, password: string, url = addresses.ldap ?? '') => {
    // The library takes options of TLS for a wish of TLS.
    const client = new Client({ url, ...(url.startsWith('ldaps') ? { tlsOptions: { ca } } : {}) });
    try {
      await client.bind(dn, password);
    } catch (error) {
      await client.unbind();
      throw error;
    }
    return client;
  };
  const admin = () => open(atrium.adminDn, atrium.adminPassword);
  return { atrium, addresses, suffix, ca, lab, row: `ou=row,${lab}`, person: `uid=jmueller,ou=people,${suffix}`, open, admin };
}

/** The class and the result code that the library has for a refusal. */
async function refusal(act: () => Promise<unknown>): Promise<readonly [name: string, code: number]> {
  try {
    await act();
  } catch (error) {
    if (error instanceof ldapts.ResultCodeError) return [error.constructor.name, error.code];
    throw error;
  }
  return ['success', 0];
}

ldapTest('ldapts: binds right, wrong, unknown and without a password, over ldap, ldaps and StartTLS', async (t) => {
  const { addresses, person, open, ca, lab } = await serve();
  const whoAmI = async (client: ldapts.Client) => (await client.exop('1.3.6.1.4.1.4203.1.11.3')).value;
  for (const url of [addresses.ldap, addresses.ldaps]) {
    await using client = await open(person, personPassword, url);
    t.is(await whoAmI(client), `dn:${person}`);
  }
  await using client = new Client({ url: addresses.ldap ?? '' });
  await client.startTLS({ ca });
  await client.bind(person, personPassword);
  t.is(await whoAmI(client), `dn:${person}`);
  for (const name of [person, `uid=nobody,${lab}`]) t.deepEqual(await refusal(() => open(name, 'wrong')), ['InvalidCredentialsError', 49]);
  t.deepEqual(await refusal(() => open(person, '')), ['UnwillingToPerformError', 53]);
  await using trustful = new Client({ url: addresses.ldaps ?? '' });
  await t.throwsAsync(trustful.bind(person, personPassword), { message: /certificate/ });
  await using sasl = new Client({ url: addresses.ldaps ?? '', tlsOptions: { ca } });
  await sasl.bind('PLAIN', `\0jmueller\0${personPassword}`);
  t.is(await whoAmI(sasl), `dn:${person}`);
});

ldapTest('ldapts: filters, scopes, attribute selection, binary values and names', async (t) => {
  const { suffix, row, person, admin } = await serve();
  await using client = await admin();
  const count = async (filter: string | ldapts.Filter, base = row, options: ldapts.SearchOptions = {}) =>
    (await client.search(base, { ...options, filter, attributes: ['1.1'] })).searchEntries.length;
  for (const text of ['(cn=Jürgen Müller)', '(cn=jürgen  müller)', '(sn=M*ll*r)', '(sn:caseExactMatch:=Müller)'])
    t.is(await count(text, `ou=people,${suffix}`), 1, text);
  const odd = new EqualityFilter({ attribute: 'description', value: 'Stars * and (brackets) and \\ backslash' });
  t.is(await count(odd, `ou=people,${suffix}`), 1);
  t.is(await count(ldapts.escapeFilter`(description=${'Stars * and (brackets) and \\ backslash'})`, `ou=people,${suffix}`), 1);
  const counts = {
    '(uidNumber>=60021)': 5,
    '(uidNumber<=60003)': 3,
    '(&(uid=lab*)(!(uid=lab1*)))': 15,
    '(ou:dn:=row)': 26,
    '(!(none=x))': 0,
  };
  for (const [filter, wanted] of Object.entries(counts)) t.is(await count(filter), wanted, filter);
  for (const [scope, wanted] of [
    ['base', 1],
    ['one', 25],
    ['sub', 26],
    ['children', 25],
  ] as const)
    t.is(await count('(objectClass=*)', row, { scope }), wanted, scope);

  const read = async (...attributes: string[]) =>
    (await client.search(person, { scope: 'base', attributes })).searchEntries[0] ?? { dn: '' };
  t.deepEqual(await read('sn', 'mail'), { dn: person, sn: 'Müller', mail: 'juergen.mueller@example.com' });
  t.deepEqual(await read('1.1'), { dn: person, '1.1': [] });
  t.true('entryUUID' in (await read('+')) && !('cn' in (await read('+'))));
  // The library shows what was asked for and did not come as a list of nothing.
  t.deepEqual((await read('*', '+', 'userPassword'))['userPassword'], []);
  const picture = (await client.search(person, { scope: 'base', explicitBufferAttributes: ['jpegPhoto'] })).searchEntries[0]?.['jpegPhoto'];
  t.deepEqual(picture, Buffer.from([...jpegStart, ...Array(256).keys()]));
  const rootDse = (await client.search('', { scope: 'base', attributes: ['*', '+'] })).searchEntries[0];
  t.is(rootDse?.['namingContexts'], suffix);
});

ldapTest('ldapts: adds, changes, compares, renames, moves and deletes', async (t) => {
  const { suffix, lab, admin } = await serve();
  await using client = await admin();
  const dn = `uid=alice,${lab}`;
  await client.add(dn, { objectClass: ['inetOrgPerson'], uid: 'alice', cn: 'Älice', sn: 'A', mail: ['a@example.com', 'b@example.com'] });
  const change = (operation: 'add' | 'delete' | 'replace', type: string, ...values: string[]) =>
    new Change({ operation, modification: new Attribute({ type, values }) });
  await client.modify(dn, [
    change('delete', 'mail', 'a@example.com'),
    change('add', 'mail', 'c@example.com'),
    change('replace', 'title', 'Dr.'),
  ]);
  const read = async (name: string) => (await client.search(name, { scope: 'base', attributes: ['cn', 'mail', 'title'] })).searchEntries[0];
  t.deepEqual(await read(dn), { dn, cn: 'Älice', mail: ['b@example.com', 'c@example.com'], title: 'Dr.' });
  t.deepEqual([await client.compare(dn, 'cn', 'ÄLICE'), await client.compare(dn, 'cn', 'Alice')], [true, false]);
  await client.modifyDN(dn, 'uid=Alicia');
  const moved = `uid=Alicia,ou=lab two,${suffix}`;
  await client.add(`ou=lab two,${suffix}`, { objectClass: ['organizationalUnit'], ou: 'lab two' });
  await client.modifyDN(`uid=alicia,${lab}`, moved);
  t.is((await read(moved))?.dn, moved);
  await client.del(moved);
  t.deepEqual(await refusal(() => client.del(moved)), ['NoSuchObjectError', 32]);
});

ldapTest('ldapts: pages and sorts', async (t) => {
  const { suffix, row, admin } = await serve();
  await using client = await admin();
  const sizes: number[] = [];
  for await (const { searchEntries } of client.searchPaginated(row, { filter: '(uid=lab*)', paged: { pageSize: 10 } }))
    sizes.push(searchEntries.length);
  t.deepEqual(sizes, [10, 10, 5]);
  t.is(
    (await client.search(`ou=people,${suffix}`, { filter: '(objectClass=posixAccount)', paged: { pageSize: 7 } })).searchEntries.length,
    30,
  );
  const values = { attributeType: 'sn', orderingRule: '2.5.13.3', reverseOrder: true };
  const sort = new ldapts.ServerSideSortingRequestControl({ value: values, critical: true });
  const { searchEntries } = await client.search(row, { filter: '(uid=lab*)', attributes: ['sn'] }, sort);
  t.deepEqual(
    searchEntries.map(({ sn }) => sn),
    Array.from({ length: 25 }, (_, i) => `Reihe ${String(25 - i).padStart(2, '0')}`),
  );
});

ldapTest('ldapts: a password is changed by its owner, who must know the old one, and set by the administrator', async (t) => {
  const { lab, open, admin } = await serve();
  await using client = await admin();
  const dn = `uid=carol,${lab}`;
  await client.add(dn, { objectClass: ['inetOrgPerson'], uid: 'carol', cn: 'Carol', sn: 'C', userPassword: 'First-secret-1' });
  /** Password Modify (RFC 3062 §2), for which the library has no words: userIdentity [0], oldPasswd [1], newPasswd [2]. */
  const change = (by: ldapts.Client, ...fields: readonly (string | undefined)[]) => {
    const write = (ber: BerWriter) => {
      for (const [at, text] of fields.entries()) if (text !== undefined) ber.string(text, 0x80 + at);
    };
    return refusal(() => by.exop('1.3.6.1.4.1.4203.1.11.1', Buffer.from(encodeBer((ber) => ber.sequence(() => write(ber))))));
  };
  await using carol = await open(dn, 'First-secret-1');
  t.deepEqual(await change(carol, undefined, 'wrong', 'Second-secret-2'), ['UnwillingToPerformError', 53]);
  t.deepEqual(await change(carol, undefined, 'First-secret-1', 'Second-secret-2'), ['success', 0]);
  await (await open(dn, 'Second-secret-2')).unbind();
  t.deepEqual(await refusal(() => open(dn, 'First-secret-1')), ['InvalidCredentialsError', 49]);
  t.deepEqual(await change(client, dn, undefined, 'Third-secret-3'), ['success', 0]);
  await (await open(dn, 'Third-secret-3')).unbind();
});

ldapTest('ldapts: each refusal has the class that the library gives its code', async (t) => {
  const { suffix, lab, row, person, open, admin } = await serve();
  await using client = await admin();
  await using other = await open(person, personPassword);
  const bob = `uid=bob,${lab}`;
  const entry = { objectClass: ['inetOrgPerson'], uid: 'bob', cn: 'Bob', sn: 'B', employeeNumber: '1' };
  await client.add(bob, entry);
  const change =
    (operation: 'add' | 'delete' | 'replace', type: string, ...values: string[]) =>
    () =>
      client.modify(bob, new Change({ operation, modification: new Attribute({ type, values }) }));
  const cases: readonly [name: string, code: number, act: () => Promise<unknown>][] = [
    ['NoSuchObjectError', 32, () => client.search(`cn=x,ou=nowhere,${lab}`)],
    ['AlreadyExistsError', 68, () => client.add(bob, entry)],
    ['NoSuchObjectError', 32, () => client.add(`uid=bob,ou=nowhere,${lab}`, entry)],
    ['ObjectClassViolationError', 65, () => client.add(`uid=eve,${lab}`, { objectClass: ['inetOrgPerson'], uid: 'eve', cn: 'Eve' })],
    ['UndefinedTypeError', 17, change('add', 'favouriteColour', 'teal')],
    ['InvalidSyntaxError', 21, change('add', 'manager', 'no name')],
    ['TypeOrValueExistsError', 20, change('add', 'cn', 'BOB')],
    ['NoSuchAttributeError', 16, change('delete', 'title')],
    ['ConstraintViolationError', 19, change('replace', 'employeeNumber', '1', '2')],
    ['NotAllowedOnRDNError', 67, change('delete', 'uid', 'bob')],
    ['NoObjectClassModsError', 69, change('replace', 'objectClass', 'organizationalUnit')],
    ['NotAllowedOnNonLeafError', 66, () => client.del(row)],
    ['InsufficientAccessError', 50, () => other.del(`cn=all-staff,ou=groups,${suffix}`)],
    ['InvalidDNSyntaxError', 34, () => client.del('not a name')],
    ['UnavailableCriticalExtensionError', 12, () => client.search(row, {}, new Unknown('1.2.3.4', { critical: true }))],
    ['ProtocolError', 2, () => client.exop('1.2.3.4')],
  ];
  for (const [name, code, act] of cases) t.deepEqual(await refusal(act), [name, code], `${name} ${code}`);
  // The library takes a size limit that it asked for as no refusal.
  t.is((await client.search(row, { sizeLimit: 7 })).searchEntries.length, 7);
});

/** A control that nobody knows, without a value. */
class Unknown extends Control {}
