import test from 'ava';
import { utf8 } from '#base';
import { decodeBer, encodeBer } from '#ldap';
import { admin, type Client, furnishedHouse, person } from './driver.ts';

const oid = '1.3.6.1.4.1.4203.1.11.1';

async function change(client: Client, given: { user?: string; old?: string; fresh?: string } = {}) {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      if (given.user !== undefined) ber.string(given.user, 0x80);
      if (given.old !== undefined) ber.string(given.old, 0x81);
      if (given.fresh !== undefined) ber.string(given.fresh, 0x82);
    }),
  );
  const { code, last, result } = await client.ask({ kind: 'extendedRequest', oid, value });
  const made = last.kind === 'extendedResponse' && last.value !== undefined ? last.value : undefined;
  const generated = made === undefined ? undefined : decodeBer(made, (ber) => ber.sequence(() => ber.string(0x80)));
  return { code, generated, says: result.diagnostic };
}

test('RFC 3062: a person sets their own password with the old one, and nobody else’s', async (t) => {
  const house = await furnishedHouse(t);
  const ada = house.connect();
  await ada.bind(person('ada'), 'lovelace');
  house.audited.length = 0;
  t.like(await change(ada, { old: 'love', fresh: 'king' }), { code: 53, says: 'unwilling to verify old password' });
  t.like(await change(ada, { fresh: 'king' }), { code: 50 });
  t.like(await change(ada, { user: person('alan'), old: 'lovelace', fresh: 'king' }), { code: 50 });
  t.like(await change(ada, { user: admin, fresh: 'king' }), { code: 50 });
  t.like(await change(ada, { user: person('nobody'), fresh: 'king' }), { code: 32 });
  t.like(await change(ada, { user: 'u:nobody', fresh: 'king' }), { code: 32 });
  t.like(await change(ada, { user: 'no name', fresh: 'king' }), { code: 34 });
  t.like(await change(ada, { old: 'lovelace', fresh: '{SSHA}AAAA' }), { code: 19 });
  t.like(await change(ada, { old: 'lovelace', fresh: 'ki\0ng' }), { code: 19 });
  t.like(await change(ada, { old: 'lovelace', fresh: '' }), { code: 19 });
  t.is((await house.connect().bind(person('ada'), 'lovelace')).code, 0);
  t.like(await change(ada, { user: 'u:ada', old: 'lovelace', fresh: 'king' }), { code: 0, generated: undefined });
  t.is((await house.connect().bind(person('ada'), 'lovelace')).code, 49);
  t.is((await house.connect().bind(person('ada'), 'king')).code, 0);
  const told = house.audited
    .filter(({ action }) => action === 'ldap.extended')
    .map(({ outcome, error, subject, summary }) => [outcome, error?.code, subject, summary]);
  t.deepEqual(told[0], ['refused', 'STS-LDAP-9077', person('ada'), `extended operation ${oid}: unwilling to verify old password`]);
  t.deepEqual(told.at(-1), ['success', undefined, person('ada'), `set the password of ${person('ada')}`]);
  t.false(JSON.stringify(house.audited).includes('king'));
});

test('RFC 3062: without a new password one is generated and said; the administrator needs no old one, but it is judged when it is there', async (t) => {
  const house = await furnishedHouse(t);
  const ada = house.connect();
  await ada.bind(person('ada'), 'lovelace');
  const own = await change(ada, { old: 'lovelace' });
  t.is(own.code, 0);
  t.is((await house.connect().bind(person('ada'), own.generated ?? '')).code, 0);
  const operator = house.operator();
  const others = await change(operator, { user: `dn:${person('alan')}` });
  t.is((await house.connect().bind(person('alan'), others.generated ?? '')).code, 0);
  t.like(await change(operator, { user: person('alan'), old: 'wrong', fresh: 'x' }), { code: 53 });
  t.like(await change(operator, { user: person('alan'), old: others.generated ?? '', fresh: 'x' }), { code: 0 });
  t.like(await change(operator, { fresh: 'x' }), { code: 32 }, 'the operators’ socket is no entry');
});

test('RFC 3062: nobody sets a password without having bound, over an unprotected connection in product mode, or with a value that is none', async (t) => {
  const house = await furnishedHouse(t);
  t.like(await change(house.connect(), { user: person('ada'), old: 'lovelace', fresh: 'x' }), { code: 8 });
  const away = house.connect('ldap', { loopback: false, identity: { dn: person('ada'), uuid: undefined, strength: 'ownPassword' } });
  t.like(await change(away, { old: 'lovelace', fresh: 'x' }), { code: 13 });
  const operator = house.operator();
  for (const bad of ['', 'x', '0\x03\x80\x05a'])
    t.is((await operator.ask({ kind: 'extendedRequest', oid, value: utf8(bad) })).code, 2, bad);
});

test('who sets their own password anew need not change it any more; who had it set still must', async (t) => {
  const house = await furnishedHouse(t, { 'global.mode': 'development' });
  const operator = house.operator();
  await operator.modify(person('ada'), ['add', 'pwdReset', 'TRUE']);
  const reset = async () =>
    (await operator.search(person('ada'), '(objectClass=*)', { attributes: ['pwdReset'] })).entries[0]?.all('pwdReset');
  await change(operator, { user: person('ada'), fresh: 'lovelace' });
  t.deepEqual(await reset(), ['TRUE']);
  const ada = house.connect();
  await ada.bind(person('ada'), 'lovelace');
  t.like(await change(ada, { old: 'lovelace', fresh: 'king' }), { code: 0 });
  t.deepEqual(await reset(), []);
});

test('of two who change one password at the same time with the same old one, one is refused', async (t) => {
  const house = await furnishedHouse(t);
  const ask = async (fresh: string) => {
    const client = house.connect();
    await client.bind(person('ada'), 'lovelace');
    return () => change(client, { old: 'lovelace', fresh });
  };
  const both = await Promise.all([ask('one'), ask('two')]);
  const codes = (await Promise.all(both.map((each) => each()))).map(({ code }) => code);
  t.deepEqual(
    codes.toSorted((a, b) => a - b),
    [0, 16],
  );
});
