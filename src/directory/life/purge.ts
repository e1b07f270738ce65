import { Refusal } from '#catalogue';
import { askerOf } from '../access/asker.ts';
import { noControls } from '../controls/kind.ts';
import { classIndex, dseKey } from '../dse.ts';
import { type Engine, newestEngine } from '../engine.ts';
import { remove } from '../operations/delete.ts';
import { nameOf } from '../realm.ts';
import { realmOf } from '../realms.ts';
import type { Connection, Identity, Reply } from '../types.ts';
import { commit } from '../write.ts';
import { endKeyOf } from './next-end.ts';
import { deletedIn, isDeleted } from './told.ts';
import { saidBy } from './tombstones.ts';

const purger: Identity = { dn: undefined, uuid: undefined, strength: 'operatorsSocket' };
const page = 500;

/** What is kept of an entry, by the number of its own, and when it was deleted. */
interface Kept {
  readonly id: number;
  readonly deletedAt: string;
}

/**
 * Deletes what is kept of entries that were deleted and whose time to be restored is over; and, where a realm keeps more than `directory.tombstonesMax`, of
 * those that were deleted first.
 *
 * @returns what to report of the run
 */
export async function purgeTombstones(opened: Engine): Promise<string> {
  const engine = newestEngine(opened);
  const now = endKeyOf(engine.clock.nowMs());
  const kept = new Map<string, Kept[]>();
  let purged = 0;
  for (let afterId = 0; ; ) {
    const snapshot = engine.store.snapshot();
    const ids = snapshot.idsEqual(classIndex, dseKey(engine.schema, 'stsTombstone'), page, afterId);
    const due: string[] = [];
    for (const id of ids) {
      const entry = snapshot.byId(id);
      if (entry === undefined) continue;
      const [at = ''] = saidBy(entry, 'stsPurgeTime');
      if (at !== '' && at.slice(0, 14) <= now.slice(0, 14)) due.push(entry.dn);
      else noteKept(kept, realmOf(engine, snapshot, entry.dnKey)?.id ?? '', { id, deletedAt: saidBy(entry, 'stsDeletedTime')[0] ?? '' });
    }
    for (const dn of due) if (await purge(engine, dn)) purged++;
    if (ids.length < page) break;
    afterId = ids.at(-1) ?? afterId;
    await new Promise(setImmediate);
  }
  for (const [realm, theirs] of kept) purged += await purgeBeyond(engine, realm, theirs);
  return `${purged} deleted entries have gone for good`;
}

function noteKept(kept: Map<string, Kept[]>, realm: string, one: Kept): void {
  const theirs = kept.get(realm);
  if (theirs === undefined) kept.set(realm, [one]);
  else theirs.push(one);
}

/** @returns how many have gone */
async function purgeBeyond(engine: Engine, id: string, kept: readonly Kept[]): Promise<number> {
  const realm = engine.realms.in(engine.store.snapshot()).byId(id);
  const beyond = realm === undefined ? 0 : kept.length - realm.settings['directory.tombstonesMax'];
  if (beyond <= 0) return 0;
  const first = kept.toSorted((a, b) => (a.deletedAt < b.deletedAt ? -1 : a.deletedAt > b.deletedAt ? 1 : a.id - b.id)).slice(0, beyond);
  let purged = 0;
  for (const [at, each] of first.entries()) {
    const entry = engine.store.snapshot().byId(each.id);
    if (entry !== undefined && isDeleted(entry) && (await purge(engine, entry.dn))) purged++;
    if (at % page === page - 1) await new Promise(setImmediate);
  }
  return purged;
}

async function purge(engine: Engine, dn: string): Promise<boolean> {
  const reply: Reply = {
    ...{ send: () => undefined, notify: () => undefined, entry: () => undefined, full: () => undefined, lasts: () => undefined },
    ...{ ended: false, signal: new AbortController().signal },
  };
  const connection: Connection = {
    ...{ id: 'purge', door: 'operators', address: '', loopback: true, secure: true },
    ...{ identity: purger, trusted: false },
  };
  const call = { engine, connection, reply, controls: noControls, asker: askerOf(engine, purger, connection) };
  try {
    const realm = realmOf(engine, engine.store.snapshot(), nameOf(engine.schema, dn).key)?.id ?? '';
    await commit(engine, remove(call, { kind: 'delRequest', entry: dn }));
    const said = {
      action: `${deletedIn(dn)?.kind === 'person' ? 'account' : 'entry'}.purge`,
      outcome: 'success',
      summary: `what was kept of ${dn} has gone`,
    } as const;
    engine.audit.record({ realm, door: 'service', subject: dn, correlationId: 'purge', address: '', ...said });
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
