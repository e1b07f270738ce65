import test from 'ava';
import { type Random, randomNumbers } from '../support/people.ts';
import { drawWorld } from './draw-world.ts';
import type { Passwords } from './outcome.ts';
import type { Asker, PlainWorld } from './plain.ts';
import { proveWorld } from './prove.ts';
import { local, startService } from './sockets.ts';

/** Who may come in over sockets of a test: with passwords, as nobody, as operator, and for others. */
function drawAsker(random: Random, world: PlainWorld, passwords: Passwords): Asker {
  const dn = random.pick([...passwords.keys()].filter((each) => world.entries.has(each)));
  const place = { ...local, secure: random.chance(0.4) };
  const kind = random.below(20);
  if (kind < 4) return { kind: 'anonymous', ...place };
  if (kind < 5) return { kind: 'operators', cameInBy: 'operators', ...local, secure: true };
  if (kind < 7) return { kind: 'entry', dn, cameInBy: 'own-password', through: world.realms[0]?.administrator ?? dn, ...place };
  return { kind: 'entry', dn, cameInBy: 'own-password', ...place };
}

for (const [workers, title] of [
  [0, 'the same over sockets of a whole service'],
  [2, 'the same with threads that serve LDAP beside the main one'],
] as const) {
  test.serial(title, async (t) => {
    t.timeout(300_000);
    await using service = await startService('public', workers);
    const seen = new Map<string, number>();
    for (const seed of [4711, 4712, 4713]) {
      const random = randomNumbers(seed);
      const drawn = drawWorld(random, 1);
      const { difference } = await proveWorld(service, { cases: 80, seen, random, drawn: keptPasswords(drawn), drawAsker });
      if (difference !== undefined) return t.fail(`seed ${seed}: ${difference}`);
    }
    for (const outcome of ['search 0', 'search 32', 'modify 0', 'modify 50'])
      t.true((seen.get(outcome) ?? 0) > 0, `${outcome}: ${seen.get(outcome)}`);
  });
}

/** Whoever asks over a socket must be let in. */
function keptPasswords(drawn: ReturnType<typeof drawWorld>): ReturnType<typeof drawWorld> {
  const entries = [...drawn.world.entries].map(([dn, entry]) => {
    const right = entry.attributes['stsRuleRight']?.filter((each) => each !== 'auth');
    return [
      dn,
      right === undefined ? entry : { dn, attributes: { ...entry.attributes, stsRuleRight: right.length > 0 ? right : ['compare'] } },
    ] as const;
  });
  return { passwords: drawn.passwords, world: { ...drawn.world, anonymousRead: 'public', entries: new Map(entries) } };
}
