import test from 'ava';
import { utf8 } from '#base';
import type { Request } from '#ldap';
import { type Lane, openLane } from '../torture/lane.ts';
import { administrator, inFolder, projectRoot, suffix } from '../torture/round.ts';
import { startServer } from '../torture/server.ts';

const dnOf = (uid: string) => `uid=${uid},ou=people,${suffix}`;

function addition(uid: string): Request {
  const values: Record<string, readonly string[]> = {
    objectClass: ['inetOrgPerson', 'posixAccount'],
    uid: [uid],
    cn: [uid],
    sn: [uid],
    homeDirectory: ['/'],
  };
  const attributes = Object.entries(values).map(([description, each]) => ({ description, values: each.map(utf8) }));
  return { kind: 'addRequest', entry: dnOf(uid), attributes };
}

function accounts(): Request {
  return {
    kind: 'searchRequest',
    baseObject: `ou=people,${suffix}`,
    scope: 'one',
    derefAliases: 'never',
    sizeLimit: 0,
    timeLimitS: 0,
    typesOnly: false,
    filter: { kind: 'present', description: 'uidNumber' },
    attributes: ['uid', 'uidNumber'],
  };
}

test('kill -9 among additions at the same time: no uidNumber is given out twice, not that of an account which is gone either', async (t) => {
  await inFolder(async (dataDir) => {
    const owners = new Map<string, string>();
    const note = async (lane: Lane) => {
      const found = (await lane.send(accounts()).answer)?.entries ?? [];
      for (const { attributes } of found) {
        const [number = '', uid = ''] = ['uidnumber', 'uid'].map((name) => attributes.get(name)?.[0] ?? '');
        t.is(owners.get(number) ?? uid, uid, `${number} was given to ${owners.get(number)}`);
        owners.set(number, uid);
      }
      t.is(new Set(found.map(({ attributes }) => attributes.get('uidnumber')?.[0])).size, found.length);
      return found.map(({ dn }) => dn);
    };
    for (const [round, killedAfter] of [0, 5, 30].entries()) {
      const server = await startServer({ code: projectRoot, dataDir });
      t.teardown(() => server.kill());
      const lanes = await Promise.all([0, 1, 2].map(() => openLane(server.port, administrator.dn, administrator.password)));
      const [first] = lanes as [Lane];
      // Whatever the last process gave out and answered is known here, and the newest of them are gone before more are made.
      const there = await note(first);
      await Promise.all(there.map((entry) => first.send({ kind: 'delRequest', entry }).answer));
      const before = await Promise.all([0, 1, 2].map((at) => first.send(addition(`r${round}-${at}`)).answer));
      t.deepEqual(
        before.map((answer) => answer?.code),
        [0, 0, 0],
      );
      for (const entry of await note(first)) await first.send({ kind: 'delRequest', entry }).answer;
      let answered = 0;
      const sent = lanes.flatMap((lane, nth) =>
        Array.from({ length: 20 }, async (_, at) => {
          const answer = await lane.send(addition(`k${round}-${nth}-${at}`)).answer;
          if (answer?.code === 0 && ++answered === killedAfter) void server.kill();
        }),
      );
      if (killedAfter === 0) await server.kill();
      await Promise.all(sent);
      await server.kill();
    }
    const server = await startServer({ code: projectRoot, dataDir });
    t.teardown(() => server.kill());
    const lane = await openLane(server.port, administrator.dn, administrator.password);
    await note(lane);
    t.true(owners.size >= 9 + 5 + 30);
    await server.stop();
  });
});
