import test from 'ava';
import { systemChance, utf8 } from '#base';
import type { ErrorRow } from '#catalogue';
import { type Account, type Circumstances, judgePassword } from '#credentials';
import { createHasher, type Hasher } from '#keys';
import type { Mode } from '#policy';

const cost = { logN: 14, r: 1, p: 1 };
const real = createHasher({ cores: 2, queueMax: 64, costMaxMiB: 64, foreignRoundsMax: 1_000_000, chance: systemChance });
const passwordHash = await real.hash(utf8('correct horse'), cost);
const person: Account = { passwordHash, bar: undefined, mustChange: false };

/** The real hasher, counting. */
function counting(): Hasher & { count: number } {
  const counter = {
    count: 0,
    hash: real.hash,
    hashSet: real.hashSet,
    hashInto: real.hashInto,
    findInSet: (...given: Parameters<Hasher['findInSet']>) => {
      counter.count++;
      return real.findInSet(...given);
    },
    pbkdf2: real.pbkdf2,
    bounds: real.bounds,
    verify: (...given: Parameters<Hasher['verify']>) => {
      counter.count++;
      return real.verify(...given);
    },
    load: real.load,
  };
  return counter;
}

const standing = { door: 'ldap', address: '192.0.2.1', aloneDoors: [], nowMs: 1_000_000 } as const;

async function judge(account: Account | undefined, password: string, mode: Mode, more: Partial<Circumstances> = {}) {
  const hasher = counting();
  const judgement = await judgePassword(hasher, cost, { ...standing, account, password: utf8(password), mode, ...more });
  const row = judgement.kind === 'refused' ? judgement.row : undefined;
  return { code: row?.code, shown: row === undefined ? undefined : [row.sees, row.says], hashes: hasher.count };
}

type Case = readonly [title: string, account: Account | undefined, password: string, mode: Mode, code: ErrorRow['code'] | undefined];

const cases: readonly Case[] = [
  ['product mode: the right password is accepted', person, 'correct horse', 'product', undefined],
  ['product mode: a wrong password is refused', person, 'battery staple', 'product', 'STS-AUTHN-9041'],
  ['product mode: an unknown name is refused', undefined, 'correct horse', 'product', 'STS-AUTHN-9042'],
  [
    'product mode: a person without a password cannot sign in',
    { ...person, passwordHash: undefined },
    'correct horse',
    'product',
    'STS-AUTHN-9043',
  ],
  [
    'product mode: a disabled account is refused with any password',
    { ...person, bar: 'disabled' },
    'correct horse',
    'product',
    'STS-AUTHN-0200',
  ],
  [
    'product mode: an account whose time has not come is refused with the right password',
    { ...person, bar: 'early' },
    'correct horse',
    'product',
    'STS-AUTHN-9420',
  ],
  [
    'product mode: an account whose time is over is refused with the right password',
    { ...person, bar: 'late' },
    'correct horse',
    'product',
    'STS-AUTHN-9421',
  ],
  [
    'product mode: pwdReset TRUE is refused at other doors, after the password was found right',
    { ...person, mustChange: true },
    'correct horse',
    'product',
    'STS-AUTHN-0142',
  ],
  [
    'product mode: pwdReset TRUE with a wrong password is a wrong password',
    { ...person, mustChange: true },
    'x',
    'product',
    'STS-AUTHN-9041',
  ],
  ['product mode: the reserved word is a password like any other', person, 'invalid', 'product', 'STS-AUTHN-9041'],
  ['development mode: any password is accepted', person, 'anything', 'development', undefined],
  ['development mode: an entry without a password binds too', { ...person, passwordHash: undefined }, 'any', 'development', undefined],
  ['development mode: the reserved word is refused', person, 'invalid', 'development', 'STS-AUTHN-9041'],
  ['development mode: an unknown name is refused', undefined, 'anything', 'development', 'STS-AUTHN-9042'],
  ['development mode: a disabled account is refused', { ...person, bar: 'disabled' }, 'anything', 'development', 'STS-AUTHN-0200'],
  ['development mode: pwdReset is the sign-in screen’s business', { ...person, mustChange: true }, 'anything', 'development', undefined],
];

for (const [title, account, password, mode, code] of cases) {
  test(title, async (t) => t.is((await judge(account, password, mode)).code, code));
}

test('the sign-in screen takes a password that must be changed, since it is changed there', async (t) => {
  t.is((await judge({ ...person, mustChange: true }, 'correct horse', 'product', { door: 'browser' })).code, undefined);
});

test('wrong, absent, disabled and unknown take the same number of hashes and show the same words', async (t) => {
  const answers = [
    await judge(person, 'wrong', 'product'),
    await judge(undefined, 'wrong', 'product'),
    await judge({ ...person, passwordHash: undefined }, 'wrong', 'product'),
    await judge({ ...person, bar: 'disabled' }, 'wrong', 'product'),
    await judge({ ...person, bar: 'disabled' }, 'correct horse', 'product'),
    await judge({ ...person, mustChange: true }, 'correct horse', 'product'),
  ];
  for (const answer of answers) {
    t.is(answer.hashes, 1);
    t.deepEqual(answer.shown, [{ ldap: 49 }, 'invalid credentials']);
  }
  t.is((await judge(person, 'correct horse', 'product')).hashes, 1);
});
