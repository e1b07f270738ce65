import { type Refusal, refuse } from '#catalogue';
import type { SearchRequest } from '#ldap';
import { keysAbove } from '#schema';
import type { ReadableEntry, Snapshot, StoredEntry } from '#store';
import type { Asker } from './access/asker.ts';
import type { Rights } from './access/rights.ts';
import type { Call } from './call.ts';
import type { Controls } from './controls/kind.ts';
import { manageDsaIt } from './controls/manage-dsa-it.ts';
import { isDse } from './dse.ts';
import type { Engine } from './engine.ts';
import { errors } from './errors.ts';
import { type Name, nameOf } from './realm.ts';
import { realmOf } from './realms.ts';
import { referralTo, superiorReferral } from './referrals.ts';
import type { Base } from './search/prepared.ts';
import { isSubschema } from './subschema/operations.ts';

/** An entry that one may see, with what they may do with it. */
export interface Found {
  readonly name: Name;
  readonly entry: StoredEntry;
  readonly rights: Rights;
}

/** What the request is that names an entry: by it a name that is not here is refused. */
export interface Asked {
  readonly controls?: Controls;
  /** Of a search. */
  readonly scope?: SearchRequest['scope'];
  /** For those operations that change the directory. */
  readonly changes?: true;
  /** When the name is that below which another entry is to be moved. */
  readonly newSuperior?: true;
}

/**
 * Finds the entry that a request names.
 *
 * @throws Refusal `nameInvalid` (34)
 * @throws Refusal `entryAbsent` (32): there is none, or none that the asker may see; both answer alike
 * @throws Refusal `referral` (10): another server has it (RFC 3296 §5.2); `outsideOfSuffix` (53) for a change of what nobody here knows of
 */
export function find(engine: Engine, asker: Asker, snapshot: Snapshot, text: string, asked: Asked = {}): Found {
  return findNamed(engine, asker, snapshot, nameOf(engine.schema, text), asked);
}

/** As `find`, by a name that is read already. @throws Refusal `subschemaFixed` (53) for the subschema's, which no change of a tree is about; else as `find` */
export function findNamed(engine: Engine, asker: Asker, snapshot: Snapshot, name: Name, asked: Asked = {}): Found {
  if (isSubschema(name)) throw refuse(errors.subschemaFixed, { why: 'the subschema subentry stays where it is, alone' });
  const entry = isInRealm(engine, snapshot, name) ? snapshot.byDnKey(name.key) : undefined;
  const rights = entry === undefined ? undefined : asker.rightsAt(entry, snapshot);
  if (entry === undefined || rights?.visible !== true) throw absent(engine, asker, snapshot, name, asked);
  if (refers(engine, snapshot, entry, asked)) throw elsewhere(engine, entry, name, asked);
  return { name, entry, rights };
}

/**
 * Finds the entry that a search begins at, without its secrets.
 *
 * @throws Refusal `entryAbsent` (32), `referral` (10) as `find`
 */
export function findBase(engine: Engine, asker: Asker, snapshot: Snapshot, base: Base, asked: Asked): ReadableEntry {
  const id = isInRealm(engine, snapshot, base.name) ? base.idIn(snapshot) : undefined;
  const entry = id === undefined ? undefined : snapshot.readable(id);
  if (entry === undefined || !asker.rightsOn(entry, snapshot).visible) throw absent(engine, asker, snapshot, base.name, asked);
  if (refers(engine, snapshot, entry, asked)) throw elsewhere(engine, entry, base.name, asked);
  return entry;
}

/** Of a name that a change is about. @throws Refusal `outsideOfSuffix` (53), or a referral (10), where it is not here */
export function checkRealm({ engine, asker, queued }: Pick<Call, 'engine' | 'asker' | 'queued'>, name: Name): void {
  // What comes before it in a transaction may make the realm: it is looked at then.
  if (queued === true) return;
  const snapshot = engine.store.snapshot();
  if (!isInRealm(engine, snapshot, name)) throw absent(engine, asker, snapshot, name, { changes: true });
}

/** Whether a name is the suffix of a realm or stands below one. The empty name does not. */
export function isInRealm(engine: Engine, snapshot: Snapshot, name: Name): boolean {
  return realmOf(engine, snapshot, name.key) !== undefined;
}

/** Whether an entry stands for what another server has. With ManageDsaIT none does (RFC 3296 §3). */
export function refers(engine: Engine, snapshot: Snapshot, entry: Pick<StoredEntry, 'user'>, { controls }: Asked): boolean {
  return isDse(engine, snapshot, entry, 'referral') && controls?.has(manageDsaIt) !== true;
}

/**
 * The refusal for a name without an entry, with the nearest superior that the asker may see (RFC 4511 §4.1.9). Below a referral that they may see it is
 * that referral.
 */
export function absent(engine: Engine, asker: Asker, snapshot: Snapshot, name: Name, asked: Asked = {}): Refusal {
  const outside = isInRealm(engine, snapshot, name) ? undefined : outsideOfSuffix(engine, name, asked);
  if (outside !== undefined) return outside;
  const { above, referral } = visibleAbove(engine, asker, snapshot, name, asked);
  if (referral !== undefined) return elsewhere(engine, referral, name, asked);
  return refuse(errors.entryAbsent, { matchedDN: above?.dn ?? '' });
}

/** RFC 3296 §5.6.2: nothing moves to another server. */
function elsewhere(engine: Engine, entry: Pick<StoredEntry, 'dn' | 'dnKey' | 'user' | 'operational'>, name: Name, asked: Asked): Refusal {
  return asked.newSuperior ? refuse(errors.superiorElsewhere) : referralTo(engine, entry, name, asked.scope);
}

function outsideOfSuffix(engine: Engine, name: Name, { scope, changes, newSuperior }: Asked): Refusal | undefined {
  if (newSuperior) return refuse(errors.superiorElsewhere);
  return superiorReferral(engine, name, scope) ?? (changes ? refuse(errors.outsideOfSuffix) : undefined);
}

/** From the suffix down, since nothing stands below what is not there: a name of many levels costs no more than the tree is deep. */
function visibleAbove(engine: Engine, asker: Asker, snapshot: Snapshot, name: Name, asked: Asked) {
  let above: StoredEntry | undefined;
  let referral: StoredEntry | undefined;
  const realm = realmOf(engine, snapshot, name.key);
  for (const key of realm === undefined ? [] : keysAbove(name.key, realm.suffix.key)) {
    const entry = snapshot.byDnKey(key);
    if (entry === undefined) break;
    if (!asker.rightsAt(entry, snapshot).visible) continue;
    above = entry;
    if (refers(engine, snapshot, entry, asked)) referral = entry;
  }
  return { above, referral };
}
