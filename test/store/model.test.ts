import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { compareBytes, utf8 } from '#base';
import { keysBelow } from '#schema';
import type { Change, EntryRecord, Expectation } from '#store';
import { applied, expectedOf, type Model, shown } from './model.ts';
import { dnKey, entry, folder, indexer, open, uuid } from './support.ts';

const numbers = fc.integer({ min: 1, max: 8 });
const names = fc.array(fc.constantFrom('a', 'b', 'ab', 'c'), { minLength: 1, maxLength: 3 });
const csns = fc.constantFrom('1', '2', '3');
const texts = fc.array(fc.tuple(fc.constantFrom('cn', 'mail', 'uid'), fc.string({ unit: fc.constantFrom('x', 'y', 'z'), maxLength: 3 })), {
  maxLength: 4,
});

const changes = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), number: numbers, parent: fc.option(numbers), name: names, csn: csns, user: texts }),
  fc.record({ kind: fc.constant('delete' as const), number: numbers, csn: csns }),
);
const expectations = fc.oneof(
  fc.record({ kind: fc.constant('unchanged' as const), number: numbers, csn: csns }),
  fc.record({ kind: fc.constant('absent' as const), name: names }),
  fc.record({ kind: fc.constant('childless' as const), number: numbers }),
  fc.record({ kind: fc.constant('unused' as const), number: numbers }),
  fc.record({
    kind: fc.constant('held' as const),
    attribute: fc.constantFrom('cn', 'mail', 'uid'),
    key: fc.constantFrom('x', 'y', 'xx'),
    by: fc.array(fc.record({ number: numbers, csn: csns }), { maxLength: 4 }),
  }),
  fc.record({ kind: fc.constant('children' as const), number: numbers, count: fc.integer({ min: 0, max: 3 }) }),
  fc.record({
    kind: fc.constant('within' as const),
    attribute: fc.constantFrom('cn', 'mail', 'uid'),
    prefix: fc.constantFrom('x', 'y', 'xx'),
    count: fc.integer({ min: 0, max: 3 }),
  }),
  fc.record({ kind: fc.constant('between' as const), name: names, count: fc.integer({ min: 0, max: 3 }) }),
);
const commits = fc.record({ expected: fc.array(expectations, { maxLength: 1 }), changes: fc.array(changes, { maxLength: 3 }) });
/** Batches: what stands in one inner list arrives in one turn. */
const runs = fc.array(fc.array(commits, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 });

type Generated<T> = T extends fc.Arbitrary<infer V> ? V : never;

function changeOf(made: Generated<typeof changes>): Change {
  if (made.kind === 'delete') return { kind: 'delete', uuid: uuid(made.number), csn: made.csn };
  const user = utf8(made.user.map(([name, value]) => `${name}=${value}`).join(';'));
  return {
    kind: 'put',
    entry: entry(made.number, made.name, { parent: made.parent === null ? undefined : uuid(made.parent), csn: made.csn, user }),
  };
}

function rangeBelow(key: Uint8Array) {
  const { from, before } = keysBelow(key);
  return { from, before: before ?? utf8('') };
}

function expectationOf(made: Generated<typeof expectations>): Expectation {
  switch (made.kind) {
    case 'unchanged':
      return { kind: 'unchanged', uuid: uuid(made.number), csn: made.csn };
    case 'absent':
      return { kind: 'absent', dnKey: dnKey(...made.name) };
    case 'childless':
      return { kind: 'childless', uuid: uuid(made.number) };
    case 'unused':
      return { kind: 'unused', uuid: uuid(made.number) };
    case 'held':
      return { ...made, key: utf8(made.key), by: made.by.map(({ number, csn }) => ({ uuid: uuid(number), csn })) };
    case 'children':
      return { kind: 'children', uuid: uuid(made.number), count: made.count };
    case 'within':
      return { ...made, prefix: utf8(made.prefix) };
    case 'between':
      return { kind: 'between', ...rangeBelow(dnKey(...made.name)), count: made.count };
  }
}

function rowsWithin(all: readonly EntryRecord[], attribute: string, prefix: Uint8Array): number {
  const rows = all.flatMap((one) => {
    const keys = indexer(one).filter((each) => each.attribute === attribute);
    return [...new Set(keys.map(({ key }) => Buffer.from(key).toString()))];
  });
  return rows.filter((key) => key.startsWith(Buffer.from(prefix).toString())).length;
}

function holds(model: Model, expected: Expectation): boolean {
  const all = [...model.values()];
  switch (expected.kind) {
    case 'unchanged':
      return model.get(expected.uuid)?.csn === expected.csn;
    case 'absent':
      return !all.some(({ dnKey: key }) => compareBytes(key, expected.dnKey) === 0);
    case 'childless':
      return !all.some(({ parent }) => parent === expected.uuid);
    case 'unused':
      return !model.has(expected.uuid);
    case 'held':
      return all
        .filter((one) =>
          indexer(one).some(({ attribute, key }) => attribute === expected.attribute && compareBytes(key, expected.key) === 0),
        )
        .every((one) => expected.by.some(({ uuid, csn }) => one.uuid === uuid && one.csn === csn));
    case 'children':
      return all.filter(({ parent }) => parent === expected.uuid).length === expected.count;
    case 'within':
      return rowsWithin(all, expected.attribute, expected.prefix) === expected.count;
    case 'between': {
      const { from, before, count } = expected;
      return all.filter(({ dnKey: key }) => compareBytes(key, from) >= 0 && compareBytes(key, before) < 0).length === count;
    }
  }
}

for (const [how, turnChangesMax] of [
  ['in one turn', 128],
  ['over many turns', 0],
] as const)
  test(`whatever is committed ${how}, in whatever batches, lookups, tree and change log agree with a model in memory, also after reopening`, async (t) => {
    let round = 0;
    const path = folder(t);
    await fc.assert(
      fc.asyncProperty(runs, async (batches) => {
        const file = join(path, String(round++));
        const { store, fatal } = open(t, file, { 'persistence.turnChangesMax': turnChangesMax });
        let model: Model = new Map();
        let number = 0;
        for (const batch of batches) {
          const results = await Promise.allSettled(
            batch.map((made) => store.commit(made.expected.map(expectationOf), made.changes.map(changeOf))),
          );
          for (const [at, made] of batch.entries()) {
            const result = results[at];
            const failed = made.expected.map(expectationOf).find((expected) => !holds(model, expected));
            const next = applied(model, made.changes.map(changeOf));
            if (failed !== undefined) {
              t.deepEqual<unknown, unknown>(result, { status: 'fulfilled', value: { kind: 'conflict', failed } });
            } else if (next === undefined) t.is(result?.status, 'rejected');
            else {
              if (made.changes.length > 0) number++;
              model = next;
              t.deepEqual<unknown, unknown>(result, { status: 'fulfilled', value: { kind: 'committed', number } });
            }
          }
          t.is(store.snapshot().number, number);
          t.deepEqual(shown(store), expectedOf(model));
        }
        const replayed = applied(
          new Map(),
          store.changes(0, 1000).map(({ change }) => change),
        );
        t.deepEqual(replayed && expectedOf(replayed), expectedOf(model), 'the change log tells the same');
        await store.close();
        const again = open(t, file).store;
        t.deepEqual(shown(again), expectedOf(model));
        await again.close();
        t.deepEqual(fatal, []);
      }),
      { numRuns: 40 },
    );
  });
