import test from 'ava';
import fc from 'fast-check';
import { utf8 } from '#base';
import type { Request } from '#ldap';
import { listenerErrors } from '#listener';
import { startTestListener } from '../support/listener.ts';
import { connectRaw, request } from '../support/raw-ldap.ts';

const whoAmI: Request = { kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.3' };
const bind: Request = { kind: 'bindRequest', version: 3, name: 'cn=me', authentication: { kind: 'simple', password: utf8('right') } };
const add = (octets: number): Request => ({
  kind: 'addRequest',
  entry: 'cn=a',
  attributes: [{ description: 'jpegPhoto', values: [new Uint8Array(octets)] }],
});
const modify: Request = { kind: 'modifyRequest', object: 'cn=a', changes: [] };
const search = (entries: number): Request => ({
  kind: 'searchRequest',
  baseObject: '',
  scope: 'sub',
  derefAliases: 'never',
  sizeLimit: entries,
  timeLimitS: 0,
  typesOnly: false,
  filter: { kind: 'present', description: 'objectClass' } as never,
  attributes: [],
});
const noticeOid = '1.3.6.1.4.1.1466.20036';

test('a message that arrives octet by octet is understood', async (t) => {
  const { connect } = await startTestListener(t);
  const client = await connect();
  client.socket.setNoDelay(true);
  for (const octet of request(7, whoAmI)) {
    await new Promise<void>((resolve) => client.socket.write(Uint8Array.of(octet), () => resolve()));
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.is((await client.next())?.messageId, 7);
});

test('a thousand messages in one packet are all answered, in order', async (t) => {
  const { connect } = await startTestListener(t);
  const client = await connect();
  client.write(Buffer.concat(Array.from({ length: 1000 }, (_, i) => request(i + 1, whoAmI))));
  for (let i = 1; i <= 1000; i++) t.is((await client.next())?.messageId, i);
});

test('however a stream of requests is cut into packets, every request is answered once', async (t) => {
  const { connect } = await startTestListener(t);
  const stream = Buffer.concat(Array.from({ length: 20 }, (_, i) => request(i + 1, i % 3 === 0 ? modify : whoAmI)));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: stream.length }), { maxLength: 30 }), async (cuts) => {
      const client = await connect();
      let from = 0;
      for (const to of [...new Set([...cuts, stream.length])].sort((a, b) => a - b)) {
        client.write(stream.subarray(from, to));
        await new Promise((resolve) => setImmediate(resolve));
        from = to;
      }
      client.socket.end();
      t.deepEqual(
        (await client.rest()).map((message) => message.messageId),
        Array.from({ length: 20 }, (_, i) => i + 1),
      );
    }),
    { numRuns: 25 },
  );
});

test('STS-LDAP-9202: a message longer than ldap.messageOctetsAnonymousMax is refused by its length alone, before a bind', async (t) => {
  const { connect, events } = await startTestListener(t, {
    limits: { 'ldap.messageOctetsAnonymousMax': 2000, 'ldap.messageOctetsMax': 100_000 },
  });
  const client = await connect();
  client.write(request(1, add(5000)).subarray(0, 8));
  const [said] = await client.rest();
  t.like(said, { messageId: 0, op: { kind: 'extendedResponse', oid: noticeOid, result: { code: 2 } } });
  t.is(events[0]?.error, listenerErrors.badFrame);

  const bound = await connect();
  bound.send(1, bind);
  await bound.next();
  bound.send(2, add(50_000));
  t.like(await bound.next(), { messageId: 2, op: { kind: 'addResponse' } });
  bound.write(request(3, add(200_000)).subarray(0, 8));
  t.like((await bound.rest())[0], { messageId: 0, op: { oid: noticeOid } });
});

test('whatever octets arrive, the connection is answered or ended and other connections do not notice', async (t) => {
  const { connect, listener } = await startTestListener(t);
  const bystander = await connect();
  const valid = request(3, search(1));
  const broken = fc
    .tuple(fc.nat(valid.length - 1), fc.nat(255))
    .map(([at, octet]) => Uint8Array.from(valid, (was, i) => (i === at ? octet : was)));
  let id = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 200 }), broken), async (octets) => {
      const client = await connect();
      client.socket.end(octets);
      await client.rest();
      bystander.send(++id, whoAmI);
      t.is((await bystander.next())?.messageId, id);
    }),
    { numRuns: 300 },
  );
  while (listener.connections > 1) await new Promise((resolve) => setImmediate(resolve));
  t.is(listener.connections, 1);
});

test('a client that asks for much and does not read is not read from, and what waits for it is bounded', async (t) => {
  const outgoingMax = 131_072;
  const { connect, connections, events } = await startTestListener(t, { limits: { 'ldap.outgoingOctetsMax': outgoingMax } });
  const client = await connect();
  client.socket.pause();
  const before = process.memoryUsage().arrayBuffers;
  for (let id = 1; id <= 50; id++) client.send(id, search(10_000));
  const other = await connect();
  for (let id = 1; id <= 200; id++) {
    other.send(id, whoAmI);
    await other.next();
  }
  // Half a gigabyte was asked for. What the kernel does not take stays in the directory.
  t.true(process.memoryUsage().arrayBuffers - before < 64 * 1024 * 1024);
  t.is(connections.length, 2);

  // As soon as it reads, it gets all.
  let entries = 0;
  client.socket.resume();
  for (let done = 0; done < 2; ) {
    const message = await client.next();
    if (message?.op.kind === 'searchResultDone') done++;
    else entries++;
  }
  t.true(entries >= 20_000);
  t.deepEqual(events, []);
});

test('requests of a client that does not read wait, even when each could be answered at once', async (t) => {
  const asked = 20_000;
  const { connect, performed } = await startTestListener(t, { limits: { 'ldap.outgoingOctetsMax': 131_072 } });
  const client = await connect();
  // Each answer repeats this name: 80 MB, which no kernel keeps for a client.
  client.send(1, { ...bind, name: `cn=${'x'.repeat(4000)}` });
  await client.next();
  client.socket.pause();
  for (let id = 2; id <= asked; id++) client.send(id, whoAmI);
  const other = await connect();
  for (let id = 1; id <= 200; id++) {
    other.send(id, whoAmI);
    await other.next();
  }
  t.true(performed() < asked, `${performed()} requests were performed`);

  client.socket.resume();
  for (let id = 2; id <= asked; id++) t.is((await client.next())?.messageId, id);
});

test('STS-LDAP-9206: a client that reads nothing for ldap.stallTimeoutS is let go, and its searches are stopped', async (t) => {
  const { connect, events, listener, passMs } = await startTestListener(t, { limits: { 'ldap.outgoingOctetsMax': 131_072 } });
  const client = await connect();
  client.socket.pause();
  client.send(1, search(50_000));
  const other = await connect();
  // The first search has filled the kernel's buffers when nothing of it moves any more.
  for (let id = 1; id <= 200; id++) {
    other.send(id, whoAmI);
    await other.next();
  }
  // A service looks every second.
  passMs(1000);
  t.is(events.length, 0);
  passMs(30_000);
  t.deepEqual(
    events.map((event) => event.error),
    [listenerErrors.peerStalled],
  );
  while (listener.connections > 1) await new Promise((resolve) => setImmediate(resolve));
  t.is(listener.connections, 1);
});

test('STS-LDAP-9205: half a message that gets no further within ldap.stallTimeoutS ends the connection', async (t) => {
  const { connect, events, passMs } = await startTestListener(t);
  const client = await connect();
  client.write(Buffer.concat([request(1, whoAmI), request(2, whoAmI).subarray(0, 9)]));
  t.is((await client.next())?.messageId, 1);
  passMs(29_000);
  client.write(request(2, whoAmI).subarray(9, 10));
  await new Promise((resolve) => setImmediate(resolve));
  passMs(1000);
  t.like((await client.rest())[0], { messageId: 0, op: { oid: noticeOid } });
  t.is(events[0]?.error, listenerErrors.messageTooSlow);
});

test('a connection without requests is closed after ldap.idleTimeoutS, one with a request in progress is not', async (t) => {
  const { connect, listener, nextHeld, passMs } = await startTestListener(t);
  const idle = await connect();
  const busy = await connect();
  const first = nextHeld();
  busy.send(1, { kind: 'compareRequest', entry: 'cn=a', description: 'cn', value: utf8('a') });
  const { answer } = await first;
  passMs(899_000);
  passMs(1000);
  await idle.rest();
  answer();
  t.is((await busy.next())?.messageId, 1);
  while (listener.connections > 1) await new Promise((resolve) => setImmediate(resolve));
  t.is(listener.connections, 1);
});

test('abrupt resets in the middle of requests and answers leave nothing behind', async (t) => {
  const { connect, listener } = await startTestListener(t);
  const clients = await Promise.all(Array.from({ length: 50 }, connect));
  for (const [i, client] of clients.entries()) {
    client.write(i % 2 === 0 ? request(1, search(5000)) : request(1, whoAmI).subarray(0, 5));
  }
  await clients[0]?.next();
  for (const client of clients) client.socket.resetAndDestroy();
  while (listener.connections > 0) await new Promise((resolve) => setImmediate(resolve));
  const after = await connect();
  after.send(1, whoAmI);
  t.is((await after.next())?.messageId, 1);
});

test('STS-LDAP-9201: of 1,000 connections opened at once, as many as ldap.connectionsMax are served and the others closed', async (t) => {
  const { events, listener } = await startTestListener(t, { limits: { 'ldap.connectionsMax': 300 } });
  const port = listener.addresses.ldap?.port ?? 0;
  const clients = await Promise.all(Array.from({ length: 1000 }, () => connectRaw({ port, host: '127.0.0.1' }).catch(() => undefined)));
  t.teardown(() => {
    for (const client of clients) client?.socket.destroy();
  });
  const served = await Promise.all(
    clients.map(async (client) => {
      client?.send(1, whoAmI);
      return (await client?.next())?.messageId === 1;
    }),
  );
  t.is(served.filter(Boolean).length, 300);
  // Told once, not 700 times.
  t.deepEqual(
    events.map((event) => event.error),
    [listenerErrors.tooManyConnections],
  );
});
