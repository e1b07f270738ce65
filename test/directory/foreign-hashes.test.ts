import { createHash } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { text, utf8 } from '#base';
import { decodeAttributes } from '#ldap';
import { furnishedHouse, type House, hasher, person } from './driver.ts';

// Drepper's: 'Hello world!'.
const crypt = '{CRYPT}$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1';
const ssha = (password: string) => {
  const digest = createHash('sha1').update(password).update('salt').digest();
  return `{SSHA}${Buffer.concat([digest, utf8('salt')]).toString('base64')}`;
};

const smd5 = (password: string) => {
  const digest = createHash('md5').update(password).update('salt').digest();
  return `{SMD5}${Buffer.concat([digest, utf8('salt')]).toString('base64')}`;
};

function entryOf({ engine }: House, uid: string) {
  const snapshot = engine.store.snapshot();
  const entry = snapshot.byId(snapshot.idsEqual('uid', utf8(uid), 2)[0] ?? 0);
  if (entry === undefined) throw new Error(`${uid} is not there`);
  const values = (part: Uint8Array, name: string) =>
    decodeAttributes(part)
      .find(({ description }) => description.toLowerCase() === name.toLowerCase())
      ?.values.map((value) => text(value));
  return {
    csn: entry.csn,
    hash: values(entry.secret, 'userPassword')?.[0],
    verifiers: values(entry.secret, 'stsScramVerifier') ?? [],
    modified: [values(entry.operational, 'modifyTimestamp')?.[0], values(entry.operational, 'modifiersName')?.[0]],
  };
}

async function withHash(t: ExecutionContext, hash: string, given: Parameters<typeof furnishedHouse>[1] = {}): Promise<House> {
  const house = await furnishedHouse(t, given);
  t.is((await house.operator().modify(person('alan'), ['replace', 'userPassword', hash])).code, 0);
  house.audited.length = 0;
  house.clock.moveMs(60_000);
  return house;
}

const renewals = ({ audited }: House) => audited.filter(({ action }) => action === 'directory.renewHash');

for (const [title, hash, password] of [
  ['{SSHA}', ssha('horse'), 'horse'],
  ['{CRYPT}', crypt, 'Hello world!'],
  // Only an import, and the operators' socket, bring these.
  ['{SMD5}', smd5('horse'), 'horse'],
] as const) {
  test(`${title}: the first right password puts a scrypt hash in its place, and the audit trail says so`, async (t) => {
    const house = await withHash(t, hash);
    const before = entryOf(house, 'alan');
    t.is((await house.connect().bind(person('alan'), `${password}?`)).code, 49);
    t.deepEqual(entryOf(house, 'alan'), before);
    t.deepEqual(renewals(house), []);

    t.is((await house.connect().bind(person('alan'), password)).code, 0);
    const after = entryOf(house, 'alan');
    t.true(after.hash?.startsWith('{SCRYPT}ln=14,'));
    t.not(after.csn, before.csn);
    t.deepEqual(after.modified, before.modified, 'nobody has changed the entry');
    const [row, ...more] = renewals(house);
    t.deepEqual(more, []);
    t.is(row?.outcome, 'success');
    t.is(row?.summary, `the password of ${person('alan')} is kept as {SCRYPT} from now on, no longer as ${title}`);

    t.is((await house.connect().bind(person('alan'), password)).code, 0);
    t.is((await house.connect().bind(person('alan'), `${password}?`)).code, 49);
    t.is(entryOf(house, 'alan').hash, after.hash);
    t.is(renewals(house).length, 1);
  });
}

test('security.renewForeignHashes off: people sign in, and their entries stay as they were imported', async (t) => {
  const house = await withHash(t, crypt, { 'security.renewForeignHashes': false });
  const before = entryOf(house, 'alan');
  t.is((await house.connect().bind(person('alan'), 'Hello world!')).code, 0);
  t.deepEqual(entryOf(house, 'alan'), before);
});

test('a refused sign-in renews nothing, though the password is right: disabled, or to be changed', async (t) => {
  const house = await withHash(t, ssha('horse'));
  t.is((await house.operator().modify(person('alan'), ['replace', 'pwdReset', 'TRUE'])).code, 0);
  const before = entryOf(house, 'alan');
  t.is((await house.connect().bind(person('alan'), 'horse')).code, 49);
  t.is((await house.operator().modify(person('alan'), ['replace', 'pwdAccountLockedTime', '000001010000Z'])).code, 0);
  t.is((await house.connect().bind(person('alan'), 'horse')).code, 49);
  t.is(entryOf(house, 'alan').hash, before.hash);
});

test('a renewal needs the entry as it was read: who was faster wins, and the sign-in is right all the same', async (t) => {
  const house = await withHash(t, ssha('horse'));
  let faster = 0;
  const { verify } = hasher;
  const slow: typeof hasher = {
    ...hasher,
    load: hasher.load,
    verify: async (...given) => {
      const verified = await verify(...given);
      if (verified.renewed !== undefined) {
        faster++;
        t.is((await house.operator().modify(person('alan'), ['replace', 'userPassword', ssha('donkey')])).code, 0);
      }
      return verified;
    },
  };
  Object.assign(house.engine, { hasher: slow });
  t.is((await house.connect().bind(person('alan'), 'horse')).code, 0);
  t.is(faster, 1);
  t.is(entryOf(house, 'alan').hash, ssha('donkey'));
  t.deepEqual(renewals(house), []);
});

test('many sign in at once with one hash of another system: all succeed, and it is renewed once', async (t) => {
  const house = await withHash(t, ssha('horse'));
  const binds = await Promise.all(Array.from({ length: 8 }, () => house.connect().bind(person('alan'), 'horse')));
  t.deepEqual(new Set(binds.map(({ code }) => code)), new Set([0]));
  t.is(renewals(house).length, 1);
});

test('where the password policy has verifiers written, the first sign-in writes them, too', async (t) => {
  const house = await withHash(t, ssha('horse'));
  const policies = 'ou=passwordPolicies,dc=example,dc=com';
  t.is((await house.operator().add(policies, { objectClass: 'organizationalUnit', ou: 'passwordPolicies' })).code, 0);
  const wanted = { objectClass: 'stsPasswordPolicy', cn: 'default', stsScramMechanism: 'SCRAM-SHA-256' };
  const policy = await house.operator().add(`cn=default,${policies}`, wanted);
  t.is(policy.code, 0, policy.result.diagnostic);
  t.is((await house.connect().bind(person('alan'), 'horse')).code, 0);
  t.is(entryOf(house, 'alan').verifiers.length, 1);
});

test('a person may not bring a hash, and an administrator none of a scheme or of a cost that is not judged', async (t) => {
  const house = await furnishedHouse(t);
  const asked = (hash: string) => house.operator().modify(person('alan'), ['replace', 'userPassword', hash]);
  t.is((await asked('{NS-MTA-MD5}Ri0Tbs3hHbfI3M7hZZuJGw==')).code, 19);
  t.is((await asked('{SSHA}short')).code, 19);
  const dear = await asked(`{CRYPT}$6$rounds=1000001$salt$${'.'.repeat(86)}`);
  t.is(dear.code, 19);
  t.is(dear.result.diagnostic, 'userPassword: the hash asks for more work than keys.foreignRoundsMax or keys.hashCostMaxMiB allows');

  const ada = house.connect();
  t.is((await ada.bind(person('ada'), 'lovelace')).code, 0);
  t.not((await ada.modify(person('ada'), ['replace', 'userPassword', ssha('mine')])).code, 0);
});
