import test from 'ava';
import { createProgressBuffer, progressOfReader, progressOfWriter } from '../../src/store/progress.ts';

function both() {
  const buffer = createProgressBuffer();
  return { writer: progressOfWriter(buffer), reader: progressOfReader(buffer) };
}

test('progress: a row that was noted before its transaction committed is named again after it has', (t) => {
  const { writer, reader } = both();
  const before = reader.generation();
  writer.touch(5);
  t.is(reader.generation(), before, 'nothing can be seen yet');
  t.deepEqual(reader.touchedRows(), [5], 'but what is opened from now on may hold it');
  writer.committed();
  t.not(reader.generation(), before);
  t.deepEqual(reader.touchedRows(), [5], 'what was kept in between was kept of the older state');
  reader.generation();
  t.deepEqual(reader.touchedRows(), []);
});

test('progress: rows of a transaction that is opened between the look at it and its notes are named', (t) => {
  const { writer, reader } = both();
  reader.generation();
  // The writer commits after the reader has looked, and before its snapshot is fixed.
  writer.touch(7);
  writer.committed();
  t.deepEqual(reader.touchedRows(), [7]);
  t.not(reader.generation(), 0);
  t.deepEqual(reader.touchedRows(), [7], 'it was not looked at before the snapshot: better twice than never');
});

test('progress: who has missed more rows than are kept is told that any may have changed, and follows again from there', (t) => {
  const { writer, reader } = both();
  for (let id = 0; id < 16_383; id++) writer.touch(id);
  writer.committed();
  reader.generation();
  t.is(reader.touchedRows()?.length, 16_383);
  for (let id = 0; id < 16_384; id++) writer.touch(id);
  writer.committed();
  reader.generation();
  t.is(reader.touchedRows(), undefined);
  writer.touch(3);
  writer.committed();
  reader.generation();
  t.deepEqual(reader.touchedRows(), [3]);
});

test('progress: whoever waits for a number wakes when it is durable, and not before', async (t) => {
  const { writer, reader } = both();
  writer.durable(3);
  t.is(reader.durable(3), undefined);
  let woken = false;
  const waiting = reader.durable(5)?.then(() => {
    woken = true;
  });
  writer.durable(4);
  await turns(20);
  t.false(woken);
  writer.durable(5);
  await waiting;
  t.true(woken);
  t.is(reader.durableNumber, 5);
});

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
