import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import { startTestAtrium } from '../support/atrium.ts';

test('a service that stops ends a TLS handshake that is under way, and records nothing of it: its audit is closed by then', async (t) => {
  const atrium = await startTestAtrium();
  const socket = connect(Number(new URL(atrium.addresses.ldaps ?? '').port), 'localhost');
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  // The listener takes connections in order: when a later one is answered, it has this one.
  const later = connect(Number(new URL(atrium.addresses.ldaps ?? '').port), 'localhost');
  await once(later.end('no hello'), 'close');
  await atrium.stop();
  await closed;
  t.notRegex(atrium.log(), /STS-CORE-9010/);
  t.is(atrium.audit.filter(({ errorCode }) => errorCode === 'STS-LDAP-9207').length, 1);
});
