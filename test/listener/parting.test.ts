import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import type { Identity } from '#directory';
import type { Request } from '#ldap';
import { startTestAtrium } from '../support/atrium.ts';
import { startTestListener } from '../support/listener.ts';

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

const whoAmI: Request = { kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.3' };
const by = (holder: string, id: string, expiresMs?: number, uuid = holder): Identity => ({
  ...{ dn: `uid=${uuid}`, uuid, strength: 'appPassword' },
  appPassword: { holder, id, ...(expiresMs === undefined ? {} : { expiresMs }) },
});

test('a connection that came in with an app password ends with a Notice of Disconnection when its time is over, at the next look at the clock', async (t) => {
  const house = await startTestListener(t);
  const bound = async (identity: Identity) => {
    const client = await house.connect();
    client.send(1, whoAmI);
    await client.next();
    const connection = house.connections.at(-1);
    if (connection !== undefined) connection.identity = identity;
    return client;
  };
  const soon = await bound(by('ada', 'phone', 1_002_000));
  const [never, later] = [await bound(by('ada', 'laptop')), await bound(by('grace', 'phone', 9_000_000))];
  const acting = await bound(by('ada', 'laptop', undefined, 'service'));
  const own = await bound({ dn: 'uid=ada', uuid: 'ada', strength: 'ownPassword' });
  house.passMs(1999);
  t.is(house.listener.connections, 5);
  house.passMs(1);
  const [notice, ...more] = await soon.rest();
  t.like(notice, { messageId: 0, op: { oid: '1.3.6.1.4.1.1466.20036', result: { code: 8 } } });
  t.deepEqual(more, []);

  t.is(house.listener.endFor('ada', ['tablet']), 0);
  t.is(house.listener.endFor('ada', ['laptop', 'phone']), 2, 'who acts for another by it ends, too');
  for (const client of [never, acting]) t.like((await client.rest())[0], { messageId: 0, op: { result: { code: 8 } } });
  for (const client of [later, own]) {
    client.send(2, whoAmI);
    t.is((await client.next())?.messageId, 2, 'others stay');
  }
});
