import test from 'ava';
import { utf8 } from '#base';
import { admin, type Client, furnishedHouse, person, suffix } from './driver.ts';

const secret = utf8('0123456789abcdef0123456789abcdef');
const show = (value: Uint8Array) => ({ kind: 'extendedRequest', oid: '2.25.83716444157178576224225129172109131643.6.1', value }) as const;
const onBehalf = (authzId: string, critical = true) => ({ oid: '2.16.840.1.113730.3.4.18', critical, value: utf8(authzId) });
const whoAmI = { kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.3' } as const;

async function who(client: Client, ...controls: ReturnType<typeof onBehalf>[]) {
  const { last, code } = await client.ask(whoAmI, controls);
  return last.kind === 'extendedResponse' && code === 0 ? Buffer.from(last.value ?? []).toString() : code;
}

function door(name: string, address: string) {
  const parts = [name, address].flatMap((part) => [0x04, part.length, ...utf8(part)]);
  return { oid: '2.25.83716444157178576224225129172109131643.5.1', critical: true, value: Uint8Array.from([0x30, parts.length, ...parts]) };
}

test('the web door does nothing before the secret of this start was shown', async (t) => {
  const house = await furnishedHouse(t, { webSecret: secret });
  const client = house.connect('web');
  t.is((await client.search('', '(objectClass=*)', { scope: 'base' })).code, 50);
  t.is((await client.bind(admin, 'administrator’s own')).code, 50);
  t.is((await client.ask(show(utf8('wrong')))).code, 49);
  t.is((await client.ask(show(new Uint8Array(32)))).code, 49);
  t.false(client.connection.trusted);
  t.is((await client.ask(show(secret))).code, 0);
  t.is(await who(client), 'u:web-layer');
});

test('without a secret the web door opens to nobody', async (t) => {
  const client = (await furnishedHouse(t)).connect('web');
  t.is((await client.ask(show(utf8('')))).code, 49);
});

test('at other doors the secret is an operation that nobody knows', async (t) => {
  const client = (await furnishedHouse(t, { webSecret: secret })).connect('ldaps');
  t.is((await client.ask(show(secret))).code, 2);
  t.is(client.connection.identity.strength, 'anonymous');
});

test('RFC 4370: the web layer acts on behalf of a person, with that person’s rights and name', async (t) => {
  const house = await furnishedHouse(t, { webSecret: secret });
  const client = house.connect('web');
  await client.ask(show(secret));
  t.is(await who(client, onBehalf(`dn:${person('ada')}`)), `dn:${person('ada')}`);
  t.is(await who(client, onBehalf('')), '');
  t.is(await who(client, onBehalf('dn:')), '');
  t.is(await who(client), 'u:web-layer');
  const change = (name: string) =>
    client.ask(
      {
        kind: 'modifyRequest',
        object: person('ada'),
        changes: [{ operation: 'replace', attribute: { description: name, values: [utf8('x')] } }],
      },
      [onBehalf(`dn:${person('ada')}`)],
    );
  t.is((await change('displayName')).code, 0);
  t.is((await change('mail')).code, 50);
  const { entries } = await house.operator().search(person('ada'), '(objectClass=*)', { attributes: ['modifiersName'] });
  t.deepEqual(entries[0]?.all('modifiersName'), [person('ada')]);
});

test('nobody can be acted for who is absent, disabled or no name, and nobody by a control that is not critical', async (t) => {
  const house = await furnishedHouse(t, { webSecret: secret });
  await house.operator().modify(person('alan'), ['add', 'pwdAccountLockedTime', '000001010000Z']);
  const client = house.connect('web');
  await client.ask(show(secret));
  t.is(await who(client, onBehalf(`dn:${person('nobody')}`)), 123);
  t.is(await who(client, onBehalf(`dn:${person('alan')}`)), 123);
  t.is(await who(client, onBehalf('u:ada')), 123);
  t.is(await who(client, onBehalf(`dn:${person('ada')}`, false)), 2);
});

test('the right to act for others ends with a bind on the same connection', async (t) => {
  const house = await furnishedHouse(t, { webSecret: secret });
  const client = house.connect('web');
  await client.ask(show(secret));
  t.is((await client.bind(person('ada'), 'lovelace')).code, 0);
  t.is(await who(client, onBehalf(`dn:${admin}`)), 123);
});

test('on other connections the door control is an unknown critical control, and proxied authorization nobody’s by default', async (t) => {
  const house = await furnishedHouse(t, { webSecret: secret });
  const client = house.connect('ldaps');
  t.is(await who(client, onBehalf(`dn:${person('ada')}`)), 123);
  t.is(await who(house.operator(), onBehalf(`dn:${person('ada')}`)), `dn:${person('ada')}`);
  t.is((await client.bind(person('ada'), 'lovelace', [door('http', '192.0.2.9')])).code, 12);
});

test('a judging bind is audited with the browser’s door and address', async (t) => {
  const house = await furnishedHouse(t, { webSecret: secret });
  const client = house.connect('web');
  await client.ask(show(secret));
  t.is((await client.bind(person('ada'), 'wrong', [door('https', '192.0.2.9')])).code, 49);
  t.like(house.audited.at(-1), { door: 'https', address: '192.0.2.9', subject: person('ada') });
  const broken = { ...door('https', '::1'), value: Uint8Array.of(0x30, 5, 4) };
  t.is((await client.bind(person('ada'), 'lovelace', [broken])).code, 2);
});

test('a password to be changed is taken from the sign-in screen', async (t) => {
  const house = await furnishedHouse(t, { webSecret: secret });
  await house.operator().modify(person('ada'), ['add', 'pwdReset', 'TRUE']);
  const client = house.connect('web');
  await client.ask(show(secret));
  t.is((await client.bind(person('ada'), 'lovelace', [door('https', '192.0.2.9')])).code, 0);
});

test('the web layer by itself reads everything but secrets, and writes nothing in product mode', async (t) => {
  const house = await furnishedHouse(t, { webSecret: secret });
  const client = house.connect('web');
  await client.ask(show(secret));
  const { entries } = await client.search(suffix, '(uid=ada)', { attributes: ['*', '+', 'userPassword'] });
  t.true(entries[0]?.names.includes('employeeNumber'));
  t.false(entries[0]?.names.includes('userPassword'));
  t.is((await client.modify(person('ada'), ['replace', 'displayName', 'x'])).code, 50);
  t.is((await client.add(person('new'), { objectClass: 'inetOrgPerson', uid: 'new', cn: 'n', sn: 'n' })).code, 50);
});

test('in development mode the web layer makes the entry of a person', async (t) => {
  const house = await furnishedHouse(t, { webSecret: secret, 'global.mode': 'development' });
  const client = house.connect('web');
  await client.ask(show(secret));
  t.is((await client.add(person('new'), { objectClass: 'inetOrgPerson', uid: 'new', cn: 'n', sn: 'n' })).code, 0);
  t.is((await client.add(`cn=new,ou=groups,${suffix}`, { objectClass: 'groupOfNames', cn: 'new', member: admin })).code, 50);
});

test('to have mails looked for is the web layer’s, takes no value, and needs a service', async (t) => {
  const house = await furnishedHouse(t, { webSecret: secret });
  const client = house.connect('web');
  const wake = { kind: 'extendedRequest', oid: '2.25.83716444157178576224225129172109131643.6.125' } as const;
  t.is((await client.ask(wake)).code, 50, 'before the secret is shown nobody does anything there');
  t.is((await house.operator().ask(wake)).code, 2);
  await client.ask(show(secret));
  t.is((await client.ask({ ...wake, value: utf8('x') })).code, 2);
  t.is((await client.ask(wake)).code, 53);
});
