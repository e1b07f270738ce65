import test from 'ava';
import fc from 'fast-check';
import { systemChance } from '#base';
import { generatePassword } from '#keys';
import { builtInPasswordPolicy, faultOfPassword, faultOfPasswordPolicy, readPasswordPolicy } from '#policy';

test('Password policy: the defaults are 12 characters, 1 symbol, an upper-case letter, a digit, none of the last five', (t) => {
  t.like(builtInPasswordPolicy, { minLength: 12, minSymbols: 1, minUppercase: 1, minDigits: 1, history: 5 });
  t.like(builtInPasswordPolicy, { scramMechanisms: [], maxAgeS: 0, warnS: 0, graceLogins: 0, minAgeS: 0 }, 'nothing expires');
  t.deepEqual(
    readPasswordPolicy(() => []),
    builtInPasswordPolicy,
  );
});

const judged: readonly [password: string, why: string | undefined][] = [
  ['Correct-horse-7', undefined],
  ['Correct-ho-7', undefined],
  ['Correct-h-7', 'it must have at least 12 characters'],
  ['', 'it must have at least 12 characters'],
  ['Correcthorse7', 'it must have at least 1 character that is neither letter nor digit'],
  ['correct-horse-7', 'it must have at least 1 upper-case letter'],
  ['Correct-horse-', 'it must have at least 1 digit'],
  ['Ünter den Linden 7', undefined],
  ['ÉTÉ à la mer 7', undefined],
  ['Пароль из слов 7', undefined],
  ['😀😀😀😀😀😀A7', 'it must have at least 12 characters'],
  ['😀😀😀😀😀😀😀😀😀😀A7', undefined],
];

for (const [password, why] of judged)
  test(`a password is held to each rule, and told which: ${password === '' ? '(empty)' : password}`, (t) =>
    t.is(faultOfPassword(builtInPasswordPolicy, password)?.why, why));

test('what is no number asks for the most, and the directory refuses it', (t) => {
  const values = (name: string) => (name === 'stspasswordminlength' ? ['long'] : name === 'stspasswordmindigits' ? ['-1'] : []);
  t.like(readPasswordPolicy(values), { minLength: 128, minDigits: 16, minSymbols: 1 });
  t.is(faultOfPasswordPolicy(values)?.attribute, 'stsPasswordMinLength');
  t.is(faultOfPasswordPolicy((name) => (name === 'stspasswordhistory' ? ['25'] : []))?.why, 'it is from 0 to 24');
  t.is(
    faultOfPasswordPolicy(() => []),
    undefined,
  );
});

test('a generated password keeps the policy that it is generated for, whatever that asks', (t) => {
  const policy = fc.record({
    minLength: fc.integer({ min: 1, max: 128 }),
    minSymbols: fc.integer({ min: 0, max: 16 }),
    minUppercase: fc.integer({ min: 0, max: 16 }),
    minDigits: fc.integer({ min: 0, max: 16 }),
  });
  fc.assert(
    fc.property(policy, (asked) => {
      t.is(faultOfPassword({ ...builtInPasswordPolicy, ...asked }, generatePassword(systemChance, asked)), undefined);
    }),
  );
  for (let i = 0; i < 200; i++) t.is(faultOfPassword(builtInPasswordPolicy, generatePassword(systemChance)), undefined);
});
