import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { connect as connectNet, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { systemChance, systemClock, utf8 } from '#base';
import { Refusal } from '#catalogue';
import { openServerCertificate } from '#keys';
import type { Request } from '#ldap';
import { listenerErrors } from '#listener';
import { folderOf, startTestListener } from '../support/listener.ts';
import { connectRaw, type RawClient } from '../support/raw-ldap.ts';

const whoAmI: Request = { kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.3' };
const compare: Request = { kind: 'compareRequest', entry: 'cn=a', description: 'cn', value: utf8('a') };
const noticeOid = '1.3.6.1.4.1.1466.20036';

async function certificate(t: ExecutionContext) {
  const { cert, key, caFile } = await openServerCertificate({
    certFile: '',
    keyFile: '',
    folder: folderOf(t),
    clock: systemClock,
    chance: systemChance,
  });
  return { cert, key, caFile: caFile ?? '' };
}

async function answered(client: RawClient): Promise<boolean> {
  client.send(1, whoAmI);
  const message = await client.next();
  client.socket.destroy();
  return message?.messageId === 1;
}

test('localhost stands for both loopback addresses, on one port that the system chose', async (t) => {
  const { listener, connections } = await startTestListener(t, { endpoints: { ldap: { host: 'localhost', port: 0 } } });
  const { url, port } = listener.addresses.ldap ?? { url: '', port: 0 };
  t.is(url, `ldap://localhost:${port}`);
  t.true(port > 0);
  for (const host of ['127.0.0.1', '::1']) t.true(await answered(await connectRaw({ host, port })));
  t.deepEqual(
    connections.map(({ door, address, loopback, secure, trusted }) => ({ door, address, loopback, secure, trusted })),
    [
      { door: 'ldap', address: '127.0.0.1', loopback: true, secure: false, trusted: false },
      { door: 'ldap', address: '::1', loopback: true, secure: false, trusted: false },
    ],
  );
});

test('an empty host listens on every address, and an IPv4 client is shown with its IPv4 address', async (t) => {
  const { listener, connections } = await startTestListener(t, { endpoints: { ldap: { host: '', port: 0 } } });
  t.true(await answered(await connectRaw({ host: '127.0.0.1', port: listener.addresses.ldap?.port ?? 0 })));
  t.is(connections[0]?.address, '127.0.0.1');
});

test('ldaps: TLS from the first octet on', async (t) => {
  const { cert, key, caFile } = await certificate(t);
  const { listener, connections } = await startTestListener(t, { endpoints: { ldaps: { host: '127.0.0.1', port: 0, cert, key } } });
  const ca = readFileSync(caFile, 'utf8');
  const { url, port } = listener.addresses.ldaps ?? { url: '', port: 0 };
  t.is(url, `ldaps://127.0.0.1:${port}`);
  t.true(await answered(await connectRaw({ host: '127.0.0.1', port }, ca)));
  t.like(connections[0], { door: 'ldaps', secure: true, loopback: true });
  while (listener.connections > 0) await new Promise((resolve) => setImmediate(resolve));
  t.is(listener.connections, 0);
});

test('ldaps: a large answer arrives whole although its reader pauses, and unbind closes', async (t) => {
  const { cert, key, caFile } = await certificate(t);
  const limits = { 'ldap.outgoingOctetsMax': 131_072 };
  const { listener } = await startTestListener(t, { limits, endpoints: { ldaps: { host: '127.0.0.1', port: 0, cert, key } } });
  const client = await connectRaw({ host: '127.0.0.1', port: listener.addresses.ldaps?.port ?? 0 }, readFileSync(caFile, 'utf8'));
  const entries = 10_000;
  client.send(1, {
    kind: 'searchRequest',
    baseObject: '',
    scope: 'sub',
    derefAliases: 'never',
    sizeLimit: entries,
    timeLimitS: 0,
    typesOnly: false,
    filter: { kind: 'and', filters: [] },
    attributes: [],
  });
  for (let i = 0; i < entries; i++) {
    if (i % 1000 === 0) {
      client.socket.pause();
      await new Promise((resolve) => setImmediate(resolve));
      client.socket.resume();
    }
    t.is((await client.next())?.op.kind, 'searchResultEntry');
  }
  t.is((await client.next())?.op.kind, 'searchResultDone');
  client.send(2, { kind: 'unbindRequest' });
  t.deepEqual(await client.rest(), []);
});

test('STS-LDAP-9207: what is no TLS at the ldaps port is told to the audit trail, and the connection is not kept', async (t) => {
  const { cert, key } = await certificate(t);
  const { listener, events } = await startTestListener(t, { endpoints: { ldaps: { host: '127.0.0.1', port: 0, cert, key } } });
  const client = await connectRaw({ host: '127.0.0.1', port: listener.addresses.ldaps?.port ?? 0 });
  client.send(1, whoAmI);
  await client.closed;
  t.is(events[0]?.error, listenerErrors.tlsFailed);
  while (listener.connections > 0) await new Promise((resolve) => setImmediate(resolve));
  t.is(listener.connections, 0);
});

test('Unix sockets: only the owner may open the operators’ socket, and the web layer’s lies in a folder of its own', async (t) => {
  const folder = folderOf(t);
  const operators = join(folder, 'ldapi');
  const web = join(folder, 'run', 'web');
  const { listener, connections } = await startTestListener(t, { endpoints: { operators, web } });
  t.deepEqual(listener.addresses, {
    operators: { url: `ldapi://${encodeURIComponent(operators)}`, path: operators },
    web: { path: web },
  });
  t.is(statSync(operators).mode & 0o777, 0o600);
  t.is(statSync(web).mode & 0o777, 0o600);
  t.is(statSync(dirname(web)).mode & 0o777, 0o700);
  for (const path of [operators, web]) t.true(await answered(await connectRaw({ path })));
  t.deepEqual(
    connections.map(({ door, secure, loopback, trusted, identity }) => ({ door, secure, loopback, trusted, strength: identity.strength })),
    [
      { door: 'operators', secure: true, loopback: true, trusted: false, strength: 'anonymous' },
      { door: 'web', secure: true, loopback: true, trusted: false, strength: 'anonymous' },
    ],
  );
});

test('a full network side does not shut the operators out', async (t) => {
  const operators = join(folderOf(t), 'ldapi');
  const endpoints = { ldap: { host: '127.0.0.1', port: 0 }, operators };
  const { connect } = await startTestListener(t, { endpoints, limits: { 'ldap.connectionsMax': 1 } });
  const first = await connect();
  first.send(1, whoAmI);
  await first.next();
  t.deepEqual(await (await connect()).rest(), []);
  t.true(await answered(await connectRaw({ path: operators })));
});

test('a socket that a dead process left is replaced; a living one and what is no socket are not', async (t) => {
  const path = join(folderOf(t), 'ldapi');
  const living = await startTestListener(t, { endpoints: { operators: path } });
  const twice = await t.throwsAsync(startTestListener(t, { endpoints: { operators: path } }), { instanceOf: Refusal });
  t.is(twice?.row, listenerErrors.cannotListen);
  t.true(await answered(await connectRaw({ path })));
  await living.listener.stop();
  t.is(statSync(path, { throwIfNoEntry: false }), undefined);

  writeFileSync(path, 'a file of someone’s');
  await t.throwsAsync(startTestListener(t, { endpoints: { operators: path } }), { instanceOf: Refusal, message: /no socket/ });

  const left = `${path}-left`;
  await new Promise<void>((resolve) => {
    // Node removes a socket that it closes itself; one that is renamed first stays behind, as after a crash.
    const server = createServer().listen(`${path}-born`, () => {
      renameSync(`${path}-born`, left);
      server.close(() => resolve());
    });
  });
  t.true(statSync(left).isSocket());
  await startTestListener(t, { endpoints: { operators: left } });
  t.true(await answered(await connectRaw({ path: left })));
});

test('STS-LDAP-9200: a port that is taken is named with its reason, and nothing stays open', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  t.teardown(() => void taken.close());
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as { port: number };
  const operators = join(folderOf(t), 'ldapi');
  const refusal = await t.throwsAsync(startTestListener(t, { endpoints: { operators, ldap: { host: '127.0.0.1', port } } }), {
    instanceOf: Refusal,
  });
  t.is(refusal?.row, listenerErrors.cannotListen);
  t.like(refusal?.detail, { where: `127.0.0.1:${port}`, errno: 'EADDRINUSE' });
  t.is(statSync(operators, { throwIfNoEntry: false }), undefined);
});

test('the end of the service: requests in progress are answered, new ones not taken, and everyone is told (RFC 4511 §4.4.1)', async (t) => {
  const operators = join(folderOf(t), 'ldapi');
  const endpoints = { ldap: { host: '127.0.0.1', port: 0 }, operators };
  const { connect, listener, nextHeld } = await startTestListener(t, { endpoints });
  const idle = await connect();
  const busy = await connect();
  const first = nextHeld();
  idle.send(1, whoAmI);
  await idle.next();
  busy.send(1, compare);
  const { answer, reply } = await first;

  const stopped = listener.stop();
  await t.throwsAsync(connectRaw({ path: operators }), { code: 'ENOENT' });
  t.like((await idle.rest())[0], { messageId: 0, op: { oid: noticeOid, result: { code: 52 } } });
  busy.send(2, whoAmI);
  t.false(reply.signal.aborted);
  answer();
  const [answered, notice, ...more] = await busy.rest();
  t.like(answered, { messageId: 1, op: { kind: 'compareResponse' } });
  t.like(notice, { messageId: 0, op: { oid: noticeOid, result: { code: 52 } } });
  t.deepEqual(more, []);
  await stopped;
  t.is(listener.connections, 0);
  // Once it is closed the system may give the port to whoever wants one: that somebody takes a connection there says nothing.
  const late = await connectRaw({ host: '127.0.0.1', port: listener.addresses.ldap?.port ?? 0 }).catch(() => undefined);
  t.is(listener.connections, 0);
  late?.socket.destroy();
});

test('the end of the service does not wait for ever: after ldap.stopTimeoutS what is in progress is stopped', async (t) => {
  const { connect, listener, nextHeld } = await startTestListener(t, { limits: { 'ldap.stopTimeoutS': 0 } });
  const busy = await connect();
  const first = nextHeld();
  busy.send(1, compare);
  const { reply } = await first;
  const silent = connectNet(listener.addresses.ldap?.port ?? 0, '127.0.0.1').pause();
  await new Promise((resolve) => silent.once('connect', resolve));
  await listener.stop();
  t.true(reply.signal.aborted);
  t.like((await busy.rest())[0], { messageId: 0, op: { oid: noticeOid, result: { code: 52 } } });
  silent.destroy();
});
