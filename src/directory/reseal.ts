import { sealsSecrets } from '#policy';
import { typeAt } from '#schema';
import type { StoredEntry } from '#store';
import { type Engine, newestEngine } from './engine.ts';
import { changeOf, editedLists, settleLists } from './lists.ts';
import { nameOf } from './realm.ts';
import { realmOf } from './realms.ts';
import { type Attributes, attributesOf, stampChanged } from './record.ts';
import { commit, type Decision } from './write.ts';

/** Entries that are looked at before others have the event loop: a millisecond or two. */
const entriesAtOnce = 200;

/** Nobody has changed the entry: of all that is kept of a change, only the number of the commit moves. */
const kept = new Set(['modifytimestamp', 'modifiersname']);

/**
 * Seals what lies open in a realm that is in product mode, as where its mode has changed, and seals anew under `keys.kek` what lies under
 * `keys.previousKek`: all entries, a few at a time. Once all is as it should be it stays so, and only another mode of a realm is a reason to look again.
 * What lies sealed in a realm that is in development mode now stays sealed.
 *
 * @returns the job: what to report of a run
 */
export function createResealing(opened: Engine): () => Promise<string> {
  let settled: string | undefined;
  return async () => {
    const engine = newestEngine(opened);
    if (!engine.sealer.canSeal) return 'there is no key-encryption key: nothing can be sealed';
    const modes = engine.realms
      .in(engine.store.snapshot())
      .all.map(({ id, mode }) => `${id} ${mode}`)
      .join();
    if (settled === modes) return 'all is sealed as it should be';
    const { sealed, unopened } = await resealAll(engine);
    if (unopened === 0) settled = modes;
    const report = `${sealed} entries were sealed anew; values of ${unopened} entries do not open under the keys at hand`;
    if (sealed > 0 || unopened > 0)
      engine.audit.record({
        realm: engine.realms.default.id,
        door: 'service',
        subject: '',
        action: 'directory.reseal',
        outcome: unopened === 0 ? 'success' : 'failed',
        summary: report,
        correlationId: 'reseal',
        address: '',
      });
    return report;
  };
}

async function resealAll(engine: Engine): Promise<{ readonly sealed: number; readonly unopened: number }> {
  let sealed = 0;
  let unopened = 0;
  for (let id = 1; id <= engine.store.snapshot().lastId(); id += entriesAtOnce) {
    const snapshot = engine.store.snapshot();
    const due: StoredEntry[] = [];
    for (let at = id; at < id + entriesAtOnce; at++) {
      const entry = snapshot.byId(at);
      if (entry === undefined || entry.secret.length === 0) continue;
      const needs = needsOf(engine, isSealing(engine, entry), entry);
      if (needs.has('unopened')) unopened++;
      if (needs.has('sealing')) due.push(entry);
    }
    for (const entry of due) if (await reseal(engine, entry.uuid)) sealed++;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return { sealed, unopened };
}

function isSealing(engine: Engine, { dnKey }: StoredEntry): boolean {
  return sealsSecrets((realmOf(engine, engine.store.snapshot(), dnKey) ?? engine.realms.default).mode);
}

/** What is to be done with an entry's values, and what cannot be done. */
function needsOf(engine: Pick<Engine, 'schema' | 'sealer'>, sealing: boolean, entry: StoredEntry): ReadonlySet<'sealing' | 'unopened'> {
  const needs = new Set<'sealing' | 'unopened'>();
  for (const [key, { values }] of sealedOf(engine, entry)) {
    for (const value of values) {
      const open = engine.sealer.open(entry.uuid, key, value);
      if (open === undefined) needs.add('unopened');
      else if (open.under === 'previous' || (open.under === 'nothing' && sealing)) needs.add('sealing');
    }
  }
  return needs;
}

function sealedOf({ schema }: Pick<Engine, 'schema'>, entry: StoredEntry): Attributes {
  return new Map([...attributesOf(schema, { ...entry, user: none, operational: none })].filter(([key]) => typeAt(schema, key)?.sealed));
}

const none = new Uint8Array(0);

/** @returns false when there is nothing to be done any more */
async function reseal(engine: Engine, uuid: string): Promise<boolean> {
  let done = false;
  await commit(engine, (look): Decision => {
    const snapshot = look();
    const entry = snapshot.byUuid(uuid);
    done = entry !== undefined && needsOf(engine, isSealing(engine, entry), entry).has('sealing');
    if (entry === undefined || !done) return { expected: [], changes: [], target: uuid };
    const { schema, sealer, clock } = engine;
    const attributes: Attributes = new Map(attributesOf(schema, entry));
    for (const [key, { description, values }] of sealedOf(engine, entry)) {
      const anew = values.map((value) => {
        const open = sealer.open(uuid, key, value);
        const stays = open === undefined || open.under === 'current' || (open.under === 'nothing' && !isSealing(engine, entry));
        return stays ? value : sealer.seal(uuid, key, open.value);
      });
      attributes.set(key, { description, values: anew });
    }
    const lists = editedLists(schema, snapshot, entry);
    settleLists(schema, attributes, entry, lists);
    const csn = engine.csn.next();
    stampChanged(attributes, { csn, nowMs: clock.nowMs(), by: '' }, kept);
    const place = { uuid, parent: entry.parent, name: { ...nameOf(schema, entry.dn), text: entry.dn }, csn };
    const { change, listedOctets, whole } = changeOf(schema, place, attributes, lists, entry);
    const expected = [{ kind: 'unchanged' as const, uuid, csn: entry.csn }];
    return { target: uuid, expected, changes: [change], listedOctets, whole, before: entry, touched: new Set() };
  });
  return done;
}
