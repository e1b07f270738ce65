import test, { type ExecutionContext } from 'ava';
import { createRepeats } from '#audit';
import { hmacSha256 } from '#keys';
import { builtInPasswordPolicy } from '#policy';
import { createSettledBinds } from '../../src/directory/settled.ts';
import { createApp } from '../support/app.ts';
import { appPasswordOf, revoke } from '../support/app-passwords.ts';
import { furnishedHouse, person, suffix } from './driver.ts';

const ada = person('ada');
const password = 'lovelace';

/** A house that says whether a bind was judged, and how it was answered. */
async function open(t: ExecutionContext, given: Parameters<typeof furnishedHouse>[1] = {}) {
  const house = await furnishedHouse(t, given);
  const bind = async (dn = ada, secret = password, address = '192.0.2.1') => {
    const rows = () => house.audited.filter(({ action }) => action === 'ldap.bind').length;
    const before = rows();
    const { result } = await house.connect('ldaps', { address }).bind(dn, secret);
    return `${rows() > before ? 'judged' : 'settled'} ${result.code}`;
  };
  const change = async (dn: string, attribute: string, ...values: string[]) => {
    const { code, result } = await house.operator().modify(dn, ['replace', attribute, ...values]);
    if (code !== 0) throw new Error(result.diagnostic);
  };
  /** Judged once, and settled then. */
  const settle = async (...given: Parameters<typeof bind>) => {
    await bind(...given);
    return bind(...given);
  };
  return { house, bind, change, settle };
}

test('a bind that was let in is let in again without being judged; another place, name, password or control is judged', async (t) => {
  const { house, bind, settle } = await open(t);
  t.is(await settle(), 'settled 0');
  t.is(await bind(ada, password, '192.0.2.2'), 'judged 0', 'another address');
  t.is(await bind(ada.toUpperCase()), 'judged 0', 'another spelling');
  t.is(await bind(ada, `${password} `), 'judged 49');
  t.is(await bind(person('alan'), password), 'judged 49', 'another’s');
  t.is(await bind(), 'settled 0');
  const again = house.connect('ldaps', { address: '192.0.2.1' });
  await again.bind(ada, password);
  t.is(again.connection.identity.dn, ada);
  t.is(again.connection.identity.strength, 'ownPassword');
  await again.bind(ada, 'wrong');
  t.is(again.connection.identity.dn, undefined);
});

test('a bind is known by its whole HMAC, not by the number that it is found by', async (t) => {
  const { house, bind, change, settle } = await open(t);
  const key = new Uint8Array(32).fill(7);
  Object.assign(house.engine, { settled: createSettledBinds(key, 100) });
  const numbers = new Map<number, string>();
  const numberOf = (secret: string) =>
    Buffer.from(hmacSha256(key, ['ldaps', '192.0.2.1', true, true, ada.length, ada, secret].join('\0'))).readUInt32LE() & 0x3fffffff;
  const twins = () => {
    for (let at = 0; ; at++) {
      const secret = `a secret of ada, ${at}`;
      const other = numbers.get(numberOf(secret));
      if (other !== undefined) return [secret, other] as const;
      numbers.set(numberOf(secret), secret);
    }
  };
  const [own, other] = twins();
  await change(ada, 'userPassword', own);
  t.is(await settle(ada, own), 'settled 0');
  t.is(await bind(ada, other), 'judged 49');
});

test('the very next bind after a change of what it rests on is judged: the entry, groups, rules, policies, settings, limits', async (t) => {
  const limits = { 'security.rateLimitPerIdentity': 20, 'security.rateLimitPerAddress': 1000 };
  const { house, bind, change, settle } = await open(t, { countsAttempts: true, ...limits });
  const operator = house.operator();
  await settle();
  await change(ada, 'description', 'another');
  t.is(await bind(), 'judged 0', 'the entry');
  t.is(await bind(), 'settled 0');
  await change(person('alan'), 'description', 'another');
  t.is(await bind(), 'settled 0', 'another’s entry is nothing to it');

  await change(ada, 'pwdAccountLockedTime', '000001010000Z');
  t.is(await bind(), 'judged 49', 'disabled');
  await change(ada, 'pwdAccountLockedTime');
  await settle();
  await change(ada, 'userPassword', 'another');
  t.is(await bind(), 'judged 49', 'another password');
  await change(ada, 'userPassword', password);
  await settle();
  await change(ada, 'stsTotpCredential', createApp().credential);
  t.is(await bind(), 'judged 49', 'a second factor is held');
  await change(ada, 'stsTotpCredential');
  await settle();

  await operator.add(`ou=authnPolicies,${suffix}`, { objectClass: 'organizationalUnit', ou: 'authnPolicies' });
  const policy = `cn=default,ou=authnPolicies,${suffix}`;
  await operator.add(policy, { objectClass: 'stsAuthnPolicy', cn: 'default', stsRequireSecondFactorForAdministrators: 'always' });
  await settle();
  const group = `cn=writers,ou=groups,${suffix}`;
  await operator.add(group, { objectClass: ['groupOfNames', 'stsRoleGroup'], cn: 'writers', stsRole: 'Admin Write', member: ada });
  t.is(await bind(), 'judged 49', 'a role of which a second factor is required');
  await operator.ask({ kind: 'delRequest', entry: group });
  t.is(await settle(), 'settled 0');
  await change(policy, 'stsRequireSecondFactor', 'always');
  t.is(await bind(), 'judged 49', 'the policy');
  await operator.ask({ kind: 'delRequest', entry: policy });
  t.is(await settle(), 'settled 0');

  const { settings } = house.engine as { settings: { 'authn.passwordAloneDoors': readonly string[] } };
  settings['authn.passwordAloneDoors'] = ['ldap'];
  t.is(await bind(), 'judged 0', 'a setting');
  t.is(await bind(), 'settled 0');
  for (let at = 0; at < 20; at++) await bind(ada, 'wrong');
  t.is(await bind(), 'judged 53', 'limits of failed attempts');
});

test('time ends it: what is known of the hash, the account, the password; and a clock that was set back', async (t) => {
  const { house, bind, change, settle } = await open(t, { 'security.verifiedBindsS': 60 });
  await bind();
  house.clock.moveMs(30_000);
  t.is(await bind(), 'settled 0');
  house.clock.moveMs(30_000);
  t.is(await bind(), 'judged 0', 'sixty seconds from the hash on, not from the last bind');
  const at = (ms: number) => `${new Date(house.clock.nowMs() + ms).toISOString().replace(/[-:T]|\.\d+/g, '')}`;
  await change(ada, 'stsValidUntil', at(20_000));
  t.is(await settle(), 'settled 0');
  house.clock.moveMs(20_000);
  t.is(await bind(), 'judged 49', 'stsValidUntil');
  await change(ada, 'stsValidUntil');
  t.is(await settle(), 'settled 0');
  house.clock.moveMs(-1000);
  t.is(await bind(), 'judged 0');
});

test('rules of access: who may no longer sign in is refused by the very next bind, whichever way the rule went', async (t) => {
  const { house, bind, change, settle } = await open(t);
  const operator = house.operator();
  await settle();
  await operator.add(`ou=accessRules,${suffix}`, { objectClass: 'organizationalUnit', ou: 'accessRules' });
  const rule = `cn=shut,ou=accessRules,${suffix}`;
  const shut = { objectClass: 'stsAccessRule', cn: 'shut', stsRuleOrder: '1', stsRuleEffect: 'deny', stsRuleWho: 'anyone' };
  const added = await operator.add(rule, { ...shut, stsRuleTarget: `entry:${ada}`, stsRuleRight: 'auth' });
  t.is(added.code, 0, added.result.diagnostic);
  t.is(await bind(), 'judged 49');
  await change(rule, 'stsRuleTarget', `entry:${person('alan')}`);
  t.is(await settle(), 'settled 0');
  await change(rule, 'stsRuleTarget', `entry:${ada}`);
  t.is(await bind(), 'judged 49', 'the rule is of them again');
});

test('a password policy: one that comes into force is asked by the very next bind, and a password that has expired meanwhile is refused', async (t) => {
  const dayMs = 86_400_000;
  const longest = { passwordStanding: builtInPasswordPolicy, 'security.verifiedBindsS': 3600 };
  const { house, bind, change, settle } = await open(t, longest);
  const operator = house.operator();
  const own = 'Correct-horse-7';
  await change(ada, 'userPassword', own);
  t.is(await settle(ada, own), 'settled 0');
  house.clock.moveMs(dayMs);
  t.is(await settle(ada, own), 'settled 0');
  await operator.add(`ou=passwordPolicies,${suffix}`, { objectClass: 'organizationalUnit', ou: 'passwordPolicies' });
  const policy = `cn=default,ou=passwordPolicies,${suffix}`;
  const added = await operator.add(policy, { objectClass: 'stsPasswordPolicy', cn: 'default', pwdMaxAge: '86460' });
  t.is(added.code, 0, added.result.diagnostic);
  t.is(await bind(ada, own), 'judged 0', 'the policy is another');
  t.is(await bind(ada, own), 'settled 0');
  house.clock.moveMs(60_000);
  t.is(await bind(ada, own), 'judged 49', 'it expired with nothing written');
  await change(policy, 'pwdMaxAge', '172800');
  t.is(await settle(ada, own), 'settled 0');
  await change(policy, 'pwdMaxAge', '86400');
  t.is(await bind(ada, own), 'judged 49', 'a policy that was made stricter');
});

test('a realm that is being removed refuses the very next bind', async (t) => {
  const { house, bind, change, settle } = await open(t);
  const operator = house.operator();
  await operator.add(`ou=realms,${suffix}`, { objectClass: 'organizationalUnit', ou: 'realms' });
  const realm = `cn=acme,ou=realms,${suffix}`;
  await operator.add(realm, { objectClass: 'stsRealmEntry', cn: 'acme', stsRealmId: 'acme' });
  const someone = 'uid=admin,ou=people,o=acme';
  await change(someone, 'userPassword', password);
  t.is(await settle(someone), 'settled 0');
  await change(realm, 'stsRealmState', 'removing');
  t.is(await bind(someone), 'judged 53');
});

test('a connection that one’s own password has opened stays when it is changed, and ends for who is disabled', async (t) => {
  const { house, change } = await open(t);
  const client = house.connect('ldaps');
  t.is((await client.bind(ada, password)).code, 0);
  await change(ada, 'userPassword', 'another');
  t.is((await client.search(ada, '(uid=ada)')).dns.length, 1);
  await change(ada, 'pwdAccountLockedTime', '000001010000Z');
  t.is((await client.search(ada, '(uid=ada)')).code, 53);
});

test('app passwords: their use is written down, and the very next bind after their end is refused', async (t) => {
  const { house, bind, settle } = await open(t, { 'security.verifiedBindsS': 3600, 'appPasswords.lastUseGranularityS': 60 });
  const operator = house.operator();
  const expiresMs = house.clock.nowMs() + 600_000;
  const { value, id } = await appPasswordOf(operator, ada, { networks: ['192.0.2.0/24'], expiresMs });
  await bind(ada, value);
  t.is(await settle(ada, value), 'settled 0');
  house.clock.moveMs(60_000);
  t.is(await bind(ada, value), 'judged 0', 'its last use is written');
  t.is(await settle(ada, value), 'settled 0');
  t.is(await bind(ada, value, '198.51.100.1'), 'judged 49', 'from another network');
  await revoke(operator, ada, id);
  t.is(await bind(ada, value), 'judged 49', 'revoked');
  const short = await appPasswordOf(operator, ada, { expiresMs: house.clock.nowMs() + 30_000 });
  await bind(ada, short.value);
  t.is(await settle(ada, short.value), 'settled 0');
  house.clock.moveMs(30_000);
  t.is(await bind(ada, short.value), 'judged 49', 'expired');
});

test('security.repeatedBindsRowS: binds that are let in again share a row that says how many they were; 0 is a row for each', async (t) => {
  const { house, settle, bind } = await open(t);
  await settle();
  for (let at = 0; at < 6; at++) await bind();
  const last = () => house.audited.filter(({ action }) => action === 'ldap.bind').at(-1);
  house.engine.repeats.flush();
  t.regex(last()?.summary ?? '', /^bind as uid=ada,\S+, 7 times since \d{4}-/);
  t.like(last(), { subject: ada, outcome: 'success', door: 'ldaps', address: '192.0.2.1', realm: 'default' });
  const rows = house.audited.length;
  house.engine.repeats.flush();
  t.is(house.audited.length, rows, 'nothing is told twice');
});

test('repeats are counted for their time, and told of one by one where it is none', (t) => {
  const told: string[] = [];
  let gatherMs = 0;
  const clock = { nowMs: () => 0 };
  const repeats = createRepeats({ record: ({ summary }) => told.push(summary), clock, gatherMs: () => gatherMs });
  const event = { realm: 'r', door: 'd', subject: 's', action: 'a', outcome: 'success', correlationId: '', address: '' } as const;
  const one = repeats.of({ ...event, summary: 'one' });
  one.again('1');
  one.again('2');
  t.deepEqual(told, ['one', 'one']);
  gatherMs = 60_000;
  const two = repeats.of({ ...event, summary: 'two' });
  for (const each of [one, two, one]) each.again('3');
  t.is(told.length, 2);
  repeats.flush();
  t.deepEqual(told.slice(2), ['one, 2 times since 1970-01-01T00:00:00.000Z', 'two']);
  one.again('4');
  repeats.flush();
  t.is(told.at(-1), 'one');
});
