import test from 'ava';
import { utf8 } from '#base';
import type { Request } from '#ldap';
import { type Lane, openLane } from '../torture/lane.ts';
import { administrator, inFolder, projectRoot, suffix } from '../torture/round.ts';
import { startServer } from '../torture/server.ts';

const registry = `ou=realms,${suffix}`;

function addition(entry: string, values: Readonly<Record<string, readonly string[]>>): Request {
  const attributes = Object.entries(values).map(([description, each]) => ({ description, values: each.map(utf8) }));
  return { kind: 'addRequest', entry, attributes };
}

const realm = (id: string) => addition(`cn=${id},${registry}`, { objectClass: ['stsRealmEntry'], cn: [id], stsRealmId: [id] });
const person = (uid: string, below: string) =>
  addition(`uid=${uid},ou=people,${below}`, { objectClass: ['inetOrgPerson'], uid: [uid], cn: [uid], sn: [uid] });

function replace(object: string, description: string, value: string): Request {
  return { kind: 'modifyRequest', object, changes: [{ operation: 'replace', attribute: { description, values: [utf8(value)] } }] };
}

function search(baseObject: string, scope: 'base' | 'one' | 'sub', attributes: readonly string[] = ['1.1']): Request {
  const filter = { kind: 'present', description: 'objectClass' } as const;
  return {
    kind: 'searchRequest',
    baseObject,
    scope,
    derefAliases: 'never',
    sizeLimit: 0,
    timeLimitS: 0,
    typesOnly: false,
    filter,
    attributes,
  };
}

const found = async (lane: Lane, ...about: Parameters<typeof search>) => (await lane.send(search(...about)).answer)?.entries ?? [];

test('kill -9 while realms are made: each is there whole or not at all, in every thread', async (t) => {
  await inFolder(async (dataDir) => {
    let whole = 0;
    for (const [round, killedAfter] of [1, 4].entries()) {
      const server = await startServer({ code: projectRoot, dataDir, workers: 1 });
      t.teardown(() => server.kill());
      const lanes = await Promise.all([0, 1].map(() => openLane(server.port, administrator.dn, administrator.password)));
      let answered = 0;
      const sent = lanes.flatMap((lane, nth) =>
        Array.from({ length: 6 }, async (_, at) => {
          const answer = await lane.send(realm(`r${round}-${nth}-${at}`)).answer;
          if (answer?.code === 0 && ++answered === killedAfter) void server.kill();
        }),
      );
      await Promise.all(sent);
      await server.kill();
      const again = await startServer({ code: projectRoot, dataDir });
      t.teardown(() => again.kill());
      const lane = await openLane(again.port, administrator.dn, administrator.password);
      const made = (await found(lane, registry, 'one')).map(({ dn }) => /^cn=([^,]+)/.exec(dn)?.[1] ?? '');
      t.true(made.length >= whole + answered, 'what was answered is there');
      whole = made.length;
      const [root] = await found(lane, '', 'base', ['namingContexts']);
      t.deepEqual(root?.attributes.get('namingcontexts')?.toSorted(), [suffix, ...made.map((id) => `o=${id}`)].toSorted());
      for (const id of made) t.is((await found(lane, `o=${id}`, 'sub')).length, 13, id);
      for (let nth = 0; nth < 2; nth++)
        for (let at = 0; at < 6; at++) {
          const id = `r${round}-${nth}-${at}`;
          if (!made.includes(id)) t.is((await found(lane, `o=${id}`, 'sub')).length, 0, `nothing of ${id}`);
        }
      await again.stop();
    }
  });
});

test('kill -9 while a realm is removed: the next start goes on with it, to the last entry', async (t) => {
  await inFolder(async (dataDir) => {
    const make = await startServer({ code: projectRoot, dataDir });
    t.teardown(() => make.kill());
    const lane = await openLane(make.port, administrator.dn, administrator.password);
    t.is((await lane.send(realm('acme')).answer)?.code, 0);
    const added = await Promise.all(Array.from({ length: 1500 }, (_, at) => lane.send(person(`p${at}`, 'o=acme')).answer));
    t.true(added.every((answer) => answer?.code === 0));
    const all = (await found(lane, 'o=acme', 'sub')).length;
    t.is((await lane.send(replace(`cn=acme,${registry}`, 'stsRealmState', 'removing')).answer)?.code, 0);
    await make.kill();

    let kills = 0;
    for (let before = all; before > 0; ) {
      const server = await startServer({ code: projectRoot, dataDir, workers: 1 });
      t.teardown(() => server.kill());
      const look = await openLane(server.port, administrator.dn, administrator.password);
      t.not((await look.send(person('late', 'o=acme')).answer)?.code, 0, 'nothing is added meanwhile');
      // Until some of it is gone: twice in the middle, then to the end.
      for (let left = before; ; ) {
        // In this order: when its entry is gone, what was below is gone before.
        const isThere = (await found(look, `cn=acme,${registry}`, 'base')).length === 1;
        left = (await found(look, 'o=acme', 'sub')).length;
        t.true(isThere || left === 0, 'the entry of the realm goes last');
        if (kills < 2 && left < before && left > 0) break;
        if (left === 0 && !isThere) break;
      }
      if (kills < 2) await server.kill();
      kills++;
      if (kills <= 2) {
        const next = await startServer({ code: projectRoot, dataDir });
        t.teardown(() => next.kill());
        const again = await openLane(next.port, administrator.dn, administrator.password);
        before = (await found(again, 'o=acme', 'sub')).length;
        await next.kill();
      } else {
        t.is((await look.send(realm('acme')).answer)?.code, 0, 'its id is free');
        await server.stop();
        before = 0;
      }
    }
    t.true(kills >= 1);
  });
});
