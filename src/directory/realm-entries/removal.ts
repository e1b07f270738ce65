import { setImmediate as turnOver } from 'node:timers/promises';
import { text, utf8 } from '#base';
import { type ErrorRow, Refusal, refuse } from '#catalogue';
import type { Expectation, Snapshot, StoredEntry } from '#store';
import { type Engine, newestEngine } from '../engine.ts';
import { errors } from '../errors.ts';
import { dropped } from '../large.ts';
import { nameOf, type Realm } from '../realm.ts';
import { type Attributes, attributesOf, recordOf, stampChanged } from '../record.ts';
import { submit } from '../write.ts';

/** Entries that go in one commit: some milliseconds of work, between which others have the event loop. */
const batchMax = 128;
/** Beyond realms.removalDeliveryTimeoutS, for whoever delivers to say that it has (specification document 2, STS-CORE-0122). */
const graceS = 30;

/**
 * Goes on with the removal of realms: once what they owe is delivered, or nobody has said so in time, their entries are deleted, those below others
 * first, and the entry that says that there is the realm last of all. Where it was interrupted, it goes on: all that it knows is in the entries.
 *
 * @returns what to report of the run
 */
export async function removeRealms(opened: Engine): Promise<string> {
  const engine = newestEngine(opened);
  let gone = 0;
  for (const realm of engine.realms.in(engine.store.snapshot()).all) {
    if (realm.state !== 'removing') continue;
    try {
      if (await removeRealm(engine, realm)) gone++;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const stuck = refuse(errors.removalStuck, { why: error.says });
      tell(engine, realm, 'failed', stuck.tells, stuck.row);
    }
  }
  return `${gone} realms are gone`;
}

/** @returns whether it is gone; false for one that others still have to do with, or have changed meanwhile */
async function removeRealm(engine: Engine, realm: Realm): Promise<boolean> {
  const entry = entryOf(engine, realm);
  if (entry === undefined) return false;
  const said = attributesOf(engine.schema, entry);
  const state = one(said, 'stsrealmstate');
  if (state === 'removing' && !isOverdue(engine, one(said, 'stsrealmremovingsince'))) return false;
  if (state !== 'deleting') {
    if (!(await setDeleting(engine, entry, said))) return false;
    tell(engine, realm, 'success', `the entries below ${realm.suffix.text} are being deleted`);
  }
  const deleted = await deleteBelow(engine, realm);
  if (deleted === undefined || !(await deleteLast(engine, realm))) return false;
  tell(engine, realm, 'success', `the realm is gone, with ${deleted} entries`);
  return true;
}

function entryOf({ store }: Engine, { entry }: Realm, snapshot: Snapshot = store.snapshot()): StoredEntry | undefined {
  return entry === undefined ? undefined : snapshot.byUuid(entry.uuid);
}

function one(said: Attributes, key: string): string | undefined {
  return text(said.get(key)?.values[0] ?? new Uint8Array(0))?.toLowerCase();
}

/** @param since  a GeneralizedTime of the directory's own making; one that cannot be read is long past */
function isOverdue({ clock, settings }: Engine, since: string | undefined): boolean {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)z$/.exec(since ?? '') ?? [];
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.map(Number);
  const beganMs = Date.UTC(year, month - 1, day, hour, minute, second);
  return clock.nowMs() >= beganMs + (settings['realms.removalDeliveryTimeoutS'] + graceS) * 1000;
}

async function setDeleting(engine: Engine, entry: StoredEntry, said: Attributes): Promise<boolean> {
  const { schema, csn: csns, clock } = engine;
  const attributes: Attributes = new Map(said).set('stsrealmstate', { description: 'stsRealmState', values: [utf8('deleting')] });
  const csn = csns.next();
  stampChanged(attributes, { csn, nowMs: clock.nowMs(), by: '' });
  const name = { ...nameOf(schema, entry.dn), text: entry.dn };
  const record = recordOf(schema, { uuid: entry.uuid, parent: entry.parent, name, csn }, attributes);
  const expected: Expectation[] = [{ kind: 'unchanged', uuid: entry.uuid, csn: entry.csn }];
  return (await submit(engine, { expected, changes: [{ kind: 'put', entry: record }] })).kind === 'committed';
}

/** @returns how many entries went; nothing when others were faster, and all is looked at again the next time */
async function deleteBelow(engine: Engine, { suffix }: Realm): Promise<number | undefined> {
  let deleted = 0;
  for (;;) {
    const snapshot = engine.store.snapshot();
    const top = snapshot.byDnKey(suffix.key);
    if (top === undefined) return deleted;
    const leaves = leavesBelow(snapshot, top);
    // Somebody who did not know yet that the realm is being removed may have put something below one of them.
    const expected = leaves.map(({ uuid }): Expectation => ({ kind: 'childless', uuid }));
    const changes = leaves.map((each) => ({ kind: 'delete' as const, uuid: each.uuid, csn: engine.csn.next(), ...dropped(each) }));
    if ((await submit(engine, { expected, changes })).kind !== 'committed') return undefined;
    deleted += leaves.length;
    await turnOver();
  }
}

/** Some entries of a tree that have none below them: nobody who follows the changes ever sees an entry without its superior. */
function leavesBelow(snapshot: Snapshot, top: StoredEntry): readonly StoredEntry[] {
  let at = top;
  for (;;) {
    const children = snapshot.children(at.uuid, 0, batchMax).flatMap((id) => snapshot.byId(id) ?? []);
    const [first] = children;
    if (first === undefined) return [at];
    const leaves = children.filter(({ uuid }) => !snapshot.hasChildren(uuid));
    if (leaves.length > 0) return leaves;
    at = first;
  }
}

/** The entry of the realm: until it is gone nobody takes its suffix. */
async function deleteLast(engine: Engine, realm: Realm): Promise<boolean> {
  const entry = entryOf(engine, realm);
  if (entry === undefined) return false;
  const expected: Expectation[] = [
    { kind: 'unchanged', uuid: entry.uuid, csn: entry.csn },
    { kind: 'childless', uuid: entry.uuid },
    { kind: 'absent', dnKey: realm.suffix.key },
  ];
  const done = await submit(engine, { expected, changes: [{ kind: 'delete', uuid: entry.uuid, csn: engine.csn.next() }] });
  return done.kind === 'committed';
}

function tell({ audit }: Engine, { id }: Realm, outcome: 'success' | 'failed', summary: string, error?: ErrorRow): void {
  const row = { realm: id, door: 'service', subject: '', action: 'realm.remove', correlationId: 'removal', address: '' };
  audit.record({ ...row, outcome, summary, ...(error === undefined ? {} : { error }) });
}
