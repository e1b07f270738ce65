import test from 'ava';
import { utf8 } from '#base';
import type { PartialAttribute, Request } from '#ldap';
import { connectToEach, startWithWorkers } from './crew.ts';

const threads = 3;

function attributes(given: Readonly<Record<string, string | readonly string[]>>): PartialAttribute[] {
  return Object.entries(given).map(([description, values]) => ({ description, values: [values].flat().map(utf8) }));
}

test('on whatever thread: one of those who bring one value wins, no number is given twice, and names follow a delete at once', async (t) => {
  t.timeout(60_000);
  await using atrium = await startWithWorkers(threads - 1);
  const people = `ou=people,${atrium.suffix}`;
  const group = `cn=g,ou=groups,${atrium.suffix}`;
  const connected = await connectToEach(atrium, threads, 1);
  const lane = (at: number) => connected[at % connected.length]?.lane ?? t.fail('no lane');
  const ask = async (at: number, request: Request) => {
    const used = lane(at);
    return typeof used === 'boolean' ? undefined : await used.send(request).answer;
  };
  const account = (uid: string, mail: string): Request => ({
    kind: 'addRequest',
    entry: `uid=${uid},${people}`,
    attributes: attributes({
      objectClass: ['inetOrgPerson', 'posixAccount'],
      ...{ uid, cn: uid, sn: uid, mail, homeDirectory: `/home/${uid}` },
    }),
  });
  const codes = await Promise.all(Array.from({ length: 12 }, (_, at) => ask(at, account(`one${at}`, 'one@example.com'))));
  t.is(codes.filter((answer) => answer?.code === 0).length, 1);
  t.is(codes.filter((answer) => answer?.code === 19).length, 11);

  const uids = Array.from({ length: 18 }, (_, at) => `n${at}`);
  const added = await Promise.all(uids.map((uid, at) => ask(at, account(uid, `${uid}@example.com`))));
  t.true(added.every((answer) => answer?.code === 0));
  const member = uids.map((uid) => `uid=${uid},${people}`);
  t.is(
    (await ask(0, { kind: 'addRequest', entry: group, attributes: attributes({ objectClass: 'groupOfNames', cn: 'g', member }) }))?.code,
    0,
  );
  t.is((await ask(1, { kind: 'delRequest', entry: member[0] ?? '' }))?.code, 0);

  const search = (filter: string, attribute: string): Request => ({
    kind: 'searchRequest',
    baseObject: atrium.suffix,
    scope: 'sub',
    derefAliases: 'never',
    sizeLimit: 0,
    timeLimitS: 0,
    typesOnly: false,
    filter: { kind: 'equality', description: filter, value: utf8(filter === 'cn' ? 'g' : group) },
    attributes: [attribute],
  });
  for (let thread = 0; thread < threads; thread++) {
    const named = await ask(thread, search('cn', 'member'));
    t.is(named?.entries[0]?.attributes.get('member')?.length, uids.length - 1);
    const members = await ask(thread, search('memberOf', 'uidNumber'));
    const numbers = members?.entries.map((entry) => entry.attributes.get('uidnumber')?.[0]);
    t.is(new Set(numbers).size, uids.length - 1);
  }
});
