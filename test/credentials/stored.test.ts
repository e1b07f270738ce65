import test from 'ava';
import { systemChance, text, utf8 } from '#base';
import { Refusal } from '#catalogue';
import { type HashesBrought, isStoredPassword, storedPassword } from '#credentials';
import { createHasher } from '#keys';

const smd5 = '{SMD5}Ri0Tbs3hHbfI3M7hZZuJGzEyMzQ=';
const cost = { logN: 14, r: 1, p: 1 };
const hasher = createHasher({ cores: 2, queueMax: 64, costMaxMiB: 64, foreignRoundsMax: 1_000_000, chance: systemChance });

test('a password in clear is kept as a scrypt hash with its parameters and salt', async (t) => {
  const stored = await storedPassword(hasher, cost, utf8('correct horse'), 'none');
  t.regex(text(stored) ?? '', /^\{SCRYPT\}ln=14,r=1,p=1\$[^$]+\$[^$]+$/);
  t.true((await hasher.verify(utf8('correct horse'), text(stored), cost)).matches);
});

test('octets that are no text are a password like any other', async (t) => {
  const stored = await storedPassword(hasher, cost, new Uint8Array([0xff, 0xfe, 0x01]), 'none');
  t.true((await hasher.verify(new Uint8Array([0xff, 0xfe, 0x01]), text(stored), cost)).matches);
});

test('an import brings a hash by MD5, and it is kept as it is', async (t) => {
  t.deepEqual(await storedPassword(hasher, cost, utf8(smd5), 'any'), utf8(smd5));
});

test('an administrator may bring a hash of ours, and it is kept as it is', async (t) => {
  const hash = utf8(await hasher.hash(utf8('x'), cost));
  t.deepEqual(await storedPassword(hasher, cost, hash, 'sound'), hash);
});

const refused: readonly [title: string, given: string, brought: HashesBrought][] = [
  [
    'a hash from somebody else than an administrator is refused',
    '{SCRYPT}ln=14,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA',
    'none',
  ],
  ['a hash of another scheme is refused, since it could never be verified', '{NS-MTA-MD5}W6ph5Mm5Pz8GgiULbPgzG37mj9g=', 'any'],
  ['a hash by MD5 is refused, but for an import', smd5, 'sound'],
  ['an unreadable hash is refused', '{SCRYPT}nonsense', 'any'],
  [
    'a hash of ours that asks for more than keys.hashCostMaxMiB is refused',
    '{SCRYPT}ln=20,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA',
    'any',
  ],
  [
    'one that asks for more memory than there could be is refused',
    '{SCRYPT}ln=63,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA',
    'any',
  ],
  [
    'Argon2 that asks for more than keys.hashCostMaxMiB is refused',
    `{ARGON2}$argon2id$v=19$m=65536,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`,
    'any',
  ],
  ['bcrypt that asks for more than keys.foreignRoundsMax is refused', `{CRYPT}$2b$14$${'A'.repeat(53)}`, 'any'],
];

for (const [title, given, brought] of refused) {
  test(title, async (t) => {
    const error = await t.throwsAsync(storedPassword(hasher, cost, utf8(given), brought), { instanceOf: Refusal });
    t.is(error.row.code, 'STS-AUTHN-9044');
  });
}

test('a stored password is named by its clear text or by the hash itself', async (t) => {
  const stored = utf8(await hasher.hash(utf8('x'), cost));
  t.true(await isStoredPassword(hasher, cost, utf8('x'), stored));
  t.true(await isStoredPassword(hasher, cost, stored, stored));
  t.false(await isStoredPassword(hasher, cost, utf8('y'), stored));
});
