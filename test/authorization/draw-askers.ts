import type { Random } from '../support/people.ts';
import type { Asker, PlainWorld } from './plain.ts';

/** Where somebody may come from: inside and outside of the networks that rules name, on both sides of their edges. */
const places: readonly Pick<Asker, 'address' | 'loopback'>[] = [
  { address: '192.0.2.1', loopback: false },
  { address: '192.0.2.127', loopback: false },
  { address: '192.0.2.128', loopback: false },
  { address: '192.0.3.0', loopback: false },
  { address: '198.51.100.7', loopback: false },
  { address: '198.51.100.6', loopback: false },
  { address: '2001:db8:1::5', loopback: false },
  { address: '2001:db8:2::5', loopback: false },
  { address: '2001:db9::1', loopback: false },
  { address: '127.0.0.1', loopback: true },
];

/** Draws who asks: everybody there is, in every way that one may come in. */
export function drawAsker(random: Random, world: PlainWorld): Asker {
  const place = { ...random.pick(places), secure: random.chance(0.7) };
  const people = [...world.entries.keys()].filter((dn) => dn.startsWith('uid='));
  const dn = random.pick(people.filter((each) => random.chance(0.05) || !world.realms.some(({ administrator }) => administrator === each)));
  const kind = random.below(100);
  const administrator = world.realms[0]?.administrator ?? dn;
  if (kind < 8) return { kind: 'anonymous', ...place };
  if (kind < 10) return { kind: 'operators', cameInBy: 'operators', ...place };
  if (kind < 12) return { kind: 'web', ...place };
  if (kind < 37) return { kind: 'entry', dn, cameInBy: 'own-password', ...place };
  if (kind < 45) return { kind: 'entry', dn, cameInBy: 'certificate', ...place };
  if (kind < 56) return { kind: 'entry', dn, cameInBy: 'app-password', ...place };
  if (kind < 62) return { kind: 'entry', dn, cameInBy: random.pick(['own-password', 'certificate']), through: administrator, ...place };
  if (kind < 71)
    return { kind: 'entry', dn, cameInBy: random.pick(['own-password', 'certificate']), through: random.pick(people), ...place };
  if (kind < 73) return { kind: 'entry', dn, cameInBy: 'operators', ...place };
  // The web layer that does not say for which session it acts: from where is not known.
  if (kind < 75) return { kind: 'entry', dn, ...place, address: '', loopback: false, secure: false };
  const session = { factors: 1 + random.below(2), ageS: random.pick([0, 30, 60, 61, 300, 301, 900, 901]) };
  return { kind: 'entry', dn, session, ...place };
}
