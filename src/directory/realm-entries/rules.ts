import { concat, text, utf8 } from '#base';
import { refuse } from '#catalogue';
import { decodeAttributes, encodeAttributes, parseDn } from '#ldap';
import type { Schema } from '#schema';
import type { Change, EntryRecord, Snapshot } from '#store';
import { generalizedTime } from '../csn.ts';
import type { Engine } from '../engine.ts';
import { errors } from '../errors.ts';
import { type Realms, realmClass } from '../realms.ts';
import { type Attributes, attributesOf } from '../record.ts';
import type { Decision } from '../write.ts';
import { frameEntries } from './frame.ts';
import { judgeNewRealm, judgeRealmChange, type RealmSaid, saidBy } from './judge.ts';
import { isServiceEntry, judgeService, serviceSettingsOf } from './service.ts';

/** What every entry of a realm has, as entries have it. */
const mark = 'stsRealmId';
/** And what every entry has that sets something. */
const settingMark = 'stsSetting';

/**
 * Holds a write to what realms are: judges the entries of realms, makes what a new one begins with in the same commit, and refuses what would leave one
 * without its suffix, and what changes one that is being removed. Where nothing of it concerns a realm, the decision is as it was.
 *
 * @throws Refusal  those of `judgeNewRealm`, `judgeRealmChange` and `judgeService`; `realmRemoving`, `realmEntryStays`, `realmSuffixStays` (53)
 */
export function withRealms(engine: Engine, snapshot: Snapshot, decision: Decision): Decision {
  const realms = engine.realms.in(snapshot);
  if (realms.all.length > 1) refuseLoss(realms, snapshot, decision);
  judgeServiceChanges(engine, snapshot, decision);
  if (!decision.changes.some(saysRealm)) return decision;
  const changes: Change[] = [];
  const expected = [...decision.expected];
  for (const change of decision.changes) {
    if (change.kind === 'delete' || !saysRealm(change)) {
      changes.push(change);
      continue;
    }
    const { entry } = change;
    const said = realmSaid(engine.schema, entry);
    const old = snapshot.byUuid(entry.uuid);
    const before = old && realmSaid(engine.schema, old);
    if (said === undefined) changes.push(change);
    else if (before === undefined) {
      const made = judgeNewRealm(engine.realms.rules, realms, said, (key) => snapshot.idOf(key) !== undefined);
      expected.push({ kind: 'absent', dnKey: made.suffix.key });
      const whole = said.all('stsrealmstate').length > 0 ? entry : withText(entry, 'stsRealmState', 'active');
      changes.push({ ...change, entry: whole });
      for (const each of frameEntries(engine, engine.realms.seed, made, creatorOf(entry))) changes.push({ kind: 'put', entry: each });
    } else {
      const { removes } = judgeRealmChange(engine.realms.rules, before, said, decision.touched?.has('stsrealmstate') === true);
      const since = generalizedTime(engine.clock.nowMs());
      changes.push(removes ? { ...change, entry: withText(entry, 'stsRealmRemovingSince', since) } : change);
    }
  }
  return { ...decision, expected, changes };
}

/** @throws Refusal  those of `judgeService` */
function judgeServiceChanges({ schema, realms }: Engine, snapshot: Snapshot, { changes }: Decision): void {
  for (const change of changes) {
    if (change.kind === 'delete' || !says(change, settingMark)) continue;
    const { entry } = change;
    const saidIn = (one: EntryRecord) => saidBy(parseDn(one.dn) ?? [], one.dnKey, attributesOf(schema, one));
    const said = saidIn(entry);
    if (!isServiceEntry(schema, said)) continue;
    const old = snapshot.byUuid(entry.uuid);
    judgeService(realms.rules, serviceSettingsOf(schema, realms.default), said, old && saidIn(old));
  }
}

/** Says of the entry of a new realm in what state it is, where nobody has said so: whoever reads it with the answer to the add sees it. */
export function settleRealm(schema: Schema, attributes: Attributes): void {
  if (isRealm(schema, attributes) && !attributes.has('stsrealmstate'))
    attributes.set('stsrealmstate', { description: 'stsRealmState', values: [utf8('active')] });
}

function isRealm(schema: Schema, attributes: Attributes): boolean {
  const classes = attributes.get('objectclass')?.values ?? [];
  return classes.some((value) => schema.objectClass(text(value) ?? '')?.name === realmClass);
}

function saysRealm(change: Change): boolean {
  return says(change, mark);
}

function says(change: Change, attribute: string): boolean {
  if (change.kind === 'delete') return false;
  const { user } = change.entry;
  return Buffer.from(user.buffer, user.byteOffset, user.byteLength).includes(attribute);
}

/** What the entry of a realm says; nothing for one of another class. */
function realmSaid(schema: Schema, entry: EntryRecord): RealmSaid | undefined {
  const attributes = attributesOf(schema, entry);
  return isRealm(schema, attributes) ? saidBy(parseDn(entry.dn) ?? [], entry.dnKey, attributes) : undefined;
}

function creatorOf({ operational }: EntryRecord): string {
  const found = decodeAttributes(operational).find(({ description }) => description.toLowerCase() === 'creatorsname');
  return text(found?.values[0] ?? new Uint8Array(0)) ?? '';
}

function withText(entry: EntryRecord, description: string, value: string): EntryRecord {
  return { ...entry, user: concat([entry.user, encodeAttributes([{ description, values: [utf8(value)] }])]) };
}

/** All changes of a write but those that follow from it are of one realm, and of a tree that goes the first is what others are below. */
function refuseLoss(realms: Realms, snapshot: Snapshot, { changes, target }: Decision): void {
  const first = changes.find((change) => change.kind !== 'delete');
  const gone = changes.some((change) => change.kind === 'delete' && change.uuid === target) ? snapshot.byUuid(target) : undefined;
  const dnKey = gone?.dnKey ?? first?.entry.dnKey;
  const realm = dnKey && realms.owning(dnKey);
  if (realm?.state === 'removing') throw refuse(errors.realmRemoving);
  const entries = new Map(realms.all.map(({ entry }) => [entry?.uuid, entry]));
  for (const change of changes) {
    if (change.kind === 'delete' && entries.has(change.uuid)) throw refuse(errors.realmEntryStays);
  }
  if (gone !== undefined && gone.parent === undefined && realm?.entry !== undefined) throw refuse(errors.realmSuffixStays);
}
