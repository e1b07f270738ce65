import test from 'ava';
import { systemChance, text, utf8 } from '#base';
import { Refusal } from '#catalogue';
import { isStoredPassword, storedPassword } from '#credentials';
import { createHasher } from '#keys';

const cost = { logN: 14, r: 8, p: 1 };
const hasher = createHasher({ cores: 2, queueMax: 64, costMaxMiB: 64, foreignRoundsMax: 1_000_000, chance: systemChance });

test('a password in clear is kept as a scrypt hash with its parameters and salt', async (t) => {
  const stored = await storedPassword(hasher, cost, utf8('correct horse'), false);
  t.regex(text(stored) ?? '', /^\{SCRYPT\}ln=14,r=8,p=1\$[^$]+\$[^$]+$/);
  t.true((await hasher.verify(utf8('correct horse'), text(stored), cost)).matches);
});

test('octets that are no text are a password like any other', async (t) => {
  const stored = await storedPassword(hasher, cost, new Uint8Array([0xff, 0xfe, 0x01]), false);
  t.true((await hasher.verify(new Uint8Array([0xff, 0xfe, 0x01]), text(stored), cost)).matches);
});

test('an administrator may bring a hash of ours, and it is kept as it is', async (t) => {
  const hash = utf8(await hasher.hash(utf8('x'), cost));
  t.deepEqual(await storedPassword(hasher, cost, hash, true), hash);
});

const refused: readonly [title: string, given: string, administrator: boolean][] = [
  [
    'a hash from somebody else than an administrator is refused',
    '{SCRYPT}ln=14,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA',
    false,
  ],
  ['a hash of another scheme is refused, since it could never be verified', '{SMD5}W6ph5Mm5Pz8GgiULbPgzG37mj9g=', true],
  ['an unreadable hash is refused', '{SCRYPT}nonsense', true],
];

for (const [title, given, administrator] of refused) {
  test(title, async (t) => {
    const error = await t.throwsAsync(storedPassword(hasher, cost, utf8(given), administrator), { instanceOf: Refusal });
    t.is(error.row.code, 'STS-AUTHN-9044');
  });
}

test('a stored password is named by its clear text or by the hash itself', async (t) => {
  const stored = utf8(await hasher.hash(utf8('x'), cost));
  t.true(await isStoredPassword(hasher, cost, utf8('x'), stored));
  t.true(await isStoredPassword(hasher, cost, stored, stored));
  t.false(await isStoredPassword(hasher, cost, utf8('y'), stored));
});
