import test from 'ava';
import { utf8 } from '#base';
import { encodeMessage, type Message, type Request, resultCodes } from '#ldap';
import { listenerErrors } from '#listener';
import { startTestListener } from '../support/listener.ts';
import { request } from '../support/raw-ldap.ts';

const compare: Request = { kind: 'compareRequest', entry: 'cn=a', description: 'cn', value: utf8('a') };
const whoAmI: Request = { kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.3' };
const bind = (name: string, password: string): Request => ({
  kind: 'bindRequest',
  version: 3,
  name,
  authentication: { kind: 'simple', password: utf8(password) },
});
const shape = (message: Message | undefined) =>
  message && [message.messageId, message.op.kind, 'result' in message.op && message.op.result.code];
const notice = (message: Message | undefined) =>
  message?.op.kind === 'extendedResponse' && message.messageId === 0 ? [message.op.oid, message.op.result.code] : message;
const noticeOid = '1.3.6.1.4.1.1466.20036';

test('requests of one connection may be answered out of order, each with its own message id', async (t) => {
  const { connect, held, nextHeld } = await startTestListener(t);
  const client = await connect();
  const both = Promise.all([nextHeld(), nextHeld()]);
  client.write(Buffer.concat([request(7, compare), request(9, compare), request(8, whoAmI)]));
  t.deepEqual(shape(await client.next()), [8, 'extendedResponse', 0]);
  (await both)[1].answer();
  t.deepEqual(shape(await client.next()), [9, 'compareResponse', 6]);
  held[0]?.answer();
  t.deepEqual(shape(await client.next()), [7, 'compareResponse', 6]);
});

test('RFC 4511 §4.2.1: a bind waits for what is in progress, and what comes after it waits for the bind', async (t) => {
  const { connect, nextHeld } = await startTestListener(t);
  const client = await connect();
  const first = nextHeld();
  client.write(Buffer.concat([request(1, compare), request(2, bind('cn=me', 'right')), request(3, whoAmI)]));
  const { connection, answer } = await first;
  t.is(connection.identity.dn, undefined);
  answer();
  t.deepEqual(shape(await client.next()), [1, 'compareResponse', 6]);
  t.deepEqual(shape(await client.next()), [2, 'bindResponse', 0]);
  const third = await client.next();
  t.deepEqual(shape(third), [3, 'extendedResponse', 0]);
  t.deepEqual(third?.op.kind === 'extendedResponse' && Buffer.from(third.op.value ?? []).toString(), 'cn=me');
});

test('RFC 4511 §4.11: an abandoned request is told so and never answered, and an unknown id to abandon is no fault', async (t) => {
  const { connect, nextHeld } = await startTestListener(t);
  const client = await connect();
  const first = nextHeld();
  client.send(1, compare);
  const { reply, answer } = await first;
  t.false(reply.signal.aborted);
  const stopped = new Promise((resolve) => reply.signal.addEventListener('abort', resolve));
  client.write(
    Buffer.concat([request(2, { kind: 'abandonRequest', messageId: 1 }), request(3, { kind: 'abandonRequest', messageId: 99 })]),
  );
  await stopped;
  answer();
  client.send(4, whoAmI);
  t.deepEqual(shape(await client.next()), [4, 'extendedResponse', 0]);
});

test('RFC 4511 §4.3: unbind stops what is in progress and closes without an answer', async (t) => {
  const { connect, nextHeld } = await startTestListener(t);
  const client = await connect();
  const first = nextHeld();
  client.send(1, compare);
  const { reply } = await first;
  const stopped = new Promise((resolve) => reply.signal.addEventListener('abort', resolve));
  client.send(2, { kind: 'unbindRequest' });
  await stopped;
  t.deepEqual(await client.rest(), []);
});

test('a request that was stopped before anyone looked at its signal finds it aborted', async (t) => {
  const { connect, nextHeld, listener } = await startTestListener(t);
  const client = await connect();
  const first = nextHeld();
  client.send(1, compare);
  const { reply } = await first;
  client.socket.resetAndDestroy();
  while (listener.connections > 0) await new Promise((resolve) => setImmediate(resolve));
  t.true(reply.signal.aborted);
  await t.throwsAsync(reply.full() ?? Promise.resolve());
});

test('RFC 4511 §4.1.1.1: the message id 0 ends the connection with a Notice of Disconnection', async (t) => {
  const { connect, events } = await startTestListener(t);
  const client = await connect();
  client.send(0, whoAmI);
  const [said, ...more] = await client.rest();
  t.deepEqual(notice(said), [noticeOid, resultCodes.protocolError]);
  t.deepEqual(more, []);
  t.is(events[0]?.error, listenerErrors.badMessageId);
});

test('RFC 4511 §4.1.1.1: the id of a request in progress ends the connection, and stops that request', async (t) => {
  const { connect, nextHeld } = await startTestListener(t);
  const client = await connect();
  const first = nextHeld();
  client.send(5, compare);
  const { reply } = await first;
  client.send(5, whoAmI);
  t.deepEqual(notice((await client.rest())[0]), [noticeOid, resultCodes.protocolError]);
  t.true(reply.signal.aborted);
});

test('an id may be used again when its request is through', async (t) => {
  const { connect } = await startTestListener(t);
  const client = await connect();
  for (let i = 0; i < 3; i++) {
    client.send(1, whoAmI);
    t.deepEqual(shape(await client.next()), [1, 'extendedResponse', 0]);
  }
});

test('RFC 4511 §4.1.1: an answer from a client ends the connection', async (t) => {
  const { connect, events } = await startTestListener(t);
  const client = await connect();
  const op = { kind: 'compareResponse', result: { code: 0, matchedDN: '', diagnostic: '' } } as const;
  client.write(encodeMessage({ messageId: 1, op, controls: [] }));
  t.deepEqual(notice((await client.rest())[0]), [noticeOid, resultCodes.protocolError]);
  t.is(events[0]?.error, listenerErrors.badMessage);
});

test('requests beyond ldap.operationsMax wait for a place', async (t) => {
  const { connect, held, nextHeld } = await startTestListener(t, { limits: { 'ldap.operationsMax': 2 } });
  const client = await connect();
  const both = Promise.all([nextHeld(), nextHeld()]);
  client.write(Buffer.concat([request(1, compare), request(2, compare), request(3, whoAmI)]));
  await both;
  // Had it been taken, its answer would have been sent before this turn.
  await new Promise((resolve) => setImmediate(resolve));
  held[1]?.answer();
  t.deepEqual(shape(await client.next()), [2, 'compareResponse', 6]);
  t.deepEqual(shape(await client.next()), [3, 'extendedResponse', 0]);
  held[0]?.answer();
  t.deepEqual(shape(await client.next()), [1, 'compareResponse', 6]);
});

test('STS-LDAP-9208: a defect of the directory is answered with other (80) and the connection goes on', async (t) => {
  const { connect, events } = await startTestListener(t);
  const client = await connect();
  client.send(1, { kind: 'delRequest', entry: 'cn=a' });
  t.deepEqual(shape(await client.next()), [1, 'delResponse', resultCodes.other]);
  client.send(2, { kind: 'addRequest', entry: 'cn=a', attributes: [] });
  t.deepEqual(shape(await client.next()), [2, 'addResponse', resultCodes.other]);
  client.send(3, whoAmI);
  t.deepEqual(shape(await client.next()), [3, 'extendedResponse', 0]);
  t.is(events[0]?.error, listenerErrors.operationFailed);
  t.is(events[0]?.outcome, 'failed');
});

test('a client that has said its last is still answered', async (t) => {
  const { connect, nextHeld } = await startTestListener(t);
  const client = await connect();
  const first = nextHeld();
  client.socket.end(Buffer.concat([request(1, compare), request(2, whoAmI)]));
  t.deepEqual(shape(await client.next()), [2, 'extendedResponse', 0]);
  (await first).answer();
  t.deepEqual((await client.rest()).map(shape), [[1, 'compareResponse', 6]]);
});

test('a client that sends a thousand requests at once, and its last with them, gets an answer to each', async (t) => {
  const { connect } = await startTestListener(t);
  const client = await connect();
  client.socket.end(
    Buffer.concat([request(1, bind('cn=me', 'right')), ...Array.from({ length: 1000 }, (_, at) => request(at + 2, whoAmI))]),
  );
  const answers = await client.rest();
  t.deepEqual(
    answers.map(({ messageId }) => messageId),
    Array.from({ length: 1001 }, (_, at) => at + 1),
  );
});

test('between two turns of the loop one client is served no more than 64 requests, however many it has sent', async (t) => {
  const { connect, performed } = await startTestListener(t);
  const client = await connect();
  client.write(Buffer.concat(Array.from({ length: 1000 }, (_, at) => request(at + 1, whoAmI))));
  const served: number[] = [];
  for (let before = 0; before < 1000; ) {
    await new Promise((resolve) => setImmediate(resolve));
    served.push(performed() - before);
    before = performed();
  }
  t.is(Math.max(...served), 64);
});
