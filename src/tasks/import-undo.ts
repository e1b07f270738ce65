import type { Change, Expectation } from '#store';
import { counted, type Desk } from './import-desk.ts';
import { type Place, placeText } from './place.ts';
import type { Outcome, Work } from './task.ts';

const atOnce = 500;

/**
 * Takes away what an import has added, leaves first: the entries of the file up to its place, but those that were there before. One that others have put
 * something below meanwhile stays, and is told.
 */
export async function undo(work: Work, desk: Desk, place: Place, why: string): Promise<Outcome> {
  const { engine, report } = work;
  const { store } = engine;
  await report.write({ state: 'undoing', place: placeText(place) });
  const kept = new Set(place.kept);
  const keys: Uint8Array[] = [];
  for await (const entry of desk.records(0)) {
    if (entry.line > place.line) break;
    if (!('kind' in entry) && !kept.has(entry.dn)) keys.push(entry.key);
  }
  keys.sort(Buffer.compare).reverse();
  let stayed = 0;
  for (let at = 0; at < keys.length; at += atOnce) {
    const snapshot = store.snapshot();
    const changes: Change[] = [];
    const expected: Expectation[] = [];
    const entries = keys.slice(at, at + atOnce).flatMap((key) => snapshot.byDnKey(key) ?? []);
    const going = new Map<string, number>();
    for (const entry of entries) {
      const children = snapshot.countChildren(entry.uuid);
      // Leaves come first: whoever has others below it than those that go with it has to stay.
      if (children !== (going.get(entry.uuid) ?? 0)) {
        stayed++;
        continue;
      }
      changes.push({ kind: 'delete', uuid: entry.uuid, csn: engine.csn.next() });
      expected.push({ kind: 'unchanged', uuid: entry.uuid, csn: entry.csn }, { kind: 'children', uuid: entry.uuid, count: children });
      if (entry.parent !== undefined) going.set(entry.parent, (going.get(entry.parent) ?? 0) + 1);
    }
    stayed += await takeAway(work, changes, expected);
    await report.progress(keys.length - at, Math.floor(((keys.length - at) * 100) / Math.max(1, keys.length)));
  }
  const said = stayed === 0 ? 'nothing of it is left' : `${counted(stayed)} stay, which others have changed or put something below`;
  return { state: 'failed', result: `${why}; ${said}`, done: stayed };
}

/** @returns how many stay */
async function takeAway({ engine }: Work, changes: readonly Change[], expected: readonly Expectation[]): Promise<number> {
  if (changes.length === 0 || (await isDone(engine, expected, changes))) return 0;
  let stayed = 0;
  for (const [at, change] of changes.entries()) {
    if (change.kind !== 'delete') continue;
    const own: readonly Expectation[] = [expected[2 * at] as Expectation, { kind: 'childless', uuid: change.uuid }];
    if (!(await isDone(engine, own, [{ ...change, csn: engine.csn.next() }]))) stayed++;
  }
  return stayed;
}

async function isDone({ store }: Work['engine'], expected: readonly Expectation[], changes: readonly Change[]): Promise<boolean> {
  return (await store.commit(expected, changes)).kind === 'committed';
}
