import { join } from 'node:path';
import test from 'ava';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { utf8 } from '#base';
import { type Change, examineDirectory, GramBuilder, type Indexer, type Store } from '#store';
import { entry, folder, large, type Opened, open, uuid } from './support.ts';

/** As the indexer of the other tests, but that every key is found by its inside. */
const inside: Indexer = ({ user }) =>
  Buffer.from(user)
    .toString()
    .split(';')
    .filter((item) => item !== '')
    .map((item) => {
      const at = item.indexOf('=');
      return { attribute: item.slice(0, at), key: utf8(item.slice(at + 1)), inside: true };
    });

type Values = readonly (readonly [attribute: string, value: string])[];

/** A store whose idle timer is moved by hand. */
function openMerging(t: Parameters<typeof open>[0], file: string): Opened & { tick(): void } {
  let tick = (): void => undefined;
  const every = (_: number, run: () => void) => {
    tick = run;
    return () => undefined;
  };
  const opened = open(t, file, {}, { indexer: inside, every });
  return { ...opened, tick: () => tick() };
}

function put(number: number, values: Values): Change {
  const user = utf8(values.map(([name, value]) => `${name}=${value}`).join(';'));
  return { kind: 'put', entry: entry(number, [`e${number}`], { csn: String(number), user }) };
}

function found(store: Store, attribute: string, ...parts: string[]): string[] | undefined {
  const snapshot = store.snapshot();
  return snapshot.idsInside(attribute, parts.map(utf8), 1000)?.map((id) => snapshot.readable(id)?.uuid ?? '-');
}

/** Values that share grams with each other, and some that are too short to have any. */
const few = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', 'é', '☃'), maxLength: 9 }),
  fc.constantFrom('lovelace', 'ada lovelace', 'lovelace, ada', 'lacelace', 'love'),
);
const names = fc.constantFrom('cn', 'mail');
const values = fc.array(fc.tuple(names, few), { maxLength: 4 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('put' as const), number: fc.integer({ min: 1, max: 5 }), values }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), number: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('merge' as const), turns: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
);

/** Lets the loop turn: a piece of merging is done in each turn when nothing else is. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** What an examination finds wrong with the indexes of a file, which may be in use. */
function faults(file: string): string[] {
  const told: string[] = [];
  examineDirectory(file, {
    indexer: inside,
    large,
    indexVersion: '1',
    cacheMib: 1,
    judge: () => [],
    judgeLogged: () => [],
    tell: ({ what }) => told.push(what),
  });
  return told;
}

test('at every mix of what is in place and what is pending, an entry is found by whatever stands in its values', async (t) => {
  const path = folder(t);
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25, size: 'max' }), fc.infiniteStream(few), async (steps, parts) => {
      const file = join(path, `d${round++}`);
      let opened = openMerging(t, file);
      const model = new Map<string, Values>();
      for (const each of steps) {
        if (each.kind === 'merge') {
          opened.tick();
          for (let at = 0; at < each.turns; at++) await turn();
        } else if (each.kind === 'reopen') {
          await opened.store.close();
          opened = openMerging(t, file);
        } else if (each.kind === 'put') {
          await opened.store.commit([], [put(each.number, each.values)]);
          model.set(uuid(each.number), each.values);
        } else if (model.delete(uuid(each.number))) {
          await opened.store.commit([], [{ kind: 'delete', uuid: uuid(each.number), csn: 'z' }]);
        }
        for (const name of ['cn', 'mail']) {
          const part = parts.next().value ?? '';
          const ids = found(opened.store, name, part);
          if (utf8(part).length < 4) continue;
          const expected = [...model].filter(([, given]) => given.some(([itsName, value]) => itsName === name && value.includes(part)));
          for (const [holder] of expected) t.true(ids?.includes(holder), `${part} is in a value of ${holder}`);
        }
        t.deepEqual(faults(file), []);
      }
      await opened.store.close();
      t.deepEqual(opened.fatal, []);
    }),
    { numRuns: 25 },
  );
});

test('lists made at once are the same whether they fit into memory or go through a file, and those of too many rows are suppressed', (t) => {
  const built = (memoryMib: number) => {
    const database = new Database(':memory:');
    database.exec('CREATE TABLE gram (attribute, gram, first, ids, PRIMARY KEY (attribute, gram, first)) WITHOUT ROWID');
    using grams = new GramBuilder(memoryMib);
    for (let id = 1; id <= 130_000; id++) {
      grams.add(17, id, utf8('common'));
      if (id % 1000 === 0) for (const attribute of [18, 16]) grams.add(attribute, id, utf8(`person ${id % 7000}`));
    }
    const rows = grams.write(database);
    const held = database
      .prepare<[], { attribute: number; gram: number; first: number; ids: Buffer }>('SELECT * FROM gram ORDER BY 1, 2, 3')
      .all()
      .map(({ attribute, gram, first, ids }) => [attribute, gram, first, ids.toString('hex')].join());
    database.close();
    t.is(rows, held.length);
    return held;
  };
  const whole = built(64);
  t.true(whole.join('\n') === built(0.05).join('\n'));
  // Three grams of one value that everybody has: a mark each.
  t.deepEqual(
    whole.filter((row) => row.startsWith('17,')).map((row) => row.split(',').slice(2)),
    Array(3).fill(['-1', '']),
  );
});
