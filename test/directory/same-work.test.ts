import type { ExecutionContext } from 'ava';
import test from 'ava';
import type { Hasher } from '#keys';
import { createApp } from '../support/app.ts';
import { appPasswordOf, revoke } from '../support/app-passwords.ts';
import { furnishedHouse, type House, hasher, person } from './driver.ts';

const ada = person('ada');
const adaPassword = 'lovelace';
/** Of the form of an app password, and nobody's. */
const formed = 'ABCD-EFGH-JKLM-NPQR-STUV-WXYZ';

/** A house that counts its hashes. */
async function countingHouse(t: ExecutionContext, given: Parameters<typeof furnishedHouse>[1] = {}) {
  let count = 0;
  const one = <Given extends readonly unknown[], Result>(act: (...given: Given) => Result) => {
    return (...asked: Given): Result => {
      count++;
      return act(...asked);
    };
  };
  const counting: Hasher = { ...hasher, verify: one(hasher.verify), findInSet: one(hasher.findInSet), hash: one(hasher.hash) };
  const house = await furnishedHouse(t, { ...given, hasher: counting });
  /** What a bind answers and how many hashes it costs. */
  const work = async (dn: string, password: string) => {
    const before = count;
    const { result, controls } = await house.connect('ldaps').bind(dn, password);
    return { code: result.code, says: result.diagnostic, controls: controls.length, hashes: count - before };
  };
  return { house, work };
}

async function change(house: House, dn: string, attribute: string, ...values: string[]) {
  const { code, result } = await house.operator().modify(dn, ['replace', attribute, ...values]);
  if (code !== 0) throw new Error(result.diagnostic);
}

test('same work: unknown, wrong, disabled, without a password, the own one where a second factor is held, and wrong with ten app passwords', async (t) => {
  const { house, work } = await countingHouse(t);
  const operator = house.operator();
  for (const uid of ['off', 'held', 'ten']) {
    await operator.add(person(uid), { objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid, userPassword: formed });
    if (uid === 'held') await change(house, person(uid), 'stsTotpCredential', createApp().credential);
  }
  const values: string[] = [];
  for (let at = 0; at < 10; at++) values.push((await appPasswordOf(operator, person('ten'), { name: `${at}` })).value);
  await change(house, person('off'), 'pwdAccountLockedTime', '000001010000Z');
  await change(house, person('off'), 'userPassword', adaPassword);
  await change(house, ada, 'stsTotpCredential', createApp().credential);
  for (const [hashes, tries] of [
    [1, [adaPassword, 'ABCD-EFGH-JKLM-NPQR-STUV-WXY0']],
    [2, [formed.replace('A', 'B')]],
  ] as const)
    for (const password of tries)
      for (const dn of [
        person('nobody'),
        ada,
        person('alan'),
        person('off'),
        person('held'),
        person('ten'),
        'uid=x,ou=nowhere,dc=example,dc=com',
      ])
        t.deepEqual(await work(dn, password), { code: 49, says: 'invalid credentials', controls: 0, hashes }, `${dn} ${password}`);
  t.deepEqual(await work(person('held'), formed), { code: 49, says: 'invalid credentials', controls: 0, hashes: 2 }, 'right, and refused');
  for (const value of [values[0], values[9]]) t.like(await work(person('ten'), value ?? ''), { code: 0, hashes: 2 });
});

test('a password that was found right a short while ago is not hashed again, and is as good as it would be', async (t) => {
  const { house, work } = await countingHouse(t);
  const operator = house.operator();
  const { value, id } = await appPasswordOf(operator, ada, { networks: ['192.0.2.0/24'] });
  const right = (hashes: number) => ({ code: 0, says: '', controls: 0, hashes });
  const refused = (hashes: number) => ({ code: 49, says: 'invalid credentials', controls: 0, hashes });
  t.deepEqual(await work(ada, adaPassword), right(1));
  t.deepEqual(await work(ada, adaPassword), right(0));
  t.deepEqual(await work(ada, value), right(2));
  t.deepEqual(await work(ada, value.replaceAll('-', '').toLowerCase()), right(0));
  t.deepEqual(await work(ada, `${adaPassword} `), refused(1));
  t.deepEqual(await work(person('alan'), adaPassword), refused(1), 'another’s');

  // The very next bind after each of these.
  await change(house, ada, 'pwdAccountLockedTime', '000001010000Z');
  t.deepEqual(await work(ada, adaPassword), refused(1), 'disabled; a refusal is never from memory');
  t.deepEqual(await work(ada, value), refused(2));
  await change(house, ada, 'pwdAccountLockedTime');
  await change(house, ada, 'stsMfaRequired', 'TRUE');
  t.deepEqual(await work(ada, adaPassword), refused(1), 'a second factor is required');
  t.deepEqual(await work(ada, value), right(0));
  await change(house, ada, 'stsMfaRequired', 'FALSE');
  t.deepEqual(await work(ada, adaPassword), right(0));
  await change(house, ada, 'userPassword', 'another');
  t.deepEqual(await work(ada, adaPassword), refused(1), 'another password');
  t.deepEqual(await work(ada, 'another'), right(1));
  await change(house, ada, 'userPassword', adaPassword);
  t.deepEqual(await work(ada, adaPassword), right(1), 'the same text under another hash');
  await operator.add(`ou=authnPolicies,dc=example,dc=com`, { objectClass: 'organizationalUnit', ou: 'authnPolicies' });
  const policy = { objectClass: 'stsAuthnPolicy', cn: 'default', stsRequireSecondFactor: 'always' };
  t.is((await operator.add('cn=default,ou=authnPolicies,dc=example,dc=com', policy)).code, 0);
  t.deepEqual(await work(ada, adaPassword), refused(1), 'the policy changed');
  t.deepEqual(await work(ada, value), right(0));
  const elsewhere = await house.connect('ldaps', { address: '198.51.100.1' }).bind(ada, value);
  t.is(elsewhere.code, 49, 'from another network');
  await revoke(operator, ada, id);
  t.deepEqual(await work(ada, value), refused(2), 'revoked');
});

test('who has failed too often is refused before a password is known from memory, too', async (t) => {
  const { house, work } = await countingHouse(t, { countsAttempts: true });
  t.like(await work(ada, adaPassword), { code: 0, hashes: 1 });
  for (let at = 0; at < 5; at++) t.like(await work(ada, 'wrong'), { code: 49 });
  t.like(await work(ada, adaPassword), { code: 53, hashes: 0 });
  house.clock.moveMs(60_000);
  t.like(await work(ada, adaPassword), { code: 0, hashes: 0 });
});

test('security.verifiedBindsS ends what is known, 0 knows nothing, and security.verifiedBindsMax is its bound', async (t) => {
  const { house, work } = await countingHouse(t, { 'security.verifiedBindsS': 60 });
  t.like(await work(ada, adaPassword), { code: 0, hashes: 1 });
  house.clock.moveMs(59_999);
  t.like(await work(ada, adaPassword), { code: 0, hashes: 0 });
  house.clock.moveMs(1);
  t.like(await work(ada, adaPassword), { code: 0, hashes: 1 }, 'use makes nothing last longer');
  for (const given of [{ 'security.verifiedBindsS': 0 }, { 'security.verifiedBindsMax': 0 }]) {
    const none = await countingHouse(t, given);
    t.like(await none.work(ada, adaPassword), { code: 0, hashes: 1 });
    t.like(await none.work(ada, adaPassword), { code: 0, hashes: 1 });
  }
  const small = await countingHouse(t, { 'security.verifiedBindsMax': 2 });
  for (const uid of ['b', 'c', 'd'])
    await small.house.operator().add(person(uid), { objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid, userPassword: uid });
  t.like(await small.work(ada, adaPassword), { hashes: 1 });
  for (const uid of ['b', 'c', 'd']) t.like(await small.work(person(uid), uid), { code: 0, hashes: 1 });
  t.like(await small.work(person('d'), 'd'), { hashes: 0 });
  t.like(await small.work(ada, adaPassword), { hashes: 1 }, 'the oldest made way');
});
