import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import test from 'ava';
import { withIntake } from '../../src/listener/intake.ts';

test('an accepted connection reads without a stream, and says what it read, its end, and to its server that it is gone', async (t) => {
  const accepted = Promise.withResolvers<{ before: Socket; after: Socket }>();
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (before) => {
    const after = withIntake(before);
    // A Node that lets no handle be moved would serve all the same, and more slowly: that should be noticed here.
    accepted.resolve({ before, after });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const { before, after } = await accepted.promise;
  t.not(after, before);
  t.is(after.remotePort, client.localPort);

  const chunks: Buffer[] = [];
  after.on('data', (chunk: Buffer) => chunks.push(chunk));
  const sent = Buffer.from(Array.from({ length: 1_000_000 }, (_, at) => (at * 7) % 251));
  client.write(sent.subarray(0, 10));
  await once(after, 'data');
  after.pause();
  t.true(after.isPaused());
  const ended = once(after, 'end');
  client.end(sent.subarray(10));
  after.resume();
  await ended;
  // What came first is still what it was: no chunk lies where the next is read to.
  t.deepEqual(Buffer.concat(chunks), sent);

  client.resume();
  const closed = once(server, 'close');
  server.close();
  after.end('answered though the peer has said its last');
  const [answer] = (await once(client, 'data')) as [Buffer];
  t.is(answer.toString(), 'answered though the peer has said its last');
  await closed;
});
