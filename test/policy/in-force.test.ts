import test from 'ava';
import { builtInAuthnPolicy, inForce, readAuthnPolicy } from '#policy';

type Case = readonly [title: string, own: string | undefined, defaultRealms: string | undefined, value: string, from: string];

const cases: readonly Case[] = [
  ["a realm's own policy is in force, whatever the default realm has", 'mine', 'theirs', 'mine', 'own'],
  ["a realm's own policy is in force where the default realm has none", 'mine', undefined, 'mine', 'own'],
  [
    "a realm with no policy of its own follows the default realm's; removing its own returns it to following",
    undefined,
    'theirs',
    'theirs',
    'default realm',
  ],
  ['built-in defaults apply where neither has one', undefined, undefined, 'standing', 'built-in'],
];

for (const [title, own, defaultRealms, value, from] of cases)
  test(title, (t) => t.deepEqual(inForce(own, defaultRealms, 'standing'), { value, from } as never));

const read = (given: Readonly<Record<string, readonly string[]>>) => readAuthnPolicy((attribute) => given[attribute] ?? []);

test('an authentication policy that says nothing is the built-in one', (t) => t.deepEqual(read({}), builtInAuthnPolicy));

test('a word of an authentication policy that is none asks for the most', (t) => {
  t.is(read({ stsrequiresecondfactor: ['If-Held'] }).secondFactor, 'if-held');
  for (const word of ['always', 'ALWAYS', 'never', 'sometimes', '']) t.is(read({ stsrequiresecondfactor: [word] }).secondFactor, 'always');
  t.deepEqual(read({ stsfirstfactor: ['Password', 'magic'] }).firstFactors, ['password', 'magic']);
});
