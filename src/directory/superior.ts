import { type Refusal, refuse } from '#catalogue';
import type { Snapshot, StoredEntry } from '#store';
import type { Call } from './call.ts';
import { isDse } from './dse.ts';
import { errors } from './errors.ts';
import { absent, findNamed, refers } from './lookup.ts';
import type { Name } from './realm.ts';
import { referralTo } from './referrals.ts';

/**
 * Finds the entry below which one is to be made.
 *
 * @param name  of the entry that is to be made: a referral is for it, not for its superior
 * @throws Refusal `entryAbsent` (32), `referral` (10), `superiorAlias` (33), `superiorSubentry` (65)
 */
export function findParent({ engine, asker, controls }: Call, snapshot: Snapshot, name: Name, superior: Name): StoredEntry {
  const entry = snapshot.byDnKey(superior.key);
  const isVisible = entry !== undefined && asker.rightsAt(entry, snapshot).visible;
  if (!isVisible || refers(engine, snapshot, entry, { controls })) throw absent(engine, asker, snapshot, name, { controls, changes: true });
  return judged({ engine }, snapshot, entry, 'parent');
}

/**
 * Finds the entry below which one is to be moved.
 *
 * @throws Refusal `entryAbsent` (32), `superiorAlias` (33), `superiorSubentry` (65), `superiorElsewhere` (71)
 */
export function findNewSuperior({ engine, asker, controls }: Call, snapshot: Snapshot, superior: Name): StoredEntry {
  const { entry } = findNamed(engine, asker, snapshot, superior, { controls, newSuperior: true });
  return judged({ engine }, snapshot, entry, 'new superior');
}

/** An alias and a subentry have nothing below them (RFC 4512 §2.6, RFC 3672 §2). */
function judged({ engine }: Pick<Call, 'engine'>, snapshot: Snapshot, entry: StoredEntry, place: string): StoredEntry {
  if (isDse(engine, snapshot, entry, 'alias')) throw refuse(errors.superiorAlias, { place });
  if (isDse(engine, snapshot, entry, 'subentry')) throw refuse(errors.superiorSubentry, { place });
  return entry;
}

/** Why an entry cannot have a name that another has. Of a referral that is not meant itself, another server is to judge (RFC 3296 §5.2, §5.6.2). */
export function taken({ engine, controls }: Call, snapshot: Snapshot, there: StoredEntry, name: Name, isMoved: boolean): Refusal {
  if (!refers(engine, snapshot, there, { controls })) return refuse(errors.entryExists);
  return isMoved ? refuse(errors.superiorElsewhere) : referralTo(engine, there, name);
}
