import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { utf8 } from '#base';
import { keysBelow } from '#schema';
import { type Change, createProgressBuffer, type EntryRecord, openStoreBeside, type Snapshot } from '#store';
import { entry, folder, open, settingsWith, uuid } from './support.ts';

/** As the directory says it: rules, and what has members. */
const governs = ({ user }: EntryRecord) => /rule|big=/.test(Buffer.from(user).toString());

/** A store and one beside it, in one thread: so a test decides what happens between two steps of either. */
function openBoth(t: ExecutionContext, changed: Parameters<typeof settingsWith>[0] = {}) {
  const file = join(folder(t), 'entries');
  const progress = createProgressBuffer();
  const { store } = open(t, file, changed, { governs, beside: { progress, letGo: async () => beside.release() } });
  const settings = settingsWith(changed);
  const { epoch, commit, watch } = store;
  const beside = openStoreBeside({ file, progress, epoch, settings, keysBelow, commit, watch });
  t.teardown(() => beside.close());
  return { store, beside };
}

let csn = 0;
const put = (number: number, user: string): Change => ({
  kind: 'put',
  entry: entry(number, ['dc=com', `cn=${number}`], { csn: `c${++csn}`, user: utf8(user) }),
});
const remove = (number: number): Change => ({ kind: 'delete', uuid: uuid(number), csn: `c${++csn}` });

/** What a cache of rules would hold. */
function rulesIn(snapshot: Snapshot): string {
  return [1, 2, 3, 4]
    .map((number) => snapshot.byUuid(uuid(number)))
    .map((found) => (found !== undefined && (governs(found) || found.large.length > 0) ? `${found.uuid}=${found.csn}` : '-'))
    .join();
}

/** A cache as the directory keeps them. */
function cacheOf() {
  let made = -1;
  let rules = '';
  return {
    look(snapshot: Snapshot): string {
      if (snapshot.governing > made || made > snapshot.number) {
        made = snapshot.number;
        rules = rulesIn(snapshot);
      }
      return rules;
    },
  };
}

const number = fc.integer({ min: 1, max: 4 });
const values = fc.constantFrom('x=1', 'x=2', 'rule;x=1', 'big=a;big=b;big=c;big=d', 'big=a;big=b;big=c;big=d;big=e');
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('put' as const), number, user: values }) },
  fc.record({ kind: fc.constant('delete' as const), number }),
  fc.record({ kind: fc.constant('amend' as const), number }),
  fc.record({ kind: fc.constant('impossible' as const), number }),
  fc.record({ kind: fc.constant('conflict' as const), number }),
  { weight: 3, arbitrary: fc.constant({ kind: 'look' as const }) },
);

for (const [means, changed] of [
  ['commits of one turn', {}],
  ['commits of many turns', { 'persistence.turnChangesMax': 0 }],
] as const) {
  test(`the governing number: what was worked out from entries that govern is good while the number says so, here and beside, by ${means}`, async (t) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { store, beside } = openBoth(t, changed);
        const caches = [cacheOf(), cacheOf()] as const;
        for (const each of steps) {
          const there = each.kind === 'look' ? undefined : store.snapshot().byUuid(uuid(each.number));
          if (each.kind === 'put') await store.commit([], [put(9, 'x=9'), put(each.number, each.user)]);
          else if (each.kind === 'delete' && there !== undefined) await store.commit([], [remove(each.number)]);
          else if (each.kind === 'amend' && there !== undefined && there.large.length > 0) {
            const lists = there.large.map(({ attribute, description }) => ({ attribute, description, removed: [], added: [utf8('z')] }));
            await store.commit([], [{ kind: 'amend', entry: { ...there, csn: `c${++csn}` }, lists }]).catch(() => undefined);
          } else if (each.kind === 'impossible') {
            // Its first entry is a rule, and is written and taken back with the second, which cannot be.
            const first = put(each.number, 'rule;x=never');
            const twice = first.kind === 'put' ? [first, { ...first, entry: { ...first.entry, uuid: uuid(99) } }] : [];
            await t.throwsAsync(store.commit([], twice));
          } else if (each.kind === 'conflict') {
            await store.commit([{ kind: 'unchanged', uuid: uuid(50), csn: 'x' }], [put(each.number, 'rule;x=never')]);
          }
          for (const [at, { snapshot }] of [store, beside].entries()) {
            const seen = snapshot();
            t.is(caches[at]?.look(seen), rulesIn(seen));
            t.true(seen.governing <= seen.number, 'what is taken back leaves no number of a commit that never was');
          }
        }
      }),
      { numRuns: Number(process.env['GOVERNING_RUNS'] ?? 15) },
    );
  });
}

test('the governing number stays where it is while people change, and moves with a rule, a list, what was a rule and whatever is deleted', async (t) => {
  const { store, beside } = openBoth(t);
  const moves = async (...changes: Change[]) => {
    const before = store.snapshot().governing;
    await store.commit([], changes);
    t.is(beside.snapshot().governing, store.snapshot().governing);
    return store.snapshot().governing !== before;
  };
  t.false(await moves(put(1, 'x=1')));
  t.false(await moves(put(1, 'x=2'), put(2, 'x=2')));
  t.true(await moves(put(1, 'rule')), 'it becomes one');
  t.false(await moves(put(2, 'x=3')));
  t.true(await moves(put(2, 'x=4'), put(1, 'rule;x=1')), 'it changes');
  t.true(await moves(put(1, 'x=1')), 'it is one no longer');
  t.true(await moves(put(3, 'big=a;big=b;big=c;big=d')), 'a list is made');
  t.true(await moves(put(3, 'big=a;big=b;big=c;big=d;big=e')), 'it gets longer');
  t.true(await moves(put(3, 'x=1')), 'it goes');
  t.true(await moves(put(1, 'rule')));
  t.true(await moves(remove(1)));
  t.true(await moves(remove(2)), 'whoever goes has no rights from then on');
});

test('the governing number of a store that is opened again is that of its newest commit: nobody remembers anything of before', async (t) => {
  const file = join(folder(t), 'entries');
  const first = open(t, file, {}, { governs });
  await first.store.commit([], [put(1, 'rule')]);
  await first.store.commit([], [put(2, 'x=1')]);
  await first.store.close();
  const again = open(t, file, {}, { governs }).store.snapshot();
  t.is(again.governing, again.number);
});
