import test from 'ava';
import { inForce } from '#policy';

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
