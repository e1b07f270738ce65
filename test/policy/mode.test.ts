import test from 'ava';
import { type Mode, makesEntries, policySettings, protectsPasswords, refusesPasswordsToChange, verifiesPasswords } from '#policy';

type Rule = readonly [title: string, rule: (mode: Mode) => boolean, product: boolean, development: boolean];

const rules: readonly Rule[] = [
  ['passwords are verified against the stored hash in product mode only', verifiesPasswords, true, false],
  ['passwords in clear from beyond loopback are refused in product mode only', protectsPasswords, true, false],
  ['a password to be changed is refused at every other door in product mode only', refusesPasswordsToChange, true, false],
  ['an entry is made at the sign-in screen in development mode only', makesEntries, false, true],
];

for (const [title, rule, product, development] of rules) {
  test(title, (t) => t.deepEqual([rule('product'), rule('development')], [product, development]));
}

test('the mode is product when nothing sets it', (t) => t.is(policySettings['global.mode'].default, 'product'));
