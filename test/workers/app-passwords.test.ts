import test from 'ava';
import { decodeBer, encodeBer } from '#ldap';
import { addPerson } from '../flows/people.ts';
import { connect, startWithWorkers } from './crew.ts';

const arc = '2.25.83716444157178576224225129172109131643.6';
const simple = (name: string, password: string) =>
  ({ kind: 'bindRequest', version: 3, name, authentication: { kind: 'simple', password: Buffer.from(password) } }) as const;

test('with threads beside the main one: app passwords are made and revoked at each of them, and the very next bind at any other knows it', async (t) => {
  await using atrium = await startWithWorkers(1);
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const lanes = new Map<string, Awaited<ReturnType<typeof connect>>['lane']>();
  for (let tries = 0; lanes.size < 2 && tries < 100; tries++) {
    const { lane, thread } = await connect(atrium);
    lanes.set(thread, lane);
  }
  t.is(lanes.size, 2);
  const bind = async (lane: Awaited<ReturnType<typeof connect>>['lane'], dn: string, password: string) =>
    (await lane.send(simple(dn, password)).answer)?.code;
  for (const lane of lanes.values()) {
    t.is(await bind(lane, atrium.adminDn, atrium.adminPassword), 0);
    const asked = encodeBer((ber) =>
      ber.sequence(() => {
        ber.string(ada.dn);
        ber.string('Laptop');
        ber.sequence(() => ber.string('ldap'));
      }),
    );
    const op = (await lane.send({ kind: 'extendedRequest', oid: `${arc}.70`, value: asked }).answer)?.value;
    const made = op && decodeBer(op, (ber) => ber.sequence(() => ({ id: ber.string(), value: ber.string() })));
    for (const other of lanes.values()) for (let at = 0; at < 3; at++) t.is(await bind(other, ada.dn, made?.value ?? ''), 0);
    t.is(await bind(lane, atrium.adminDn, atrium.adminPassword), 0);
    const which = encodeBer((ber) => ber.sequence(() => ber.string(ada.dn)));
    t.is((await lane.send({ kind: 'extendedRequest', oid: `${arc}.71`, value: which }).answer)?.code, 0);
    for (const other of lanes.values()) t.is(await bind(other, ada.dn, made?.value ?? ''), 49);
  }
});
