import test from 'ava';
import { systemChance, utf8 } from '#base';
import { Refusal } from '#catalogue';
import { computeScrypt, createHasher, keysErrors, parseHash } from '#keys';

const cost = { logN: 14, r: 8, p: 1 };
const make = (options: { cores?: number; queueMax?: number } = {}) =>
  createHasher({ cores: 2, queueMax: 64, costMaxMiB: 64, foreignRoundsMax: 1_000_000, chance: systemChance, ...options });

// RFC 7914 §12. Its fourth vector takes 1 GiB of memory and is left to those who have it to spare.
const vectors = [
  {
    password: '',
    salt: '',
    logN: 4,
    r: 1,
    p: 1,
    key: '77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906',
  },
  {
    password: 'password',
    salt: 'NaCl',
    logN: 10,
    r: 8,
    p: 16,
    key: 'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
  },
  {
    password: 'pleaseletmein',
    salt: 'SodiumChloride',
    logN: 14,
    r: 8,
    p: 1,
    key: '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
  },
];
for (const { password, salt, key, ...asked } of vectors) {
  test(`RFC 7914 §12: scrypt of "${password}" and "${salt}"`, async (t) => {
    t.is(Buffer.from(await computeScrypt(utf8(password), utf8(salt), 64, asked)).toString('hex'), key);
  });
}

test('a password matches its hash and no other password does', async (t) => {
  const hasher = make();
  const stored = await hasher.hash(utf8('correct horse'), cost);
  t.deepEqual(await hasher.verify(utf8('correct horse'), stored, cost), { matches: true });
  t.deepEqual(await hasher.verify(utf8('correct hors'), stored, cost), { matches: false });
  t.deepEqual(await hasher.verify(utf8(''), stored, cost), { matches: false });
});

test('two hashes of one password differ: each has a salt of its own', async (t) => {
  const hasher = make();
  t.not(await hasher.hash(utf8('same'), cost), await hasher.hash(utf8('same'), cost));
});

test('a hash is judged by its own parameters after the setting changed', async (t) => {
  const hasher = make();
  const stored = await hasher.hash(utf8('kept'), { logN: 14, r: 4, p: 2 });
  t.deepEqual(await hasher.verify(utf8('kept'), stored, { logN: 15, r: 8, p: 1 }), { matches: true });
});

test('the default cost, logN 15, is within what Node lets scrypt use', async (t) => {
  const hasher = make();
  const stored = await hasher.hash(utf8('x'), { logN: 15, r: 8, p: 1 });
  t.true((await hasher.verify(utf8('x'), stored, cost)).matches);
});

test('security.passwordHashLogN has a floor of 14', async (t) => {
  await t.throwsAsync(make().hash(utf8('x'), { logN: 13, r: 8, p: 1 }), { message: /logN 14/ });
});

test('STS-KEYS-0004: a stored hash that is not decodable is no match', async (t) => {
  t.deepEqual(await make().verify(utf8('x'), 'x', cost), { matches: false, fault: keysErrors.hashUndecodable });
});

test('STS-KEYS-0005: a stored hash with parameters that cannot be computed is no match', async (t) => {
  const absurd = (await make().hash(utf8('x'), cost)).replace('ln=14', 'ln=30');
  t.is(parseHash(absurd, Number.MAX_SAFE_INTEGER).kind, 'hash');
  t.deepEqual(await make().verify(utf8('x'), absurd, cost), { matches: false, fault: keysErrors.hashUncomputable });
});

test('give no oracle: absent, unreadable and absurd hashes take a place in the queue as a real one does', async (t) => {
  const hasher = make({ cores: 1 });
  const stored = await hasher.hash(utf8('x'), cost);
  for (const given of [stored, undefined, 'unreadable', stored.replace('ln=14', 'ln=30')]) {
    const judged = hasher.verify(utf8('y'), given, cost);
    t.is(hasher.load.running, 1);
    t.false((await judged).matches);
  }
  t.deepEqual(hasher.load, { running: 0, waiting: 0 });
});

test('at most `cores` hashes are computed at once', async (t) => {
  const hasher = make({ cores: 2, queueMax: 8 });
  const all = Array.from({ length: 6 }, async () => {
    await hasher.verify(utf8('x'), undefined, cost);
    t.true(hasher.load.running <= 2);
  });
  t.deepEqual(hasher.load, { running: 2, waiting: 4 });
  await Promise.all(all);
  t.deepEqual(hasher.load, { running: 0, waiting: 0 });
});

test('hashes that wait are served in the order in which they came', async (t) => {
  const hasher = make({ cores: 1, queueMax: 8 });
  const ended: number[] = [];
  await Promise.all([0, 1, 2, 3].map((i) => hasher.verify(utf8('x'), undefined, cost).then(() => ended.push(i))));
  t.deepEqual(ended, [0, 1, 2, 3]);
});

test('STS-KEYS-9001: one hash more than may wait is refused as busy (51), and the next is welcome', async (t) => {
  const hasher = make({ cores: 1, queueMax: 1 });
  const running = hasher.hash(utf8('a'), cost);
  const waiting = hasher.hash(utf8('b'), cost);
  const refusal = await t.throwsAsync(hasher.verify(utf8('c'), undefined, cost), { instanceOf: Refusal });
  t.is(refusal?.row, keysErrors.hashQueueFull);
  t.is(refusal?.row.sees.ldap, 51);
  await Promise.all([running, waiting]);
  t.false((await hasher.verify(utf8('c'), undefined, cost)).matches);
});
