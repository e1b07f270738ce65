import type { Random } from '../support/people.ts';
import { pools } from './words.ts';

/** Draws a filter as text. @param depth  how many more levels it may have */
export function drawFilter(random: Random, depth: number): string {
  if (depth > 0 && random.chance(0.35)) {
    const inner = () => drawFilter(random, depth - 1);
    return random.pick([`(!${inner()})`, `(&${inner()}${inner()})`, `(|${inner()}${inner()})`]);
  }
  return drawItem(random);
}

/** One assertion about one attribute. */
export function drawItem(random: Random): string {
  const pooled = random.pick(Object.keys(pools));
  const value = random.pick(pools[pooled] ?? []);
  const kind = random.below(20);
  if (kind < 8) return `(${pooled}=${value})`;
  if (kind < 11) return `(${pooled}=*)`;
  if (kind < 13) return random.pick([`(${pooled}=${value[0]}*)`, `(${pooled}=*${value.at(-1)})`, `(${pooled}=*${value[1]}*)`]);
  return random.pick([
    ...[
      '(objectClass=*)',
      '(objectClass=*)',
      '(objectClass=inetOrgPerson)',
      '(objectClass=groupOfNames)',
      '(uid=p1)',
      '(uid=p*)',
      '(uid=*)',
    ],
    ...[
      '(name=ann)',
      '(name=fox)',
      '(userPassword=*)',
      '(noSuchThing=1)',
      '(createTimestamp>=20000101000000Z)',
      '(createTimestamp<=20000101000000Z)',
    ],
    ...[
      '(:caseIgnoreMatch:=ann)',
      '(cn:caseIgnoreMatch:=ann)',
      '(structuralObjectClass=*)',
      '(entryUUID=*)',
      '(stsRole=*)',
      '(member=*)',
      '(ou=*)',
    ],
  ]);
}
