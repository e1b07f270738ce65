import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import test from 'ava';
import { encodeBer, encodeMessage, type Request } from '#ldap';
import { searchOf } from '../directory/driver.ts';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';
import { startTestListener } from '../support/listener.ts';
import { connectRaw, rawClient, request } from '../support/raw-ldap.ts';

const startTls = { kind: 'extendedRequest', oid: '1.3.6.1.4.1.1466.20037' } as const;

withLdapUtils(test)('RFC 4511 §4.14: ldap-utils begin TLS with -ZZ and bind inside it', async (t) => {
  await using atrium = await startTestAtrium();
  const caFile = join(atrium.dataDir, 'tls/ca.pem');
  const { adminDn, adminPassword } = atrium;
  const target = { url: atrium.addresses.ldap ?? '', dn: adminDn, password: adminPassword, caFile };
  const { stdout, stderr, status } = await runLdapTool('ldapwhoami', target, ['-ZZ']);
  t.deepEqual([status, stdout, stderr], [0, `dn:${adminDn}\n`, '']);
});

/** A connection in the clear, and one that goes on inside TLS when the server has said yes. */
async function clear(t: { teardown(act: () => void): void }, atrium: TestAtrium) {
  const client = await connectRaw({ host: 'localhost', port: Number(new URL(atrium.addresses.ldap ?? '').port) });
  t.teardown(() => client.socket.destroy());
  return client;
}

async function secure(atrium: TestAtrium, socket: Parameters<typeof rawClient>[0]) {
  socket.removeAllListeners('data');
  const ca = readFileSync(join(atrium.dataDir, 'tls/ca.pem'));
  const tls = connectTls({ socket, ca, servername: 'localhost' });
  await new Promise((resolve, reject) => tls.once('secureConnect', resolve).once('error', reject));
  return rawClient(tls);
}

const bind = (name: string, password: string) =>
  ({ kind: 'bindRequest', version: 3, name, authentication: { kind: 'simple', password: Buffer.from(password) } }) as const;
const whoAmI = { kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.3' } as const;

function answered(message: Awaited<ReturnType<Awaited<ReturnType<typeof connectRaw>>['next']>>) {
  const op = message?.op;
  if (op === undefined || !('result' in op)) return undefined;
  return {
    id: message?.messageId,
    code: op.result.code,
    text: op.result.diagnostic,
    value: 'value' in op ? String(Buffer.from(op.value ?? [])) : undefined,
  };
}

test('RFC 4511 §4.14.1: after StartTLS nobody is bound, a second one is operationsError, and all else works', async (t) => {
  await using atrium = await startTestAtrium();
  const client = await clear(t, atrium);
  client.send(1, bind(atrium.adminDn, atrium.adminPassword));
  t.like(answered(await client.next()), { code: 0 });
  client.send(2, startTls);
  t.like(answered(await client.next()), { id: 2, code: 0 });
  const inside = await secure(atrium, client.socket);
  inside.send(3, whoAmI);
  t.like(answered(await inside.next()), { id: 3, code: 0, value: '' });
  inside.send(4, startTls);
  t.like(answered(await inside.next()), { code: 1, text: 'TLS already started' });
  inside.send(5, bind(atrium.adminDn, atrium.adminPassword));
  t.like(answered(await inside.next()), { code: 0 });
  inside.socket.destroy();
});

test('RFC 5805 §3.5: a transaction is not that of whoever comes behind StartTLS', async (t) => {
  await using atrium = await startTestAtrium();
  const client = await clear(t, atrium);
  client.send(1, bind(atrium.adminDn, atrium.adminPassword));
  t.like(answered(await client.next()), { code: 0 });
  client.send(2, { kind: 'extendedRequest', oid: '1.3.6.1.1.21.1' });
  const begun = answered(await client.next());
  t.is(begun?.code, 0);
  const identifier = Buffer.from(begun?.value ?? '');
  const added: Request = { kind: 'delRequest', entry: `ou=groups,${atrium.suffix}` };
  client.write(encodeMessage({ messageId: 3, op: added, controls: [{ oid: '1.3.6.1.1.21.2', critical: true, value: identifier }] }));
  t.like(answered(await client.next()), { id: 3, code: 0 });
  client.send(4, startTls);
  t.like(answered(await client.next()), { id: 4, code: 0 });
  const inside = await secure(atrium, client.socket);
  const value = encodeBer((ber) => ber.sequence(() => ber.octets(identifier)));
  inside.send(5, { kind: 'extendedRequest', oid: '1.3.6.1.1.21.3', value });
  t.like(answered(await inside.next()), { id: 5, code: 53 });
  inside.socket.destroy();
});

test('RFC 4511 §4.14.1: StartTLS is refused while something is outstanding, and what stood behind it is no part of TLS', async (t) => {
  await using atrium = await startTestAtrium();
  const client = await clear(t, atrium);
  // One write: the bind stands behind StartTLS before its answer.
  client.write(Buffer.concat([request(1, startTls), request(2, whoAmI)]));
  t.like(answered(await client.next()), { id: 1, code: 1, text: 'cannot start TLS when operations are outstanding' });
  t.like(answered(await client.next()), { id: 2, code: 0 });
  client.send(3, bind(atrium.adminDn, 'wrong'));
  client.write(request(4, startTls));
  const codes = [answered(await client.next()), answered(await client.next())];
  t.deepEqual(
    codes.map((each) => [each?.id, each?.code]),
    [
      [3, 49],
      [4, 0],
    ],
    'a bind holds back what comes after it',
  );
});

test('what is sent in the clear behind the yes to StartTLS breaks the handshake and is never performed', async (t) => {
  await using atrium = await startTestAtrium();
  const client = await clear(t, atrium);
  client.send(1, startTls);
  t.like(answered(await client.next()), { id: 1, code: 0 });
  client.send(2, bind(atrium.adminDn, atrium.adminPassword));
  await client.closed;
  t.deepEqual(
    atrium.audit.map(({ errorCode }) => errorCode).filter((code) => code !== undefined),
    ['STS-LDAP-9207'],
  );
  t.false(atrium.audit.some(({ action }) => action === 'ldap.bind'));
});

test('StartTLS is refused on ldaps, on Unix sockets, with a value, with a critical control, and where it is switched off', async (t) => {
  await using atrium = await startTestAtrium();
  const ca = readFileSync(join(atrium.dataDir, 'tls/ca.pem'), 'utf8');
  const ldaps = await connectRaw({ host: 'localhost', port: Number(new URL(atrium.addresses.ldaps ?? '').port) }, ca);
  const operators = await connectRaw({ path: join(atrium.dataDir, 'ldapi') });
  const plain = await clear(t, atrium);
  for (const each of [ldaps, operators]) {
    each.send(1, startTls);
    t.teardown(() => each.socket.destroy());
  }
  t.like(answered(await ldaps.next()), { code: 1, text: 'TLS already started' });
  t.like(answered(await operators.next()), { code: 2, text: 'TLS cannot be started here' });
  plain.send(1, { ...startTls, value: Buffer.from('x') });
  t.like(answered(await plain.next()), { code: 2, text: 'no request data expected' });
  plain.write(encodeMessage({ messageId: 2, op: startTls, controls: [{ oid: '1.2.3', critical: true }] }));
  t.like(answered(await plain.next()), { code: 12 });
  plain.send(3, whoAmI);
  t.like(answered(await plain.next()), { code: 0 });

  await using without = await startTestAtrium({ settings: { STS_LDAP_START_TLS: 'false' } });
  const refused = await clear(t, without);
  refused.send(1, startTls);
  t.like(answered(await refused.next()), { code: 2 });
  t.deepEqual([await extensions(t, atrium), await extensions(t, without)], [true, false], 'the root DSE lists it where it is offered');
});

async function extensions(t: Parameters<typeof clear>[0], atrium: TestAtrium): Promise<boolean> {
  const client = await clear(t, atrium);
  client.send(1, { ...searchOf('', '(objectClass=*)'), scope: 'base', attributes: ['supportedExtension'] });
  const [entry] = [await client.next(), await client.next()];
  return JSON.stringify(entry, (_, value) => (value instanceof Uint8Array ? String(Buffer.from(value)) : value)).includes(startTls.oid);
}

test('RFC 3909: Cancel answers the request with canceled, and says what cannot be cancelled', async (t) => {
  const { connect, nextHeld } = await startTestListener(t);
  const client = await connect();
  const cancel = (messageId: number, cancelled: number) => {
    const value = encodeBer((ber) => ber.sequence(() => ber.number(cancelled)));
    client.send(messageId, { kind: 'extendedRequest', oid: '1.3.6.1.1.8', value });
  };
  const next = async () => {
    const each = answered(await client.next());
    return [each?.id, each?.code];
  };
  const held = nextHeld();
  client.send(1, { kind: 'compareRequest', entry: 'o=x', description: 'o', value: Buffer.from('x') });
  await held;
  cancel(2, 1);
  t.deepEqual(
    [await next(), await next()],
    [
      [1, 118],
      [2, 0],
    ],
  );
  cancel(3, 1);
  t.deepEqual(await next(), [3, 119]);
  cancel(4, 77);
  t.deepEqual(await next(), [4, 119]);
  client.send(5, { kind: 'extendedRequest', oid: '1.3.6.1.1.8' });
  t.deepEqual(await next(), [5, 2]);
  (await held).answer();
  client.send(6, whoAmI);
  t.deepEqual(await next(), [6, 0], 'what was cancelled is answered once');
});

test('RFC 3909: a change that is on its way is too late to cancel, and done', async (t) => {
  await using atrium = await startTestAtrium();
  const client = await clear(t, atrium);
  client.send(1, bind(atrium.adminDn, atrium.adminPassword));
  await client.next();
  const modify: Request = {
    ...{ kind: 'modifyRequest', object: atrium.adminDn },
    changes: [{ operation: 'replace', attribute: { description: 'userPassword', values: [Buffer.from('Another one, 2')] } }],
  };
  const value = encodeBer((ber) => ber.sequence(() => ber.number(2)));
  client.write(Buffer.concat([request(2, modify), request(3, { kind: 'extendedRequest', oid: '1.3.6.1.1.8', value })]));
  t.like(answered(await client.next()), { id: 3, code: 120 });
  t.like(answered(await client.next()), { id: 2, code: 0 });
});

test('RFC 3909: a bind and an extended operation cannot be cancelled', async (t) => {
  await using atrium = await startTestAtrium();
  const client = await clear(t, atrium);
  client.send(1, bind(atrium.adminDn, atrium.adminPassword));
  await client.next();
  const passwordModify = { kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.1' } as const;
  const value = encodeBer((ber) => ber.sequence(() => ber.number(2)));
  client.write(Buffer.concat([request(2, passwordModify), request(3, { kind: 'extendedRequest', oid: '1.3.6.1.1.8', value })]));
  t.like(answered(await client.next()), { id: 3, code: 121 });
  t.like(answered(await client.next()), { id: 2, code: 0 });
});
