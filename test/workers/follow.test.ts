import test from 'ava';
import { utf8 } from '#base';
import type { Request } from '#ldap';
import { type Follower, openAdmin, persistentControl, syncControl } from '../support/follower.ts';
import { startWithWorkers } from './crew.ts';

const every = 15;
const refreshAndPersist = 3;
const connections = 12;

test('whichever thread serves whom, all who follow hear of all changes in one order, of a deleted entry what it was too', async (t) => {
  const atrium = await startWithWorkers(2);
  t.teardown(() => atrium[Symbol.asyncDispose]());
  const { suffix } = atrium;
  const dn = (uid: string) => `uid=${uid},ou=people,${suffix}`;
  const followers = await Promise.all(Array.from({ length: connections }, () => openAdmin(t, atrium)));
  const base = `ou=people,${suffix}`;
  for (const [at, follower] of followers.entries()) {
    const controls = at % 2 === 0 ? persistentControl(every, false, true) : syncControl(refreshAndPersist);
    follower.search(base, { attributes: ['sn'] }, controls);
    // People and the administrator: what is there is sent by whoever hears of all that comes behind it.
    for (const _ of [1, 2]) t.is((await follower.next()).kind, 'entry');
  }

  const writers = await Promise.all(Array.from({ length: 6 }, () => openAdmin(t, atrium)));
  const write = async (writer: Follower, at: number) => {
    const uid = `p${at}`;
    const values = { objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid };
    const attributes = Object.entries(values).map(([description, value]) => ({ description, values: [utf8(value)] }));
    const requests: readonly Request[] = [
      { kind: 'addRequest', entry: dn(uid), attributes },
      {
        kind: 'modifyRequest',
        object: dn(uid),
        changes: [{ operation: 'replace', attribute: { description: 'sn', values: [utf8('Other')] } }],
      },
      { kind: 'delRequest', entry: dn(uid) },
    ];
    for (const request of requests) t.is((await writer.ask(request)).code, 0);
  };
  await Promise.all(writers.map(write));

  const told = await Promise.all(
    followers.map(async (follower) => {
      const entries: string[] = [];
      while (entries.length < 3 * writers.length) {
        const one = await follower.next();
        if (one.kind !== 'entry') continue;
        const isGone = one.state === 'delete' || one.change?.[0] === 2;
        if (one.change !== undefined && isGone) t.deepEqual(one.values['sn'], ['Other']);
        entries.push(`${one.dn} ${isGone ? 'gone' : one.values['sn']}`);
      }
      return entries;
    }),
  );
  for (const entries of told) t.deepEqual(entries, told[0]);
});
