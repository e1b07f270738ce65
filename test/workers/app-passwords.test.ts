import test from 'ava';
import { decodeBer, encodeBer } from '#ldap';
import { addPerson } from '../flows/people.ts';
import { type Follower, openFollower } from '../support/follower.ts';
import type { Lane } from '../torture/lane.ts';
import { connect, startWithWorkers } from './crew.ts';

const arc = '2.25.83716444157178576224225129172109131643.6';
const simple = (name: string, password: string) =>
  ({ kind: 'bindRequest', version: 3, name, authentication: { kind: 'simple', password: Buffer.from(password) } }) as const;

const whoAmI = { kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.3' } as const;

test('with threads beside the main one: app passwords are made and revoked at each of them, and the very next bind at any other knows it', async (t) => {
  await using atrium = await startWithWorkers(1);
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const lanes = new Map<string, Lane>();
  for (let tries = 0; lanes.size < 2 && tries < 100; tries++) {
    const { lane, thread } = await connect(atrium);
    lanes.set(thread, lane);
  }
  t.is(lanes.size, 2);
  const bind = async (lane: Lane, dn: string, password: string) => (await lane.send(simple(dn, password)).answer)?.code;
  const make = async (lane: Lane, name: string) => {
    const asked = encodeBer((ber) =>
      ber.sequence(() => {
        ber.string(ada.dn);
        ber.string(name);
        ber.sequence(() => ber.string('ldap'));
      }),
    );
    const op = (await lane.send({ kind: 'extendedRequest', oid: `${arc}.70`, value: asked }).answer)?.value;
    return (
      decodeBer(op ?? new Uint8Array(), (ber) => ber.sequence(() => ({ id: ber.string(), value: ber.string() }))) ?? { id: '', value: '' }
    );
  };
  const revoke = async (lane: Lane, id?: string) => {
    const which = encodeBer((ber) =>
      ber.sequence(() => {
        ber.string(ada.dn);
        if (id !== undefined) ber.string(id, 0x80);
      }),
    );
    return (await lane.send({ kind: 'extendedRequest', oid: `${arc}.71`, value: which }).answer)?.code;
  };
  const isOfAda = ({ action, subject }: (typeof atrium.audit)[number]) => action === 'ldap.bind' && subject.includes('ada');
  for (const lane of lanes.values()) {
    t.is(await bind(lane, atrium.adminDn, atrium.adminPassword), 0);
    const laptop = await make(lane, 'Laptop');
    const phone = await make(lane, 'Phone');
    for (const other of lanes.values()) for (let at = 0; at < 3; at++) t.is(await bind(other, ada.dn, laptop.value), 0);
    for (const other of lanes.values()) t.is(await bind(other, atrium.adminDn, atrium.adminPassword), 0);
    const staying = await openFollower(t, atrium, ada.dn, ada.password);
    const open: Follower[] = [];
    const threads = () => new Set(atrium.audit.filter(isOfAda).map(({ correlationId }) => correlationId.replace(/-\d+:\d+$/, '')));
    for (let tries = 0; open.length < 2 || (threads().size < 2 && tries < 100); tries++)
      open.push(await openFollower(t, atrium, ada.dn, laptop.value));
    const byPhone = await openFollower(t, atrium, ada.dn, phone.value);
    const ended = open.map(async ({ raw }) =>
      (await raw.rest()).map(({ op }) => (op.kind === 'extendedResponse' ? op.result.code : op.kind)),
    );
    t.is(await revoke(lane, laptop.id), 0);
    t.deepEqual(
      await Promise.all(ended),
      open.map(() => [8]),
      'what is open with it ends, with a notice',
    );
    for (const other of [staying, byPhone]) t.is((await other.ask(whoAmI)).code, 0);
    t.is(await revoke(lane), 0);
    t.is((await byPhone.raw.rest()).length, 1);
    t.is((await staying.ask(whoAmI)).code, 0);
    for (const other of lanes.values()) t.is(await bind(other, ada.dn, laptop.value), 49);
  }
});
