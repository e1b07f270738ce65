import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createRoomAhead } from '../../src/store/room-ahead.ts';
import { child } from './child.ts';
import { entry, folder, open, uuid } from './support.ts';

const kib = 1024;
const mib = 2 ** 20;

test('room ahead: behind what was written zeros are written, in steps that grow, up to the bound, and never over anything', (t) => {
  const descriptor = openSync(join(folder(t), 'log'), 'wx+');
  t.teardown(() => closeSync(descriptor));
  const makeRoom = createRoomAhead(descriptor, 8 * mib);
  makeRoom();
  t.is(fstatSync(descriptor).size, 0, 'nothing was written');

  const frame = Buffer.alloc(10 * kib, 1);
  const sizes = new Set<number>();
  for (let end = 0; end < 9 * mib; end += frame.length) {
    writeSync(descriptor, frame, 0, frame.length, end);
    makeRoom();
    const { size } = fstatSync(descriptor);
    t.true(size >= end + frame.length && size <= Math.max(8 * mib, end + frame.length), `${size} octets`);
    if (size < 8 * mib) sizes.add(size);
  }
  // 10 + 64 = 74 KiB, then twice as many, then steps of a thirty-second of the bound.
  t.deepEqual([...sizes].slice(0, 2), [74 * kib, 160 * kib]);
  t.true(sizes.size < 8 * 4 + 5, `${sizes.size} steps`);
  t.true(readFileSync(descriptor).every((octet) => octet === 1));

  ftruncateSync(descriptor, 30 * kib);
  makeRoom();
  t.is(fstatSync(descriptor).size, 30 * kib, 'a file that was cut back is no reason');
  writeSync(descriptor, frame, 0, frame.length, 30 * kib);
  makeRoom();
  t.is(fstatSync(descriptor).size, (40 + 64) * kib);
});

test('room ahead: a log that is carried over in time is never cut back, and grows for few of its commits', async (t) => {
  const file = join(folder(t), 'entries');
  const { store, reports } = open(t, file, { 'persistence.walMib': 2 });
  const sizes: number[] = [0];
  for (let number = 0; number < 600; number++) {
    const operational = new Uint8Array(20_000);
    await store.commit([], [{ kind: 'put', entry: entry(number % 10, [`cn=${number % 10}`], { operational }) }]);
    sizes.push(statSync(`${file}-wal`).size);
  }
  const grown = sizes.filter((size, at) => at > 0 && size > (sizes[at - 1] ?? 0));
  t.deepEqual(
    sizes.filter((size, at) => at > 0 && size < (sizes[at - 1] ?? 0)),
    [],
  );
  // 600 commits of more than 40,000 octets are many times the bound.
  t.true(grown.length < 40, `${grown.length} times`);
  t.true((sizes.at(-1) ?? 0) <= 4.5 * mib);
  t.deepEqual(reports, []);
});

test('room ahead: after kill -9 a log with zeros behind it gives back all that was answered, and nothing else', async (t) => {
  const file = join(folder(t), 'entries');
  const writer = child(t, 'told', file);
  await writer.said('ready\n');
  for (let number = 1; number <= 20; number++) {
    writer.say(`put ${number} 1 3000`);
    await writer.said(`committed ${number}\n`);
  }
  writer.kill();
  await writer.ended;
  const log = readFileSync(`${file}-wal`);
  t.true(log.length > 64 * kib);
  t.true(
    log.subarray(-8 * kib).every((octet) => octet === 0),
    'zeros stand behind the last frame',
  );

  const { store } = open(t, file);
  const snapshot = store.snapshot();
  t.is(snapshot.number, 20);
  for (let number = 1; number <= 20; number++) t.is(snapshot.byUuid(uuid(number))?.operational.length, 3000);
  await store.close();
});
