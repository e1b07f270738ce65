import test from 'ava';
import { createDirectory } from '#directory';
import { encodeBer, type Request } from '#ldap';
import { begun, end, part } from '../writes/transacting.ts';
import { type Client, furnishedHouse, person, replySink, searchOf, suffix } from './driver.ts';
import { actingFor, webLayer, webSecret } from './web-layer.ts';

const locked = ['pwdAccountLockedTime', '000001010000Z'] as const;
const whoAmI: Request = { kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.3' };
const people = `ou=people,${suffix}`;

async function adas(house: Awaited<ReturnType<typeof furnishedHouse>>, door?: 'ldap' | 'ldaps'): Promise<Client> {
  const client = house.connect(door);
  if ((await client.bind(person('ada'), 'lovelace')).code !== 0) throw new Error('ada cannot bind');
  return client;
}

test('STS-LDAP-9310: whose account is disabled is nobody with the next request, on every connection that is open', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const clients = [await adas(house, 'ldap'), await adas(house, 'ldaps')];
  const sees = async (client: Client) => (await client.search(people, '(uid=alan)')).entries.length;
  for (const client of clients) t.is(await sees(client), 1);
  t.is((await operator.modify(person('ada'), ['add', ...locked])).code, 0);
  for (const client of clients) {
    t.is((await client.search(people, '(uid=alan)')).code, 53);
    t.is(await sees(client), 0, 'nobody is bound any more');
    const { last } = await client.ask(whoAmI);
    t.is(last.kind === 'extendedResponse' ? String.fromCharCode(...(last.value ?? [])) : last.kind, '');
    t.is((await client.bind(person('ada'), 'lovelace')).code, 49);
  }
  t.true(house.audited.some(({ error }) => error?.code === 'STS-LDAP-9310'));
  t.is((await operator.modify(person('ada'), ['delete', locked[0]])).code, 0);
  t.is(await sees(clients[0] as Client), 0, 'nor by being enabled again');
  t.is(await sees(await adas(house)), 1);
});

test('who disables their own account, or waits with a transaction, is refused what comes behind it', async (t) => {
  const house = await furnishedHouse(t);
  const [rules, operator] = [`ou=accessRules,${suffix}`, house.operator()];
  const may = { stsRuleOrder: '1', stsRuleWho: 'self', stsRuleRight: ['read', 'write', 'manage'] };
  await operator.add(rules, { objectClass: 'organizationalUnit', ou: 'accessRules' });
  t.is((await operator.add(`cn=own,${rules}`, { objectClass: 'stsAccessRule', cn: 'own', ...may })).code, 0);
  const [one, other] = [await adas(house), await adas(house)];
  const id = await begun(other);
  const says = (client: Client) => client.modify(person('ada'), ['replace', 'description', 'still here']);
  await other.ask(
    {
      kind: 'modifyRequest',
      object: person('ada'),
      changes: [{ operation: 'replace', attribute: { description: 'title', values: [Uint8Array.of(0x78)] } }],
    },
    [part(id)],
  );
  t.is((await says(one)).code, 0);
  t.is((await one.modify(person('ada'), ['add', ...locked])).code, 0);
  t.is((await says(one)).code, 53);
  t.is((await other.ask(end(id))).code, 53);
  t.is((await operator.search(people, '(title=x)')).entries.length, 0);
});

test('a transaction that was begun for somebody else is refused when they are disabled', async (t) => {
  const house = await furnishedHouse(t, { webSecret });
  const web = await webLayer(house);
  const session = actingFor(person('ada'), { factors: 1, authenticatedMs: house.clock.nowMs() });
  const says: Request = {
    kind: 'modifyRequest',
    object: person('ada'),
    changes: [{ operation: 'replace', attribute: { description: 'description', values: [Uint8Array.of(0x78)] } }],
  };
  const together = async (meanwhile: () => Promise<unknown>) => {
    const { last } = await web.ask({ kind: 'extendedRequest', oid: '1.3.6.1.1.21.1' }, session);
    const id = last.kind === 'extendedResponse' ? (last.value ?? new Uint8Array(0)) : new Uint8Array(0);
    await web.ask(says, [part(id)]);
    await meanwhile();
    return (await web.ask(end(id))).code;
  };
  t.is(await together(() => Promise.resolve()), 0);
  t.is(house.audited.findLast(({ action }) => action === 'ldap.modify')?.subject, person('ada'), 'whose doing it is, and not who asked');
  t.is(await together(() => house.operator().modify(person('ada'), ['add', ...locked])), 53);
});

test('a search that goes on ends when whoever asks is disabled, whatever it is about, and when the web layer acts for them, too', async (t) => {
  const house = await furnishedHouse(t, { webSecret });
  const changes = encodeBer((ber) =>
    ber.sequence(() => {
      ber.number(15);
      ber.boolean(true);
      ber.boolean(false);
    }),
  );
  const control = { oid: '2.16.840.1.113730.3.4.3', critical: true, value: changes };
  const op = { ...searchOf(person('alan'), '(objectClass=*)'), scope: 'base' as const };
  const follow = async ({ connection }: Client, more: Parameters<Client['ask']>[1] = []) => {
    const sink = replySink();
    const waits = Promise.withResolvers<void>();
    sink.reply.lasts = () => waits.resolve();
    const going = Promise.resolve(
      createDirectory(house.engine).perform(connection, { messageId: 7, op, controls: [control, ...more] }, sink.reply),
    );
    await waits.promise;
    return { ended: going.then(() => sink.answers().code) };
  };
  const own = await follow(await adas(house));
  const session = actingFor(person('ada'), { factors: 1, authenticatedMs: house.clock.nowMs() });
  const onBehalf = await follow(await webLayer(house), session);
  t.is((await house.operator().modify(person('ada'), ['add', ...locked])).code, 0);
  t.deepEqual([await own.ended, await onBehalf.ended], [53, 53]);
});

test('whose entry is deleted is nobody on the connections that are open, with a password of their own or without', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const grace = person('grace');
  t.is((await operator.add(grace, { objectClass: 'inetOrgPerson', uid: 'grace', cn: 'Grace', sn: 'Hopper' })).code, 0);
  const stored = (await operator.search(grace, '(objectClass=*)', { scope: 'base', attributes: ['entryUUID'] })).entries[0];
  // As somebody does who has shown a certificate.
  const client = house.connect('ldaps', { identity: { dn: grace, uuid: stored?.all('entryUUID')[0], strength: 'certificate' } });
  const sees = async () => (await client.search(people, '(uid=alan)')).entries.length;
  t.is(await sees(), 1);
  t.is((await operator.ask({ kind: 'delRequest', entry: grace })).code, 0);
  t.is(await sees(), 0);
});
