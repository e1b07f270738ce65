import test from 'ava';
import { utf8 } from '#base';
import { sweepDynamic } from '#directory';
import { decodeBer, encodeBer } from '#ldap';
import { type Client, type House, houseWithVault, person, suffix } from './driver.ts';

const oid = '1.3.6.1.4.1.1466.101.119.1';
const meeting = `cn=meeting,ou=vault,${suffix}`;
const dynamic = { objectClass: ['applicationProcess', 'dynamicObject'], cn: 'meeting' };

async function refresh(client: Client, name: string, ttlS: number) {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.string(name, 0x80);
      ber.number(ttlS, 0x81);
    }),
  );
  const { code, last } = await client.ask({ kind: 'extendedRequest', oid, value });
  const answer = last.kind === 'extendedResponse' && last.value !== undefined ? last.value : undefined;
  return { code, ttlS: answer && decodeBer(answer, (ber) => ber.sequence(() => ber.number(0x81))) };
}

async function ttl(house: House, client = house.operator()) {
  return (await client.search(meeting, '(objectClass=*)', { attributes: ['entryTtl'] })).entries[0]?.all('entryTtl');
}

test('RFC 2589: a dynamic entry says how long it has, is refreshed, and goes when its time is over', async (t) => {
  const house = await houseWithVault(t);
  const operator = house.operator();
  t.is((await operator.add(meeting, dynamic)).code, 0);
  t.deepEqual(await ttl(house), ['3600']);
  house.clock.moveMs(600_000);
  t.deepEqual(await ttl(house), ['3000']);
  t.deepEqual((await operator.search(suffix, '(entryTtl<=3000)', { attributes: ['1.1'] })).dns, [meeting]);
  t.deepEqual(await refresh(operator, meeting, 7200), { code: 0, ttlS: 7200 });
  t.deepEqual(await ttl(house), ['7200']);
  house.clock.moveMs(7_199_000);
  t.is(await sweepDynamic(house.engine), '0 dynamic entries have gone');
  house.clock.moveMs(1000);
  house.audited.length = 0;
  t.is(await sweepDynamic(house.engine), '1 dynamic entries have gone');
  t.is((await operator.search(meeting, '(objectClass=*)')).code, 32);
  t.deepEqual(house.audited.map(({ action, summary }) => [action, summary]).slice(0, 1), [
    ['ldap.expire', `deleted ${meeting}: it was not refreshed`],
  ]);
  t.is((await refresh(operator, meeting, 60)).code, 32);
});

test('RFC 2589: a refresh is for dynamic entries, by who may write them and by themselves, and no longer than allowed', async (t) => {
  const house = await houseWithVault(t);
  const operator = house.operator();
  await operator.add(meeting, dynamic);
  t.is((await refresh(operator, person('ada'), 60)).code, 65);
  t.is((await refresh(operator, meeting, 86_401)).code, 4);
  t.is((await refresh(operator, meeting, 31_557_601)).code, 2);
  t.is((await refresh(operator, meeting, 0)).code, 2);
  t.deepEqual(await refresh(operator, meeting, 1), { code: 0, ttlS: 10 }, 'never less than ldap.dynamicTtlMinS');
  for (const bad of ['', 'x']) t.is((await operator.ask({ kind: 'extendedRequest', oid, value: utf8(bad) })).code, 2);
  t.is((await operator.ask({ kind: 'extendedRequest', oid })).code, 2);
  const ada = house.connect();
  await ada.bind(person('ada'), 'lovelace');
  t.is((await refresh(ada, meeting, 60)).code, 32);
  t.is((await refresh(ada, person('alan'), 60)).code, 50);
  t.is((await refresh(house.connect(), person('alan'), 60)).code, 32);
  const visitor = { objectClass: ['inetOrgPerson', 'dynamicObject'], uid: 'visitor', cn: 'V', sn: 'V', userPassword: 'today' };
  await operator.add(person('visitor'), visitor);
  const guest = house.connect();
  await guest.bind(person('visitor'), 'today');
  t.is((await refresh(guest, person('visitor'), 60)).code, 0);
});

test('RFC 2589 §3: an entry is dynamic from its beginning to its end, and so is what lies below it', async (t) => {
  const house = await houseWithVault(t);
  const operator = house.operator();
  const unit = `ou=meeting,ou=vault,${suffix}`;
  t.is((await operator.add(unit, { objectClass: ['organizationalUnit', 'dynamicObject'], ou: 'meeting' })).code, 0);
  t.is((await operator.add(`ou=a,${unit}`, { objectClass: 'organizationalUnit', ou: 'a' })).code, 19);
  t.is((await operator.add(`ou=a,${unit}`, { objectClass: ['organizationalUnit', 'dynamicObject'], ou: 'a' })).code, 0);
  t.is((await operator.modify(unit, ['delete', 'objectClass', 'dynamicObject'])).code, 65);
  t.is((await operator.modify(person('ada'), ['add', 'objectClass', 'dynamicObject'])).code, 65);
  t.is((await operator.modify(unit, ['add', 'entryTtl', '5'])).code, 19);
  t.is((await operator.modify(unit, ['replace', 'description', 'x'])).code, 0);
  house.clock.moveMs(3_600_000);
  t.is(await sweepDynamic(house.engine), '2 dynamic entries have gone', 'what lies deepest first');
});

test('RFC 2589 §5.3: nothing that stays is moved below what goes', async (t) => {
  const house = await houseWithVault(t);
  const operator = house.operator();
  t.is((await operator.add(meeting, dynamic)).code, 0);
  const move = (cn: string) =>
    operator.ask({
      kind: 'modifyDNRequest',
      entry: `cn=${cn},ou=vault,${suffix}`,
      newRdn: `cn=${cn}`,
      deleteOldRdn: true,
      newSuperior: meeting,
    });
  t.is((await operator.add(`cn=stays,ou=vault,${suffix}`, { objectClass: 'device', cn: 'stays' })).code, 0);
  t.is((await operator.add(`cn=goes,ou=vault,${suffix}`, { objectClass: ['device', 'dynamicObject'], cn: 'goes' })).code, 0);
  t.is((await move('stays')).code, 19);
  t.is((await move('goes')).code, 0);
});
