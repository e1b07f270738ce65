import test from 'ava';
import fc from 'fast-check';
import { costOctets, formatHash, isHash, parseHash } from '#keys';
import { holds } from '../support/holds.ts';

const costMax = 512 * 1024 * 1024;
const salt = 'AAECAwQFBgcICQoLDA0ODw';
const key = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';

test('a stored hash shows N, r, p and its salt, and is read back as it was written', (t) => {
  const octets = (min: number, max: number) => fc.uint8Array({ minLength: min, maxLength: max });
  fc.assert(
    fc.property(
      fc.record({
        logN: fc.integer({ min: 1, max: 15 }),
        r: fc.integer({ min: 1, max: 16 }),
        p: fc.integer({ min: 1, max: 4 }),
        salt: octets(8, 64),
        key: octets(16, 64),
      }),
      (hash) => {
        const text = formatHash(hash);
        t.true(text.startsWith(`{SCRYPT}ln=${hash.logN},r=${hash.r},p=${hash.p}$`));
        // RFC 7914 §2: N is less than 2^(128 × r / 8).
        const expected = hash.logN < 16 * hash.r ? { kind: 'hash', hash } : { kind: 'uncomputable' };
        t.deepEqual(parseHash(text, costMax), expected as never);
      },
    ),
  );
});

const undecodable: readonly [title: string, stored: string][] = [
  ['nothing', ''],
  ['a password in clear', 'secret'],
  ['another scheme', '{SSHA}q1X/8tZ0vAUQkdMWbkKiVOcYtIpZrX0F'],
  ['the scheme alone', '{SCRYPT}'],
  ['a missing parameter', `{SCRYPT}ln=15,r=8$${salt}$${key}`],
  ['a parameter that is no number', `{SCRYPT}ln=15,r=eight,p=1$${salt}$${key}`],
  ['a salt that is no base64', `{SCRYPT}ln=15,r=8,p=1$AAEC.wQFBgcICQoLDA0ODw$${key}`],
  ['a salt with stray bits behind its end', `{SCRYPT}ln=15,r=8,p=1$AAECAwQFBgcICQoLDA0ODx$${key}`],
  ['a salt of four octets', `{SCRYPT}ln=15,r=8,p=1$AAECAw$${key}`],
  ['a hash of four octets', `{SCRYPT}ln=15,r=8,p=1$${salt}$AAECAw`],
  ['something behind the hash', `{SCRYPT}ln=15,r=8,p=1$${salt}$${key}$`],
  ['a line break behind the hash', `{SCRYPT}ln=15,r=8,p=1$${salt}$${key}\n`],
];
for (const [title, stored] of undecodable) {
  test(`not decodable: ${title}`, (t) => t.deepEqual(parseHash(stored, costMax), { kind: 'undecodable' }));
}

const uncomputable: readonly [title: string, parameters: string][] = [
  ['N of 1', 'ln=0,r=8,p=1'],
  ['a block size of 0', 'ln=15,r=0,p=1'],
  ['a parallelism of 0', 'ln=15,r=8,p=0'],
  ['N of 2^128r/8, which RFC 7914 §2 excludes', 'ln=16,r=1,p=1'],
  ['a parallelism beyond RFC 7914 §2', 'ln=1,r=1073741824,p=1'],
  ['4 TiB of memory', 'ln=32,r=8,p=1'],
  ['an N beyond every number', 'ln=9999999999,r=999999999,p=1'],
  ['little memory, but used 65,536 times', 'ln=10,r=8,p=65536'],
];
for (const [title, parameters] of uncomputable) {
  test(`not computable: ${title}`, (t) =>
    t.deepEqual(parseHash(`{SCRYPT}${parameters}$${salt}$${key}`, costMax), { kind: 'uncomputable' }));
}

test('the most that a hash may cost is still computed, one octet more is not', (t) => {
  const cost = { logN: 15, r: 8, p: 1 };
  const text = `{SCRYPT}ln=15,r=8,p=1$${salt}$${key}`;
  t.is(costOctets(cost), 32 * 1024 * 1024);
  t.is(parseHash(text, costOctets(cost)).kind, 'hash');
  t.is(parseHash(text, costOctets(cost) - 1).kind, 'uncomputable');
});

test('any text is read without failing', (t) => {
  holds(
    t,
    fc.property(fc.string(), fc.string({ maxLength: 40 }), (anything, tail) => {
      parseHash(anything, costMax);
      parseHash(`{SCRYPT}${anything}`, costMax);
      parseHash(`{SCRYPT}ln=15,r=8,p=1$${tail}$${key}`, costMax);
    }),
  );
});

test('the scheme alone tells a hash from a password in clear, in any case (RFC 2307 §5.3)', (t) => {
  t.true(isHash('{SCRYPT}what follows may be broken'));
  t.true(isHash('{scrypt}ln=15'));
  t.false(isHash('{SCRYPT'));
  t.false(isHash('secret'));
});
