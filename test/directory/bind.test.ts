import test from 'ava';
import { utf8 } from '#base';
import { admin, type Client, furnishedHouse, person } from './driver.ts';

const whoAmI = { kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.3' } as const;

async function who(client: Client) {
  const { last } = await client.ask(whoAmI);
  return last.kind === 'extendedResponse' ? Buffer.from(last.value ?? []).toString() : undefined;
}

test('RFC 4532: who am I names the identity of the last bind', async (t) => {
  const house = await furnishedHouse(t);
  const client = house.connect();
  t.is(await who(client), '');
  await client.bind(person('ada'), 'lovelace');
  t.is(await who(client), `dn:${person('ada')}`);
  await client.bind('', '');
  t.is(await who(client), '');
});

test('RFC 4511 §4.2.1: a failed bind leaves the connection anonymous', async (t) => {
  const client = (await furnishedHouse(t)).connect();
  await client.bind(person('ada'), 'lovelace');
  t.is((await client.bind(person('ada'), 'wrong')).code, 49);
  t.is(await who(client), '');
});

test('RFC 4511 §4.2.1: a bind that is refused for its control leaves the connection anonymous', async (t) => {
  const client = (await furnishedHouse(t)).connect();
  await client.bind(person('ada'), 'lovelace');
  t.is((await client.bind(person('ada'), 'lovelace', [{ oid: '1.2.3', critical: true }])).code, 12);
  t.is(await who(client), '');
});

test('wrong, absent, disabled and unknown are answered with the same octets, and told apart in the audit trail', async (t) => {
  const house = await furnishedHouse(t);
  await house.operator().modify(admin, ['add', 'pwdAccountLockedTime', '000001010000Z']);
  house.audited.length = 0;
  const answers = [
    await house.connect().bind(person('ada'), 'wrong'),
    await house.connect().bind(person('alan'), 'any'),
    await house.connect().bind(admin, 'administrator’s own'),
    await house.connect().bind(person('nobody'), 'any'),
    await house.connect().bind('uid=x,dc=elsewhere', 'any'),
  ];
  for (const { result } of answers) t.deepEqual(result, { code: 49, matchedDN: '', diagnostic: 'invalid credentials' });
  t.deepEqual(
    house.audited.map(({ error, outcome, action }) => [error?.code, outcome, action]),
    ['STS-AUTHN-9041', 'STS-AUTHN-9043', 'STS-AUTHN-0200', 'STS-AUTHN-9042', 'STS-AUTHN-9042'].map((code) => [
      code,
      'refused',
      'ldap.bind',
    ]),
  );
});

test('a password is not taken for the right one with NUL octets behind it, and none with a NUL octet can be set', async (t) => {
  const house = await furnishedHouse(t);
  t.is((await house.connect().bind(person('ada'), 'lovelace')).code, 0);
  t.is((await house.connect().bind(person('ada'), 'lovelace\0')).code, 49);
  const { result } = await house.operator().modify(person('ada'), ['replace', 'userPassword', 'love\0lace']);
  t.is(result.code, 19);
  t.is(result.diagnostic, 'userPassword: a password may hold no NUL octet');
});

test('product mode: an account whose password must be changed is refused at the LDAP doors', async (t) => {
  const house = await furnishedHouse(t);
  await house.operator().modify(person('ada'), ['add', 'pwdReset', 'TRUE']);
  t.is((await house.connect().bind(person('ada'), 'lovelace')).code, 49);
  t.is(house.audited.at(-1)?.error?.code, 'STS-AUTHN-0142');
});

test('RFC 4513 §5.1.2: a name without a password is refused, and says why', async (t) => {
  const { result } = await (await furnishedHouse(t)).connect().bind(person('ada'), '');
  t.deepEqual([result.code, result.diagnostic], [53, 'unauthenticated bind (DN with no password) disallowed']);
});

test('only version 3 is spoken', async (t) => {
  const client = (await furnishedHouse(t)).connect();
  const { code } = await client.ask({ kind: 'bindRequest', version: 2, name: '', authentication: { kind: 'simple', password: utf8('') } });
  t.is(code, 2);
});

test('a bind name that is no DN is invalidDNSyntax', async (t) => {
  t.is((await (await furnishedHouse(t)).connect().bind('ada', 'lovelace')).code, 34);
});

const sasl = (mechanism: string, credentials?: string) =>
  ({
    kind: 'bindRequest',
    version: 3,
    name: '',
    authentication: { kind: 'sasl', mechanism, ...(credentials === undefined ? {} : { credentials: utf8(credentials) }) },
  }) as const;

test('SASL EXTERNAL on the operators’ socket makes the operator, and only there', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.connect('operators');
  t.is((await operator.ask(sasl('EXTERNAL', ''))).code, 0);
  t.is(await who(operator), 'u:operator');
  t.is((await operator.ask(sasl('EXTERNAL', 'dn:uid=x'))).code, 50);
  t.is((await operator.ask(sasl('EXTERNAL', `dn:${person('ada')}`))).code, 0);
  t.is(await who(operator), `dn:${person('ada')}`);
  t.is((await operator.ask(sasl('GSSAPI', 'x'))).code, 7);
  t.is((await house.connect().ask(sasl('PLAIN', '\0ada\0lovelace'))).code, 7, 'a password in clear where others can read it');
  t.is((await house.connect('ldaps').ask(sasl('EXTERNAL'))).code, 7);
});

test('product mode: a password over an unprotected connection from beyond loopback is refused before anything is verified', async (t) => {
  const house = await furnishedHouse(t);
  const away = { loopback: false };
  t.is((await house.connect('ldap', away).bind(person('ada'), 'lovelace')).code, 13);
  t.is((await house.connect('ldap', away).bind(person('nobody'), 'x')).code, 13);
  t.is((await house.connect('ldap', away).bind('', '')).code, 0);
  t.is((await house.connect('ldaps', { ...away, secure: true }).bind(person('ada'), 'lovelace')).code, 0);
});

test('development mode: an existing entry binds with any password but the reserved word; an unknown one is 49', async (t) => {
  const house = await furnishedHouse(t, { 'global.mode': 'development' });
  t.is((await house.connect('ldap', { loopback: false }).bind(person('alan'), 'anything')).code, 0);
  t.is((await house.connect().bind(person('alan'), 'invalid')).code, 49);
  t.is((await house.connect().bind(person('nobody'), 'anything')).code, 49);
});

test('a bind that succeeds leaves an audit row with door, address and who it was', async (t) => {
  const house = await furnishedHouse(t);
  await house.connect('ldaps', { address: '198.51.100.7' }).bind(person('ada'), 'lovelace');
  t.like(house.audited[0], {
    realm: 'default',
    door: 'ldaps',
    subject: person('ada'),
    action: 'ldap.bind',
    outcome: 'success',
    address: '198.51.100.7',
    correlationId: 'c1:1',
  });
});
