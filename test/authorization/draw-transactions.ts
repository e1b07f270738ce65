import type { Modify, Transaction, Update } from './asks.ts';
import type { Drawing } from './draw-asks.ts';
import { drawRule } from './draw-rules.ts';
import { isWithin } from './plain.ts';
import { pools } from './words.ts';

/**
 * Draws updates that are made together. Half of them begin with one that changes what memberships or rules give to whoever asks, and go on with what may
 * rest on it: in the same realm or in another one.
 */
export function drawTransaction(drawing: Drawing, drawUpdate: (drawing: Drawing) => Update): Transaction {
  const { random } = drawing;
  const others = Array.from({ length: 1 + random.below(2) }, () => drawUpdate(drawing));
  if (random.chance(0.5)) return { op: 'transaction', updates: possible(others) };
  const rests = random.chance(0.85) ? drawResting(drawing) : undefined;
  const behind = rests === undefined ? others : [rests, ...(random.chance(0.2) ? others : [])];
  return { op: 'transaction', updates: possible([drawGoverning(drawing), ...behind]) };
}

/** Who is in a group is changed once: all are drawn by what is there before the first, and nobody leaves twice. */
function possible(updates: readonly Update[]): readonly Update[] {
  const changed = new Set<string>();
  return updates.filter((update) => {
    if (update.op !== 'modify' || !update.changes.some(([, name]) => name === 'member')) return true;
    return !changed.has(update.dn) && changed.add(update.dn);
  });
}

/** One that changes who belongs to what, or a rule. */
function drawGoverning({ random, world, asker, number }: Drawing): Update {
  const suffix = (random.chance(0.8) ? world.realms[0] : random.pick(world.realms))?.suffix ?? '';
  const groups = [...world.entries.values()].filter(({ dn }) => dn.startsWith('cn=') && dn.endsWith(`,ou=groups,${suffix}`));
  const withRole = (role: string) => groups.filter(({ attributes }) => attributes['stsRole']?.includes(role));
  const from = [random.chance(0.7) ? withRole('Admin Write') : [], withRole('Admin Read'), groups].find(({ length }) => length > 0) ?? [];
  if (asker.dn === undefined || asker.dn.startsWith('uid=keeper,') || from.length === 0 || random.chance(0.2)) {
    const { dn, attributes } = drawRule(random, suffix, `tr${number}`);
    return { op: 'add', dn, attributes };
  }
  const { dn, attributes } = random.pick(from);
  return { op: 'modify', dn, changes: [[attributes['member']?.includes(asker.dn) ? 'delete' : 'add', 'member', asker.dn]] };
}

/** A small change of some person: mostly in a realm where whoever asks is nobody but by a role. */
function drawResting({ random, world, asker }: Drawing): Modify | undefined {
  const inner = world.realms.at(-1)?.suffix ?? '';
  const isStranger = asker.dn !== undefined && !isWithin(asker.dn, inner);
  const suffix = isStranger && random.chance(0.8) ? inner : random.pick(world.realms).suffix;
  const people = [...world.entries.keys()].filter((dn) => dn.startsWith('uid=') && dn.endsWith(`ou=people,${suffix}`));
  if (people.length === 0) return undefined;
  const name = random.pick(['description', 'title', 'l']);
  return { op: 'modify', dn: random.pick(people), changes: [['replace', name, random.pick(pools[name] ?? [])]] };
}
