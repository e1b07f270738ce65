import { PassThrough } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { createLog } from '#audit';
import { utf8 } from '#base';
import { Refusal, readSettings } from '#catalogue';
import { ClientRefusal, clientErrors, clientSettings, connectDirectory, equals, present } from '#client';
import { encodeMessage, type Response } from '#ldap';
import { observeLog } from '../support/observed.ts';
import { type Answering, rawDirectory, success } from './raw-directory.ts';

const standing = readSettings(clientSettings, { environment: {} }).values;

async function connect(t: ExecutionContext, answering: Answering, given: Partial<typeof standing> = {}) {
  const { socketPath, requests } = await rawDirectory(t, answering);
  let nowMs = 0;
  const settings: { -readonly [Name in keyof typeof standing]: (typeof standing)[Name] } = { ...standing, ...given };
  const client = connectDirectory({
    socketPath,
    secret: utf8('secret'),
    clock: { nowMs: () => nowMs },
    settings,
  });
  t.teardown(() => client.close());
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { client, requests, settings, pass };
}

const asked = { base: 'dc=x', scope: 'sub', filter: present('objectClass') } as const;
const entry = (object: string, value = 'v'): Response => ({
  kind: 'searchResultEntry',
  object,
  attributes: [{ description: 'cn', values: [utf8(value)] }],
});
const done: Response = { kind: 'searchResultDone', result: success };

test('a result code that nobody knows is a refusal with that code (ldapjs throws a TypeError)', async (t) => {
  for (const code of [122, 123, 4096, 16_654, 2_147_483_647]) {
    const { client } = await connect(t, (_, send) => send({ kind: 'delResponse', result: { ...success, code, diagnostic: 'so it is' } }));
    const refusal = await t.throwsAsync(client.as('self').delete('dc=x'), { instanceOf: ClientRefusal });
    t.is(refusal?.code, code);
    t.is(refusal?.diagnostic, 'so it is');
  }
});

test('a search goes on behind an intermediate response (ldapjs ends it there)', async (t) => {
  const { client } = await connect(t, (_, send) =>
    send(entry('cn=1'), { kind: 'intermediateResponse', oid: '1.2.3', value: utf8('x') }, entry('cn=2'), done),
  );
  t.deepEqual(
    (await client.as('self').search(asked)).entries.map(({ dn }) => dn),
    ['cn=1', 'cn=2'],
  );
});

test('a name that ldapjs cannot parse is given as it came', async (t) => {
  for (const name of ['cn=#0401ff', 'cn=a\\00b', '1.2.3=x+cn=y', 'cn=ä\\, "b"', 'no name at all']) {
    const { client } = await connect(t, (_, send) => send(entry(name), done));
    t.is((await client.as('self').search(asked)).entries[0]?.dn, name);
  }
});

test('a control carries its octets (ldapjs makes text of them)', async (t) => {
  const { client, requests } = await connect(t, (_, send) => send({ kind: 'bindResponse', result: success }));
  await client.judge({ dn: 'cn=x', password: Uint8Array.of(0xff, 0xfe, 0x00), door: 'signin', address: '192.0.2.1' });
  const bind = requests.at(-1);
  t.deepEqual(
    bind?.controls.map(({ oid, critical, value }) => [oid, critical, Buffer.from(value ?? []).toString('hex')]),
    [
      [
        '2.25.83716444157178576224225129172109131643.5.1',
        true,
        `30130406${Buffer.from('signin').toString('hex')}0409${Buffer.from('192.0.2.1').toString('hex')}`,
      ],
    ],
  );
  t.true(bind?.op.kind === 'bindRequest' && bind.op.authentication.kind === 'simple');
  if (bind?.op.kind !== 'bindRequest' || bind.op.authentication.kind !== 'simple') return;
  t.deepEqual([...bind.op.authentication.password], [0xff, 0xfe, 0x00]);
});

test('a long door and address fit the control, whatever a proxy said', async (t) => {
  const { client, requests } = await connect(t, (_, send) => send({ kind: 'bindResponse', result: success }));
  await client.judge({ dn: 'cn=x', password: 'x', door: 'd'.repeat(500), address: 'a'.repeat(500) });
  const value = requests.at(-1)?.controls[0]?.value ?? new Uint8Array(0);
  t.true(value.length <= 129);
  t.is(value[1], value.length - 2);
});

test('a directory that does not answer is not waited for longer than client.timeoutMs; the request is abandoned', async (t) => {
  const answering: Answering = ({ op }, send) => void (op.kind === 'delRequest' && send({ kind: 'delResponse', result: success }));
  const { client, requests, settings } = await connect(t, answering, { 'client.timeoutMs': 20 });
  const refusal = await t.throwsAsync<Refusal>(client.as('self').search(asked), { instanceOf: Refusal });
  t.is(refusal?.row, clientErrors.unanswered);
  settings['client.timeoutMs'] = standing['client.timeoutMs'];
  // The next request comes behind the abandon on the same connection.
  await client.as('self').delete('dc=x');
  const search = requests.find(({ op }) => op.kind === 'searchRequest');
  t.true(requests.some(({ op }) => op.kind === 'abandonRequest' && op.messageId === search?.messageId));
});

test('a search that stops in the middle times out too (ldapjs stops counting at the first entry)', async (t) => {
  const { client } = await connect(t, (_, send) => send(entry('cn=1')), { 'client.timeoutMs': 20 });
  const refusal = await t.throwsAsync<Refusal>(client.as('self').search(asked), { instanceOf: Refusal });
  t.is(refusal?.row, clientErrors.unanswered);
});

test('a bind that is not answered takes its connection with it: it cannot be abandoned', async (t) => {
  const sockets = new Set<unknown>();
  const { client, settings } = await connect(
    t,
    (message, send, socket) => {
      sockets.add(socket);
      if (message.op.kind === 'bindRequest' && message.op.name === 'cn=fast') send({ kind: 'bindResponse', result: success });
    },
    { 'client.timeoutMs': 20, 'client.judgingMax': 1 },
  );
  const judge = (dn: string) => client.judge({ dn, password: 'x', door: 'signin', address: '' });
  t.is((await t.throwsAsync<Refusal>(judge('cn=slow'), { instanceOf: Refusal }))?.row, clientErrors.unanswered);
  settings['client.timeoutMs'] = standing['client.timeoutMs'];
  t.deepEqual(await judge('cn=fast'), { kind: 'accepted' });
  t.deepEqual(await judge('cn=fast'), { kind: 'accepted' });
  t.is(sockets.size, 2);
});

test('a late answer to a request that timed out is nobody else’s', async (t) => {
  let late: (() => void) | undefined;
  const { client, settings } = await connect(
    t,
    (message, send) => {
      if (message.op.kind === 'searchRequest') late = () => send(entry('cn=late'), done);
      if (message.op.kind !== 'delRequest') return;
      late?.();
      send({ kind: 'delResponse', result: success });
    },
    { 'client.timeoutMs': 50, 'client.poolSize': 1 },
  );
  await t.throwsAsync(client.as('self').search(asked), { instanceOf: Refusal });
  settings['client.timeoutMs'] = standing['client.timeoutMs'];
  await t.notThrowsAsync(client.as('self').delete('dc=x'));
});

test('more requests than client.waitingMax are refused as busy, and passwords too', async (t) => {
  const { client } = await connect(t, () => undefined, { 'client.waitingMax': 2, 'client.judgingMax': 1, 'client.timeoutMs': 100 });
  const reads = [1, 2, 3].map(() => client.as('self').delete('dc=x'));
  const judgements = [1, 2, 3, 4].map(() => client.judge({ dn: 'cn=x', password: 'x', door: 'signin', address: '' }));
  const rows = async (all: Promise<unknown>[]) =>
    (await Promise.allSettled(all)).map((one) => (one.status === 'rejected' ? (one.reason as Refusal).row.code : 'done'));
  t.deepEqual(await rows(reads), ['STS-CORE-9101', 'STS-CORE-9101', 'STS-CORE-9102']);
  t.deepEqual(await rows(judgements), ['STS-CORE-9101', 'STS-CORE-9101', 'STS-CORE-9101', 'STS-CORE-9102']);
});

test('a directory that is busy has judged nobody', async (t) => {
  for (const code of [51, 52, 80]) {
    const { client } = await connect(t, (_, send) => send({ kind: 'bindResponse', result: { ...success, code } }));
    const refusal = await t.throwsAsync(client.judge({ dn: 'cn=x', password: 'x', door: 'signin', address: '' }), {
      instanceOf: ClientRefusal,
    });
    t.is(refusal?.code, code);
  }
});

test('what is not LDAP, or larger than client.answerOctetsMax, ends the connection and its requests', async (t) => {
  for (const octets of [
    utf8('HTTP/1.1 200 OK\r\n\r\n'),
    Uint8Array.of(0x30, 0x84, 0x7f, 0xff, 0xff, 0xff),
    Uint8Array.of(0x30, 0x03, 0x02, 0x01, 0x01),
  ]) {
    const { client } = await connect(t, (_, __, socket) => void socket.write(octets), { 'client.answerOctetsMax': 10_000 });
    const refusal = await t.throwsAsync<Refusal>(client.as('self').delete('dc=x'), { instanceOf: Refusal });
    t.is(refusal?.row, clientErrors.unreachable);
  }
});

test('thousands of answers in one chunk are read (ldapjs’ parser calls itself for each)', async (t) => {
  const count = 20_000;
  const { client } = await connect(t, (_, send) => send(...Array.from({ length: count }, (__, i) => entry(`cn=${i}`, '')), done), {
    'client.entriesMax': count,
  });
  const { entries } = await client.as('self').search(asked);
  t.is(entries.length, count);
  t.is(entries.at(-1)?.dn, `cn=${count - 1}`);
});

test('answers are read alike however the octets are cut', async (t) => {
  let parts: Uint8Array[] = [];
  const { client } = await connect(t, (message, _, socket) => {
    const octets = Buffer.concat(
      [entry('cn=1', 'x'.repeat(300)), entry('cn=2', ''), done].map((op) =>
        encodeMessage({ messageId: message.messageId, op, controls: [] }),
      ),
    );
    let at = 0;
    for (const part of parts) {
      socket.write(octets.subarray(at, at + part.length));
      at += part.length;
    }
    socket.write(octets.subarray(at));
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 8 }), async (cuts) => {
      parts = cuts.map((length) => new Uint8Array(length));
      const { entries } = await client.as('self').search(asked);
      t.deepEqual(
        entries.map((one) => [one.dn, one.one('cn')?.length]),
        [
          ['cn=1', 300],
          ['cn=2', 0],
        ],
      );
    }),
    { numRuns: 50 },
  );
});

test('an equality with any octets arrives as it is', async (t) => {
  const { client, requests } = await connect(t, (_, send) => send(done));
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async (value) => {
      await client.as('self').search({ ...asked, filter: equals('cn', value) });
      const { op } = requests.at(-1) ?? {};
      t.true(op?.kind === 'searchRequest' && op.filter.kind === 'equality' && Buffer.from(op.filter.value).equals(Buffer.from(value)));
    }),
    { numRuns: 100 },
  );
});

test('attempts to reach a directory that is gone wait twice as long each time, up to client.backOffMaxMs', async (t) => {
  let nowMs = 0;
  const gone = connectDirectory({
    socketPath: '/nonexistent/socket',
    secret: utf8('x'),
    clock: { nowMs: () => nowMs },
    settings: { ...standing, 'client.backOffMaxMs': 200 },
  });
  t.teardown(() => gone.close());
  const why = async () => (await t.throwsAsync<Refusal>(gone.as('self').whoAmI(), { instanceOf: Refusal }))?.detail['why'];
  for (const waitMs of [50, 100, 200, 200, 200]) {
    t.regex(String(await why()), /ENOENT/);
    nowMs += waitMs - 1;
    t.is(await why(), 'it was tried a moment ago');
    nowMs += 1;
  }
});

test('a clock that is set back keeps nobody from trying, and attempts that fail together are one failure', async (t) => {
  let nowMs = 1_000_000;
  const gone = connectDirectory({
    socketPath: '/nonexistent/socket',
    secret: utf8('x'),
    clock: { nowMs: () => nowMs },
    settings: standing,
  });
  t.teardown(() => gone.close());
  const why = async () => (await t.throwsAsync<Refusal>(gone.as('self').whoAmI(), { instanceOf: Refusal }))?.detail['why'];
  const judge = () => gone.judge({ dn: 'cn=x', password: 'x', door: 'signin', address: '' });
  await Promise.allSettled(Array.from({ length: standing['client.judgingMax'] }, judge));
  nowMs += 49;
  t.is(await why(), 'it was tried a moment ago');
  nowMs += 1;
  t.regex(String(await why()), /ENOENT/);
  nowMs -= 900_000;
  t.regex(String(await why()), /ENOENT/);
});

test('operators are told why the directory cannot be asked, with a code, once a second', async (t) => {
  const stream = new PassThrough({ encoding: 'utf8' });
  let nowMs = 0;
  const clock = { nowMs: () => nowMs };
  const log = createLog({ json: false, level: 'debug', stream, clock });
  const said = (): string => String(stream.read() ?? '');
  const make = async (socketPath: string, given: Partial<typeof standing>) => {
    const client = connectDirectory({ socketPath, secret: utf8('x'), clock, settings: { ...standing, ...given }, log });
    t.teardown(() => client.close());
    return client;
  };
  const fails = async (...work: Promise<unknown>[]) => {
    for (const one of await Promise.allSettled(work)) t.is(one.status, 'rejected');
    const lines = said();
    observeLog(lines);
    nowMs += 1000;
    return lines;
  };

  const gone = await make('/nonexistent/socket', {});
  const lines = await fails(gone.as('self').whoAmI(), gone.as('self').whoAmI(), gone.as('self').whoAmI());
  t.regex(lines, /warn {2}\[STS-CORE-9100\] the directory cannot be reached over its socket: .*ENOENT/);
  t.is(lines.split('STS-CORE-9100').length, 2);

  const silent = await rawDirectory(t, () => undefined);
  const slow = await make(silent.socketPath, { 'client.timeoutMs': 20, 'client.waitingMax': 1 });
  const both = await fails(slow.as('self').whoAmI(), slow.as('self').whoAmI());
  t.regex(both, /\[STS-CORE-9101\] the directory did not answer within 20 ms/);
  t.regex(both, /\[STS-CORE-9102\] too many requests wait for the directory already \(1\)/);

  const strange = await rawDirectory(t, () => undefined, 49);
  const untrusted = await make(strange.socketPath, {});
  t.regex(
    await fails(untrusted.as('self').whoAmI()),
    /\[STS-CORE-9103\] the directory did not take the secret of the web layer \(result 49\)/,
  );
});

test('a connection that rested longer than client.idleMs is replaced before it is used, whoever closes it', async (t) => {
  const sockets = new Set<unknown>();
  const { client, pass } = await connect(
    t,
    ({ op }, send, socket) => {
      sockets.add(socket);
      send({ kind: op.kind === 'bindRequest' ? 'bindResponse' : 'delResponse', result: success });
    },
    { 'client.idleMs': 1000 },
  );
  const both = async () => {
    await client.as('self').delete('dc=x');
    await client.judge({ dn: 'cn=x', password: 'x', door: 'signin', address: '' });
  };
  await both();
  for (let i = 0; i < 3; i++) {
    pass(999);
    await both();
  }
  t.is(sockets.size, 2);
  pass(1000);
  await both();
  t.is(sockets.size, 4);
});

test('an empty password, or one for no name, is never sent: a directory might take it for an anonymous bind and accept', async (t) => {
  const { client, requests } = await connect(t, (_, send) => send({ kind: 'bindResponse', result: success }));
  for (const [dn, password] of [
    ['cn=x', ''],
    ['', 'x'],
    ['', ''],
  ] as const) {
    t.is((await client.judge({ dn, password, door: 'signin', address: '' })).kind, 'refused');
  }
  t.false(requests.some(({ op }) => op.kind === 'bindRequest'));
});
