import { MessageChannel } from 'node:worker_threads';
import test from 'ava';
import { Refusal, refuse } from '#catalogue';
import { keysErrors } from '#keys';
import type { ChangeRecord } from '#store';
import { createLink } from '../../src/wiring/threads/link.ts';
import { refusalRows } from '../../src/wiring/threads/worker-plan.ts';
import { serveWorker } from '../../src/wiring/threads/worker-service.ts';
import { admin, emptyHouse, furnishedHouse } from '../directory/driver.ts';

test('in an entry’s line workers and the main thread stand behind each other, and a worker that is gone holds nobody up', async (t) => {
  const { engine } = emptyHouse(t);
  const none = () => undefined;
  const [one, other] = [serveWorker(engine, { record: none }, none), serveWorker(engine, { record: none }, none)];
  const passed: string[] = [];
  const first = await one.side.enter('a');
  const second = other.side.enter('a').then((place) => {
    passed.push('other');
    return place;
  });
  const third = engine.lines.wait('a', async () => void passed.push('main'));
  const fourth = one.side.enter('a').then(() => passed.push('one again'));
  await turns();
  t.deepEqual(passed, []);
  one.side.leave(first);
  await second;
  t.deepEqual(passed, ['other']);
  // It has its place, and one more stands in the line for another worker that is gone before its turn comes.
  one.end();
  other.end();
  await third;
  await engine.lines.wait('a', async () => void passed.push('main again'));
  t.deepEqual(passed, ['other', 'main', 'main again']);
  void fourth;
});

test('a worker that watches is told of what is durable, in copies of its own', async (t) => {
  const house = await furnishedHouse(t);
  const told: (readonly ChangeRecord[])[] = [];
  const { side, end } = serveWorker(house.engine, { record: () => undefined }, (changes) => void told.push(changes));
  side.watch();
  side.watch();
  const operator = house.operator();
  t.is((await operator.modify(admin, ['replace', 'description', 'watched'])).code, 0);
  t.is(told.length, 1);
  const [record] = told[0] ?? [];
  if (record?.change.kind !== 'put') return t.fail('a change of an entry');
  t.is(record.change.entry.dn, admin);
  const { user } = record.change.entry;
  t.is(user.buffer.byteLength, user.byteLength);
  end();
  t.is((await operator.modify(admin, ['replace', 'description', 'unwatched'])).code, 0);
  t.is(told.length, 1);
});

test('commits of a worker get their CSNs where they arrive, in the entry too', async (t) => {
  const { engine } = await furnishedHouse(t);
  const { side } = serveWorker(engine, { record: () => undefined }, () => undefined);
  const entry = engine.store.snapshot().byDnKey(engine.realms.default.administrator.key);
  if (entry === undefined) return t.fail('no administrator');
  const copy = { ...entry, operational: new Uint8Array(entry.operational), csn: 'to come' };
  const result = await side.commit(
    [{ kind: 'unchanged', uuid: entry.uuid, csn: entry.csn }],
    [{ kind: 'put', entry: copy }],
    engine.live.generation,
  );
  t.is(result.kind, 'committed');
  const after = engine.store.snapshot().byUuid(entry.uuid);
  t.true((after?.csn ?? '') > entry.csn);
  t.true(Buffer.from(after?.operational ?? []).includes(after?.csn ?? '?'));
  t.is(after?.operational.length, entry.operational.length);
  await t.throwsAsync(
    async () => side.commit([], [{ kind: 'put', entry: { ...copy, operational: new Uint8Array(0) } }], engine.live.generation),
    {
      message: /without room/,
    },
  );
});

interface There {
  twice(number: number): number;
  refused(): void;
  broken(): void;
  never(): Promise<void>;
}

test('between threads an answer, a refusal with its row and detail, and a defect come back; what waits for one that is gone fails', async (t) => {
  const { port1, port2 } = new MessageChannel();
  t.teardown(() => port1.close());
  const there: There = {
    twice: (number) => number * 2,
    refused: () => {
      throw refuse(keysErrors.hashQueueFull, { why: 'a test' });
    },
    broken: () => {
      throw new TypeError('a defect');
    },
    never: () => new Promise(() => undefined),
  };
  createLink<There, Record<never, never>>(port1, there, refusalRows);
  const link = createLink<Record<never, never>, There>(port2, {}, refusalRows);
  t.is(await link.ask('twice', 21), 42);
  const refusal = await t.throwsAsync(link.ask('refused'), { instanceOf: Refusal });
  t.is(refusal?.row, keysErrors.hashQueueFull);
  t.deepEqual(refusal?.detail, { why: 'a test' });
  await t.throwsAsync(link.ask('broken'), { message: /TypeError: a defect/ });
  const waiting = link.ask('never');
  link.end();
  await t.throwsAsync(waiting, { message: /has ended/ });
  await t.throwsAsync(link.ask('twice', 1), { message: /has ended/ });
});

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
