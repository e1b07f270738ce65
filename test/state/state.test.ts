import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { readSettings } from '#catalogue';
import { type Kept, openState } from '#state';
import { openStateStore, storeSettings } from '#store';

interface Note {
  readonly text: string;
}

function parse(json: unknown): Note | undefined {
  return typeof json === 'object' && json !== null && 'text' in json && typeof json.text === 'string' ? { text: json.text } : undefined;
}

function open(t: ExecutionContext, { file = 'unused', stateRowsMax = 1000 } = {}) {
  let nowMs = 1_000_000;
  const clock = { nowMs: () => nowMs };
  const standing = readSettings(storeSettings, { environment: {} }).values;
  const settings = {
    ...standing,
    'persistence.mode': file === 'unused' ? ('memory' as const) : ('sqlite' as const),
    'persistence.stateRowsMax': stateRowsMax,
  };
  const store = openStateStore({ file, settings, clock, epoch: 1 });
  t.teardown(() => store.close());
  const state = openState({ store, clock });
  return {
    state,
    store,
    pass: (ms: number) => {
      nowMs += ms;
    },
    inMs: (ms: number) => nowMs + ms,
  };
}

const values = (kept: readonly Kept<Note>[]) => kept.map(({ value }) => value.text);

test('a record is found by its token in its realm, until it expires', async (t) => {
  const { state, pass, inMs } = open(t);
  const notes = state.kind({ name: 'note', parse });
  await notes.put('default', 'token', { text: 'a' }, inMs(1000), 'ada');
  t.deepEqual((await notes.get('default', 'token'))?.value, { text: 'a' });
  t.is(await notes.get('acme', 'token'), undefined);
  t.is(await notes.get('default', 'other'), undefined);
  pass(999);
  t.truthy(await notes.get('default', 'token'));
  pass(1);
  t.is(await notes.get('default', 'token'), undefined);
  t.is(await notes.take('default', 'token'), undefined);
  t.deepEqual(await notes.list('default', undefined, 10), []);
});

test('kinds of the same token do not meet', async (t) => {
  const { state, inMs } = open(t);
  const notes = state.kind({ name: 'note', parse });
  const others = state.kind({ name: 'other', parse });
  await notes.put('default', 'token', { text: 'a' }, inMs(1000));
  t.is(await others.get('default', 'token'), undefined);
  t.throws(() => state.kind({ name: 'note', parse }));
  t.throws(() => state.kind({ name: 'a/b', parse }));
});

test('what is single-use is given once', async (t) => {
  const { state, inMs } = open(t);
  const notes = state.kind({ name: 'note', parse });
  await notes.put('default', 'token', { text: 'a' }, inMs(1000));
  const taken = await Promise.all([1, 2, 3].map(() => notes.take('default', 'token')));
  t.is(taken.filter((kept) => kept !== undefined).length, 1);
});

test('of two replacements of the same reading one succeeds', async (t) => {
  const { state, inMs } = open(t);
  const notes = state.kind({ name: 'note', parse });
  await notes.put('default', 'token', { text: 'a' }, inMs(1000));
  for (const change of ['replace', 'touch'] as const) {
    const kept = await notes.get('default', 'token');
    if (kept === undefined) return t.fail();
    const done = await Promise.all(['b', 'c'].map((text) => notes[change](kept, { text: `${change} ${text}` })));
    t.deepEqual(
      done.map((next) => next?.value.text),
      [`${change} b`, undefined],
    );
    t.is((await notes.get('default', 'token'))?.value.text, `${change} b`);
    t.is(await notes.replace({ ...kept, key: 'none' }, { text: 'x' }), undefined);
  }
});

test('what is put as new is put once: what is there stays, though its owner has no more room, and what cannot be read counts as gone', async (t) => {
  const { state, store, inMs } = open(t);
  const notes = state.kind({ name: 'note', parse, ownerRowsMax: 2 });
  for (const token of ['a', 'b', 'a', 'b']) await notes.putNew('default', token, { text: token }, inMs(1000), 'ada');
  t.deepEqual(values(await notes.list('default', 'ada', 10)), ['a', 'b']);
  t.false(await notes.putNew('default', 'a', { text: 'again' }, inMs(1000), 'ada'));
  t.true(await notes.putNew('default', 'c', { text: 'c' }, inMs(1000), 'ada'));
  t.deepEqual(values(await notes.list('default', 'ada', 10)), ['b', 'c'], 'the oldest makes room for what is new');

  const kept = await notes.get('default', 'c');
  store.put('note/default', kept?.key ?? '', '{}', inMs(1000), 'ada');
  t.true(await notes.putNew('default', 'c', { text: 'new' }, inMs(1000), 'ada'));
  t.is((await notes.get('default', 'c'))?.value.text, 'new');
});

test('a replacement keeps its owner, and its expiry unless a new one is given', async (t) => {
  const { state, pass, inMs } = open(t);
  const notes = state.kind({ name: 'note', parse });
  await notes.put('default', 'token', { text: 'a' }, inMs(1000), 'ada');
  const kept = await notes.get('default', 'token');
  const next = kept && (await notes.touch(kept, { text: 'b' }));
  const last = next && (await notes.replace(next, { text: 'c' }, inMs(5000)));
  pass(2000);
  t.deepEqual(values(await notes.list('default', 'ada', 10)), ['c']);
  t.is((await notes.get('default', 'token'))?.expiresAtMs, last?.expiresAtMs);
});

test('a removed record is gone, and only once', async (t) => {
  const { state, inMs } = open(t);
  const notes = state.kind({ name: 'note', parse });
  await notes.put('default', 'token', { text: 'a' }, inMs(1000));
  const kept = await notes.get('default', 'token');
  if (kept === undefined) return t.fail();
  t.true(await notes.remove(kept));
  t.false(await notes.remove(kept));
  t.is(await notes.touch(kept, { text: 'b' }), undefined);
  t.is(await notes.get('default', 'token'), undefined);
});

test('two processes: what one removed or replaced does not come back when the other touches it as it was read', async (t) => {
  const { store, inMs } = open(t);
  const clock = { nowMs: () => inMs(0) };
  const ours = openState({ store, clock }).kind({ name: 'note', parse });
  const theirs = openState({ store, clock }).kind({ name: 'note', parse });

  await ours.put('default', 'removed', { text: 'a' }, inMs(1000));
  const removed = await ours.get('default', 'removed');
  await ours.put('default', 'replaced', { text: 'a' }, inMs(1000), 'ada');
  const replaced = await ours.get('default', 'replaced');
  if (removed === undefined || replaced === undefined) return t.fail();

  await theirs.remove(removed);
  t.is(await ours.touch(removed, { text: 'b' }), undefined);
  t.is(await theirs.get('default', 'removed'), undefined);

  await theirs.replace(replaced, { text: 'theirs' });
  t.is(await ours.touch(replaced, { text: 'b' }), undefined);
  t.deepEqual(values(await theirs.list('default', 'ada', 10)), ['theirs']);
});

test('a bounded kind puts out the least recently used of that realm, and says so', async (t) => {
  const { state, inMs } = open(t);
  const gone: string[] = [];
  const notes = state.kind({ name: 'note', parse, rowsMax: () => 3, gone: ({ value }, why) => gone.push(`${value.text} ${why}`) });
  await notes.put('acme', 'x', { text: 'x' }, inMs(1000));
  for (const text of ['a', 'b', 'c']) await notes.put('default', text, { text }, inMs(1000));
  const a = await notes.get('default', 'a');
  if (a) await notes.touch(a, a.value);
  await notes.put('default', 'd', { text: 'd' }, inMs(1000));
  t.deepEqual(gone, ['b evicted']);
  t.deepEqual(values(await notes.list('default', undefined, 10)), ['c', 'a', 'd']);
  t.deepEqual(values(await notes.list('acme', undefined, 10)), ['x']);
});

test('however many rows there are, a bounded kind that is opened anew reads none of them to know that there is room', async (t) => {
  const { store, state, inMs } = open(t);
  const before = state.kind({ name: 'note', parse });
  for (let i = 0; i < 50; i++) await before.put('default', `token ${i}`, { text: 'a' }, inMs(1000));
  const asked: number[] = [];
  const watched = {
    ...store,
    list: (kind: string, owner: string | undefined, limit: number) => {
      asked.push(limit);
      return store.list(kind, owner, limit);
    },
  };
  const after = openState({ store: watched, clock: { nowMs: () => inMs(0) } }).kind({ name: 'note', parse, rowsMax: () => 50 });
  await after.put('default', 'another', { text: 'b' }, inMs(1000));
  t.deepEqual(asked, [1], 'only the one that goes is looked at');
  t.is(store.count('note/default'), 50);
});

test('a bound that was lowered counts from the next put on', async (t) => {
  const { state, inMs } = open(t);
  let rowsMax = 5;
  const notes = state.kind({ name: 'note', parse, rowsMax: () => rowsMax });
  for (const text of ['a', 'b', 'c', 'd', 'e']) await notes.put('default', text, { text }, inMs(1000));
  rowsMax = 2;
  await notes.put('default', 'f', { text: 'f' }, inMs(1000));
  t.deepEqual(values(await notes.list('default', undefined, 10)), ['e', 'f']);
});

test('what was noted is noted until it ends, also the oldest of a kind that is full, and for who says an earlier end', async (t) => {
  const { state, pass, inMs } = open(t);
  const used = state.kind({ name: 'used', parse, rowsMax: () => 2 });
  for (const token of ['a', 'b']) t.true(await used.claim('default', token, inMs(1000)));
  for (const token of ['a', 'b', 'a']) t.false(await used.claim('default', token, inMs(1000)), token);
  t.false(await used.claim('default', 'a', inMs(500)));
  pass(1000);
  t.true(await used.claim('default', 'a', inMs(1000)));
});

test('what has expired makes room before anybody is put out', async (t) => {
  const { state, pass, inMs } = open(t);
  const gone: string[] = [];
  const notes = state.kind({ name: 'note', parse, rowsMax: () => 2, gone: ({ value }, why) => gone.push(`${value.text} ${why}`) });
  await notes.put('default', 'long', { text: 'long' }, inMs(10_000));
  await notes.put('default', 'short', { text: 'short' }, inMs(1000));
  pass(2000);
  await notes.put('default', 'new', { text: 'new' }, inMs(1000));
  t.deepEqual(gone, ['short expired']);
  t.deepEqual(values(await notes.list('default', undefined, 10)), ['long', 'new']);
});

test('the sweep removes what has expired, of each kind, and says how much', async (t) => {
  const { state, store, pass, inMs } = open(t, { stateRowsMax: 10_000 });
  const notes = state.kind({ name: 'note', parse });
  const others = state.kind({ name: 'other', parse });
  for (let i = 0; i < 1200; i++) await notes.put(i % 2 === 0 ? 'default' : 'acme', `t${i}`, { text: 'a' }, inMs(1000));
  await others.put('default', 'short', { text: 'a' }, inMs(1000));
  await others.put('default', 'long', { text: 'a' }, inMs(5000));
  t.deepEqual([...(await state.sweep())], []);
  pass(1000);
  t.deepEqual(Object.fromEntries(await state.sweep()), { note: 1200, other: 1 });
  t.truthy(await others.get('default', 'long'));
  t.is(store.list('note/default', undefined, 10).length, 0);
});

test('what does not parse any more counts as gone', async (t) => {
  const { state, store, inMs } = open(t);
  const notes = state.kind({ name: 'note', parse });
  await notes.put('default', 'token', { text: 'a' }, inMs(1000));
  const [row] = store.list('note/default', undefined, 1);
  for (const value of ['{', '[]', 'null', '{"text":1}']) {
    store.put('note/default', row?.key ?? '', value, inMs(1000));
    t.is(await notes.get('default', 'token'), undefined);
    t.deepEqual(await notes.list('default', undefined, 1), []);
  }
});

test('neither file nor row holds a token: whoever copies them opens nothing', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const { state, inMs } = open(t, { file: join(folder, 'state.sqlite') });
  const notes = state.kind({ name: 'note', parse });
  const token = 'canary-token-4711';
  await notes.put('default', token, { text: 'a visible value' }, inMs(100_000));
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  t.true(files.some((octets) => octets.includes('a visible value')));
  t.false(files.some((octets) => octets.includes(token)));
});

test('the count of a realm stays right whatever is done: never more rows than the bound, never one too few kept', async (t) => {
  const step = fc.record({
    what: fc.constantFrom('put', 'take', 'touch', 'remove', 'sweep', 'pass'),
    token: fc.nat(11),
    ttlMs: fc.constantFrom(5, 1000),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { state, pass, inMs } = open(t);
      const notes = state.kind({ name: 'note', parse, rowsMax: () => 4 });
      // What must be there: tokens in the order of their use, with their expiry.
      let model: { token: string; untilMs: number }[] = [];
      const prune = () => {
        model = model.filter(({ untilMs }) => untilMs > inMs(0));
      };
      let fresh = 0;
      for (const { what, token, ttlMs } of steps) {
        prune();
        const chosen = model[token % Math.max(model.length, 1)]?.token ?? 'none';
        const kept = await notes.get('r', chosen);
        if (what === 'put') {
          const untilMs = inMs(ttlMs);
          await notes.put('r', `n${fresh}`, { text: 'x' }, untilMs);
          model = [...model.slice(-3), { token: `n${fresh++}`, untilMs }];
        } else if (what === 'take') {
          await notes.take('r', chosen);
          model = model.filter((one) => one.token !== chosen);
        } else if (what === 'touch' && kept) {
          await notes.touch(kept, { text: `touched ${fresh++}` });
          model = [...model.filter((one) => one.token !== chosen), ...model.filter((one) => one.token === chosen)];
        } else if (what === 'remove' && kept) {
          await notes.remove(kept);
          model = model.filter((one) => one.token !== chosen);
        } else if (what === 'sweep') await state.sweep();
        else if (what === 'pass') pass(6);
      }
      prune();
      const there = await Promise.all(model.map(async ({ token }) => (await notes.get('r', token)) !== undefined));
      t.true(there.every(Boolean));
      t.is((await notes.list('r', undefined, 100)).length, model.length);
    }),
    { numRuns: 40 },
  );
});
