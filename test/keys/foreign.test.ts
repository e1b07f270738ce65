import { execFileSync } from 'node:child_process';
import { createHash, pbkdf2Sync } from 'node:crypto';
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import test from 'ava';
import fc from 'fast-check';
import { systemChance, utf8 } from '#base';
import { createHasher, keysErrors, parseForeign, parseHash } from '#keys';
import { holds } from '../support/holds.ts';
import { withPrograms } from '../support/programs.ts';

const cost = { logN: 14, r: 8, p: 1 };
const roundsMax = 1_000_000;
const bounds = { foreignRoundsMax: roundsMax, costMaxOctets: 64 * 2 ** 20 };
const hasher = createHasher({ cores: 2, queueMax: 64, costMaxMiB: 64, foreignRoundsMax: roundsMax, chance: systemChance });

// Ulrich Drepper, "Unix crypt using SHA-256 and SHA-512", the tests of its appendix: as they are, but that what is stored has its salt cut and its rounds raised.
const vectors: readonly [password: string, stored: string][] = [
  ['Hello world!', '$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5'],
  ['Hello world!', '$5$rounds=10000$saltstringsaltst$3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA'],
  ['This is just a test', '$5$rounds=5000$toolongsaltstrin$Un/5jzAHMgOGZ5.mWJpuVolil07guHPvOW8mGRcvxa5'],
  [
    'a very much longer text to encrypt.  This one even stretches over morethan one line.',
    '$5$rounds=1400$anotherlongsalts$Rx.j8H.h8HjEDGomFU8bDkXm3XIUnzyxf12oP84Bnq1',
  ],
  ['we have a short salt string but not a short password', '$5$rounds=77777$short$JiO1O3ZpDAxGJeaDIuqCoEFysAe1mZNJRs3pw0KQRd/'],
  ['a short string', '$5$rounds=123456$asaltof16chars..$gP3VQ/6X7UUEW3HkBn2w1/Ptq2jxPyzV/cZKmF/wJvD'],
  ['the minimum number is still observed', '$5$rounds=1000$roundstoolow$yfvwcWrQ8l/K0DAWyuPMDNHpIVlTQebY9l/gL972bIC'],
  ['Hello world!', '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1'],
  [
    'Hello world!',
    '$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.',
  ],
  [
    'This is just a test',
    '$6$rounds=5000$toolongsaltstrin$lQ8jolhgVRVhY4b5pZKaysCLi0QBxGoNeKQzQ3glMhwllF7oGDZxUhx1yxdYcz/e1JSbq3y6JMxxl8audkUEm0',
  ],
  [
    'a very much longer text to encrypt.  This one even stretches over morethan one line.',
    '$6$rounds=1400$anotherlongsalts$POfYwTEok97VWcjxIiSOjiykti.o/pQs.wPvMxQ6Fm7I6IoYN3CmLs66x9t0oSwbtEW7o7UmJEiDwGqd8p4ur1',
  ],
  [
    'we have a short salt string but not a short password',
    '$6$rounds=77777$short$WuQyW2YR.hBNpjjRhpYD/ifIw05xdfeEyQoMxIXbkvr0gge1a1x3yRULJ5CCaUeOxFmtlcGZelFl5CxtgfiAc0',
  ],
  [
    'a short string',
    '$6$rounds=123456$asaltof16chars..$BtCwjqMJGx5hrJhZywWvt0RLE8uZ4oPwcelCjmw2kSYu.Ec6ycULevoBK25fs2xXgMNrCzIMVcgEJAstJeonj1',
  ],
  [
    'the minimum number is still observed',
    '$6$rounds=1000$roundstoolow$kUMsbe306n21p9R.FRkW3IGn.S9NPN0x50YhH1xhLsPuWGsUSklZt58jaTfF4ZEQpyUNGc0dqbpBYYBaHHrsX.',
  ],
];
for (const [password, stored] of vectors) {
  test(`Drepper’s SHA-crypt: “${password}” is that of ${stored.slice(0, 32)}…, and nothing else is`, async (t) => {
    t.true((await hasher.verify(utf8(password), `{CRYPT}${stored}`, cost)).matches);
    t.deepEqual(await hasher.verify(utf8(`${password} `), `{CRYPT}${stored}`, cost), { matches: false });
  });
}

const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64').replace(/=+$/, '');
const published: readonly [source: string, password: string, stored: string][] = [
  // crypt_blowfish 1.3, wrapper.c: `tests`.
  ['bcrypt $2a$', 'U*U', '{CRYPT}$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['bcrypt $2a$', 'U*U*', '{CRYPT}$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK'],
  ['bcrypt $2a$', 'U*U*U', '{CRYPT}$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a'],
  // The reference implementation of Argon2, src/test.c, version 0x13.
  [
    'Argon2i',
    'password',
    `{ARGON2}$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$${base64('89e9029f4637b295beb027056a7336c414fadd43f6b208645281cb214a56452f')}`,
  ],
  [
    'Argon2i',
    'password',
    `{ARGON2}$argon2i$v=19$m=256,t=2,p=2$c29tZXNhbHQ$${base64('4ff5ce2769a1d7f4c8a491df09d41a9fbe90e5eb02155a13e4c01e20cd4eab61')}`,
  ],
  [
    'Argon2id',
    'password',
    `{ARGON2}$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$${base64('9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe')}`,
  ],
];
for (const [source, password, stored] of published) {
  test(`${source}: “${password}” is that of ${stored.slice(0, 40)}…, and nothing else is`, async (t) => {
    const { matches, renewed } = await hasher.verify(utf8(password), stored, cost);
    t.true(matches);
    t.is(parseHash(renewed ?? '', 2 ** 30).kind, 'hash');
    for (const other of [`${password} `, password.slice(1), ''])
      t.deepEqual(await hasher.verify(utf8(other), stored, cost), { matches: false });
  });
}

test('octets that are no text are no password of a bcrypt hash, and neither is one of more than 511 octets', async (t) => {
  const [[, , stored] = ['', '', '']] = published;
  for (const password of [Uint8Array.of(0x55, 0xff, 0x55), utf8('U*U'.repeat(10_000))])
    t.deepEqual(await hasher.verify(password, stored, cost), { matches: false });
});

const salt = utf8('pepper');
const salted = (name: string, password: string, with_: Uint8Array) => {
  const digest = createHash(name).update(password).update(with_).digest();
  return Buffer.concat([digest, with_]).toString('base64');
};
const empty = new Uint8Array(0);
const old389 = () => {
  const octets = Buffer.alloc(4 + 64 + 256);
  octets.writeUInt32BE(10_000);
  octets.fill(0x5a, 4, 68);
  pbkdf2Sync('horse', octets.subarray(4, 68), 10_000, 256, 'sha256').copy(octets, 68);
  return octets.toString('base64');
};
const pbkdf2 = (hash: string, length: number, ab64: boolean) => {
  const octets = [salt, pbkdf2Sync('horse', salt, 20_000, length, hash)].map((each) => Buffer.from(each).toString('base64'));
  const [s, k] = ab64 ? octets.map((each) => each.replaceAll('+', '.').replace(/=+$/, '')) : octets;
  return `20000$${s}$${k}`;
};
const others: readonly [title: string, stored: string][] = [
  ['{MD5}', `{MD5}${salted('md5', 'horse', empty)}`],
  ['{SMD5}', `{SMD5}${salted('md5', 'horse', salt)}`],
  ['{SHA}', `{SHA}${salted('sha1', 'horse', empty)}`],
  ['{SSHA}', `{SSHA}${salted('sha1', 'horse', salt)}`],
  ['{ssha} in small letters', `{ssha}${salted('sha1', 'horse', salt)}`],
  ['{SSHA} without what fills base64 up', `{SSHA}${salted('sha1', 'horse', salt).replace(/=+$/, '')}`],
  ['{SHA256}', `{SHA256}${salted('sha256', 'horse', empty)}`],
  ['{SSHA256}', `{SSHA256}${salted('sha256', 'horse', salt)}`],
  ['{SHA384}', `{SHA384}${salted('sha384', 'horse', empty)}`],
  ['{SSHA384}', `{SSHA384}${salted('sha384', 'horse', salt)}`],
  ['{SHA512}', `{SHA512}${salted('sha512', 'horse', empty)}`],
  ['{SSHA512}', `{SSHA512}${salted('sha512', 'horse', salt)}`],
  ['{PBKDF2-SHA512} as 389 Directory Server writes it', `{PBKDF2-SHA512}${pbkdf2('sha512', 64, false)}`],
  ['{PBKDF2-SHA256} in passlib’s base64, as OpenLDAP writes it', `{PBKDF2-SHA256}${pbkdf2('sha256', 32, true)}`],
  ['{PBKDF2} with SHA-1', `{PBKDF2}${pbkdf2('sha1', 20, true)}`],
  ['{PBKDF2_SHA256}, the older one of 389 Directory Server', `{PBKDF2_SHA256}${old389()}`],
];
for (const [title, stored] of others) {
  test(`${title}: the right password matches and gives a scrypt hash of itself, another one does not`, async (t) => {
    const { matches, renewed } = await hasher.verify(utf8('horse'), stored, cost);
    t.true(matches);
    t.is(parseHash(renewed ?? '', 2 ** 30).kind, 'hash');
    t.deepEqual(await hasher.verify(utf8('horse'), renewed, cost), { matches: true });
    t.deepEqual(await hasher.verify(utf8('Horse'), stored, cost), { matches: false });
    t.deepEqual(await hasher.verify(utf8(''), stored, cost), { matches: false });
  });
}

withPrograms(test, 'openssl')(
  '`openssl passwd -6` and `-5` make what is judged here: passwords of every length, salts of every length',
  async (t) => {
    for (const length of [1, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255]) {
      for (const kind of ['-5', '-6']) {
        const password = 'äb-Z'.repeat(64).slice(0, length);
        const made = execFileSync('openssl', ['passwd', kind, '-salt', 'abcdefghijklmnop'.slice(0, (length % 16) + 1), '-stdin'], {
          input: `${password}\n`,
          encoding: 'utf8',
        }).trim();
        // openssl cuts what it reads at 256 octets.
        t.is(
          (await hasher.verify(utf8(password), `{CRYPT}${made}`, cost)).matches,
          Buffer.byteLength(password) <= 256,
          `${kind} ${length}`,
        );
      }
    }
  },
);

const refused: readonly [title: string, stored: string, kind: ReturnType<typeof parseForeign>['kind']][] = [
  ['a scheme that is not in the table', '{NS-MTA-MD5}Ri0Tbs3hHbfI3M7hZZuJGw==', 'unknown'],
  ['crypt(3) with MD5', '{CRYPT}$1$saltstri$YMyguxXMBpd2TEZ.vS/3q1', 'unknown'],
  ['crypt(3) with yescrypt', '{CRYPT}$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7', 'unknown'],
  ['bcrypt with the fault of its first versions', `{CRYPT}$2x$05$${'A'.repeat(53)}`, 'unknown'],
  ['bcrypt of a cost that it does not have', `{CRYPT}$2b$03$${'A'.repeat(53)}`, 'undecodable'],
  ['bcrypt that is cut', `{CRYPT}$2b$10$${'A'.repeat(52)}`, 'undecodable'],
  ['bcrypt at cost 13', `{CRYPT}$2b$13$${'A'.repeat(53)}`, 'hash'],
  ['bcrypt at cost 14, which is more than a million rounds of another', `{CRYPT}$2b$14$${'A'.repeat(53)}`, 'uncomputable'],
  ['scrypt of crypt(3), 16 MiB', `{CRYPT}$7$CU..../....salt$${'A'.repeat(43)}`, 'hash'],
  ['scrypt of crypt(3) that asks for more than may be spent', `{CRYPT}$7$IU..../....salt$${'A'.repeat(43)}`, 'uncomputable'],
  ['scrypt of crypt(3) with no block', `{CRYPT}$7$C...../....salt$${'A'.repeat(43)}`, 'uncomputable'],
  ['scrypt of crypt(3) with a million lanes', `{CRYPT}$7$CU....zzz..salt$${'A'.repeat(43)}`, 'uncomputable'],
  ['Argon2 of the most that may be spent', `{ARGON2}$argon2id$v=19$m=32768,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`, 'hash'],
  ['Argon2 of more passes', `{ARGON2}$argon2id$v=19$m=32768,t=3,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`, 'uncomputable'],
  ['Argon2 of more memory', `{ARGON2}$argon2id$v=19$m=4194304,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`, 'uncomputable'],
  ['Argon2 with more lanes than memory', `{ARGON2}$argon2id$v=19$m=16,t=1,p=4$${'A'.repeat(22)}$${'A'.repeat(43)}`, 'undecodable'],
  ['Argon2 of before its RFC', `{ARGON2}$argon2i$m=256,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`, 'undecodable'],
  ['Argon2 with a key that many passwords would match', `{ARGON2}$argon2id$v=19$m=256,t=2,p=1$${'A'.repeat(22)}$AAAA`, 'undecodable'],
  ['SHA-512 where 389 Directory Server says SHA-256', `{CRYPT-SHA256}$6$salt$${'.'.repeat(86)}`, 'undecodable'],
  ['crypt(3) with DES', '{CRYPT}AxTdjVtckZ0Rs', 'unknown'],
  ['a digest that is too short', '{SSHA}c2hvcnQ=', 'undecodable'],
  ['{SSHA} without a salt', `{SSHA}${salted('sha1', 'x', empty)}`, 'undecodable'],
  ['{SHA} with one', `{SHA}${salted('sha1', 'x', salt)}`, 'undecodable'],
  ['what is not base64', '{SSHA}!!!!', 'undecodable'],
  ['fewer rounds than what makes hashes would write', `{CRYPT}$6$rounds=999$salt$${'.'.repeat(86)}`, 'undecodable'],
  ['rounds with a zero in front', `{CRYPT}$6$rounds=05000$salt$${'.'.repeat(86)}`, 'undecodable'],
  ['a salt that is too long', `{CRYPT}$6$seventeen-letters$${'.'.repeat(86)}`, 'undecodable'],
  ['a digest of SHA-256 where SHA-512 is said', `{CRYPT}$6$salt$${'.'.repeat(43)}`, 'undecodable'],
  ['more rounds than may be spent', `{CRYPT}$6$rounds=${roundsMax + 1}$salt$${'.'.repeat(86)}`, 'uncomputable'],
  ['as many rounds as may be spent', `{CRYPT}$6$rounds=${roundsMax}$salt$${'.'.repeat(86)}`, 'hash'],
  ['more iterations than may be spent', `{PBKDF2-SHA512}4000000000$c2FsdA$${'A'.repeat(86)}`, 'uncomputable'],
  ['a key of several digests, each of which is computed by itself', `{PBKDF2-SHA1}900000$c2FsdA$${'A'.repeat(86)}`, 'uncomputable'],
  ['a key that many passwords would match', '{PBKDF2-SHA512}1000$c2FsdA$AAAA', 'undecodable'],
  ['one of a size that no server writes', `{SSHA}${'A'.repeat(4096)}`, 'unknown'],
];
for (const [title, stored, kind] of refused) {
  test(`a hash of another system, ${title}: ${kind}`, (t) => {
    t.is(parseForeign(stored, bounds).kind, kind);
  });
}

test('STS-KEYS-0005: a hash of another system that asks for more rounds than keys.foreignRoundsMax is no match', async (t) => {
  const given = `{CRYPT}$6$rounds=${roundsMax + 1}$salt$${'.'.repeat(86)}`;
  t.deepEqual(await hasher.verify(utf8('x'), given, cost), { matches: false, fault: keysErrors.hashUncomputable });
  t.deepEqual(await hasher.verify(utf8('x'), '{NS-MTA-MD5}xxxx', cost), { matches: false, fault: keysErrors.hashUndecodable });
});

test('a password of more than 511 octets matches no {CRYPT}: the work would grow with the square of its length', async (t) => {
  const [, stored] = vectors[7] as readonly [string, string];
  t.deepEqual(await hasher.verify(utf8('x'.repeat(1_000_000)), `{CRYPT}${stored}`, cost), { matches: false });
});

test('a password with a NUL octet matches nothing, of no system: its scrypt hash could not be told from one without', async (t) => {
  const stored = `{SSHA}${salted('sha1', 'horse\0', salt)}`;
  t.deepEqual(await hasher.verify(utf8('horse\0'), stored, cost), { matches: false });
});

// Serial, so that the thread that begins meanwhile is the one of this test.
test.serial('a hash of another system has one place in the queue, and is judged beside the loop: others sign in meanwhile', async (t) => {
  const rounds = 999_999_999;
  const narrow = createHasher({ cores: 2, queueMax: 64, costMaxMiB: 64, foreignRoundsMax: rounds, chance: systemChance });
  const begun = once(process, 'worker') as Promise<[Worker]>;
  // An hour of hashes, which nobody waits for.
  const long = narrow.verify(utf8('x'), `{CRYPT}$6$rounds=${rounds}$salt$${'.'.repeat(86)}`, cost);
  t.deepEqual(narrow.load, { running: 1, waiting: 0 });
  for (let time = 0; time < 2; time++) t.false((await narrow.verify(utf8('x'), undefined, cost)).matches);
  t.deepEqual(narrow.load, { running: 1, waiting: 0 }, 'it goes on, and the others are done');
  const ended = t.throwsAsync(long, { message: 'a thread that judges hashes has ended' });
  await (await begun)[0].terminate();
  await ended;
  t.deepEqual(narrow.load, { running: 0, waiting: 0 }, 'its place is free again');
});

test('the scrypt hash that would take its place is computed whether the password is right or wrong: the work tells nothing', async (t) => {
  let salts = 0;
  const chance = {
    octets: (count: number) => {
      salts++;
      return systemChance.octets(count);
    },
  };
  const counting = createHasher({ cores: 2, queueMax: 64, costMaxMiB: 64, foreignRoundsMax: roundsMax, chance });
  const stored = `{SSHA}${salted('sha1', 'horse', salt)}`;
  t.true((await counting.verify(utf8('horse'), stored, cost)).matches);
  t.is(salts, 1);
  t.false((await counting.verify(utf8('donkey'), stored, cost)).matches);
  t.is(salts, 2);
});

test('whatever text stands where a hash should: it is read or not, and never throws', (t) => {
  const schemes = [
    '{SSHA}',
    '{CRYPT}',
    '{CRYPT}$6$',
    '{CRYPT}$2b$',
    '{CRYPT}$7$',
    '{ARGON2}$argon2id$v=19$',
    '{SMD5}',
    '{PBKDF2-SHA512}',
    '{PBKDF2_SHA256}',
    '{SHA}',
    '',
  ];
  holds(
    t,
    fc.property(fc.constantFrom(...schemes), fc.oneof(fc.string(), fc.base64String(), fc.string({ unit: 'binary' })), (scheme, rest) => {
      const { kind } = parseForeign(scheme + rest, bounds);
      return ['hash', 'undecodable', 'uncomputable', 'unknown'].includes(kind);
    }),
    { numRuns: 500 },
  );
});
