import test, { type ExecutionContext } from 'ava';
import { utf8 } from '#base';
import type { Request } from '#ldap';
import { openFollower, persistentControl } from '../support/follower.ts';
import { type Lane, openLane } from '../torture/lane.ts';
import { connect, portOf, startWithWorkers } from './crew.ts';

type Crew = Awaited<ReturnType<typeof startWithWorkers>>;

const password = 'Analytical-engine-1';

function entry(dn: string, values: Readonly<Record<string, string | readonly string[]>>): Request {
  const attributes = Object.entries(values).map(([description, value]) => ({ description, values: [value].flat().map(utf8) }));
  return { kind: 'addRequest', entry: dn, attributes };
}

function search(base: string): Request {
  const filter = { kind: 'present', description: 'objectClass' } as const;
  const rest = { derefAliases: 'never', sizeLimit: 0, timeLimitS: 0, typesOnly: false } as const;
  return { kind: 'searchRequest', baseObject: base, scope: 'base', filter, attributes: ['cn', 'mail'], ...rest };
}

/** Connections as somebody, at least one of them to each of two threads. */
async function lanesToAll(t: ExecutionContext, atrium: Crew, uid: string): Promise<Lane[]> {
  const lanes: Lane[] = [];
  const threads = () =>
    new Set(
      atrium.audit
        .filter(({ action, subject }) => action === 'ldap.bind' && subject.includes(`uid=${uid}`))
        .map(({ correlationId }) => correlationId.replace(/-\d+:\d+$/, '')),
    );
  while (threads().size < 2 && lanes.length < 100)
    lanes.push(await openLane(portOf(atrium), `uid=${uid},ou=people,${atrium.suffix}`, password));
  t.is(threads().size, 2);
  return lanes;
}

test('a rule of access is in force with the next request at every thread, on connections that are open', async (t) => {
  await using atrium = await startWithWorkers(1);
  const people = `ou=people,${atrium.suffix}`;
  const { lane: admin } = await connect(atrium);
  const done = async (op: Request) => t.is((await admin.send(op).answer)?.code, 0);
  const person = (uid: string) =>
    entry(`uid=${uid},${people}`, {
      objectClass: 'inetOrgPerson',
      uid,
      cn: uid,
      sn: uid,
      mail: `${uid}@example.com`,
      userPassword: password,
    });
  await done(person('ada'));
  await done(person('alan'));

  const lanes = await lanesToAll(t, atrium, 'ada');
  const shown = async () =>
    new Set(
      await Promise.all(
        lanes.map(async (lane) => {
          const answer = await lane.send(search(`uid=alan,${people}`)).answer;
          return answer?.entries.flatMap((each) => [...each.attributes.keys()]).join();
        }),
      ),
    );
  const rule = `cn=no mail,ou=accessRules,${atrium.suffix}`;
  const deny = {
    objectClass: 'stsAccessRule',
    cn: 'no mail',
    stsRuleOrder: '1',
    stsRuleEffect: 'deny',
    stsRuleWho: 'authenticated',
    stsRuleAttribute: 'mail',
    stsRuleRight: 'read',
  };
  for (let times = 0; times < 3; times++) {
    t.deepEqual(await shown(), new Set(['cn,mail']));
    await done(entry(rule, deny));
    t.deepEqual(await shown(), new Set(['cn']));
    await done({ kind: 'delRequest', entry: rule });
  }
  for (const lane of [admin, ...lanes]) lane.close();
});

test('a search that goes on obeys a new rule with the next change', async (t) => {
  await using atrium = await startWithWorkers(0);
  const people = `ou=people,${atrium.suffix}`;
  const { lane: admin } = await connect(atrium);
  const done = async (op: Request) => t.is((await admin.send(op).answer)?.code, 0);
  for (const uid of ['ada', 'alan'])
    await done(entry(`uid=${uid},${people}`, { objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid, userPassword: password }));
  const follower = await openFollower(t, atrium, `uid=ada,${people}`, password);
  follower.search(people, { text: '(cn=*)', attributes: ['cn', 'mobile'] }, persistentControl(15, true, true));
  follower.search(people, { scope: 'base', attributes: ['1.1'] });
  await follower.all();

  const call = (mobile: string): Request => ({
    kind: 'modifyRequest',
    object: `uid=alan,${people}`,
    changes: ['mobile', 'title'].map((description) => ({ operation: 'replace', attribute: { description, values: [utf8(mobile)] } })),
  });
  // Of a change of what one may not read nothing is told: so another attribute changes with it.
  const next = async () => {
    const told = await follower.next();
    return told.kind === 'entry' ? told.values : told.kind;
  };
  await done(call('1'));
  t.deepEqual(await next(), { cn: ['alan'], mobile: ['1'] });
  const rule = (name: string, more: Record<string, string | readonly string[]>) =>
    entry(`cn=${name},ou=accessRules,${atrium.suffix}`, {
      objectClass: 'stsAccessRule',
      cn: name,
      stsRuleOrder: '1',
      stsRuleEffect: 'deny',
      stsRuleWho: 'authenticated',
      stsRuleTarget: `entry:uid=alan,${people}`,
      ...more,
    });
  await done(rule('no mobile', { stsRuleAttribute: 'mobile', stsRuleRight: 'read' }));
  await done(call('2'));
  t.deepEqual(await next(), { cn: ['alan'] });
  await done(rule('nothing', { stsRuleRight: ['read', 'search', 'compare'] }));
  await done(call('3'));
  await done({ kind: 'delRequest', entry: `cn=nothing,ou=accessRules,${atrium.suffix}` });
  await done({ kind: 'delRequest', entry: `cn=no mobile,ou=accessRules,${atrium.suffix}` });
  await done(call('4'));
  t.deepEqual(await next(), { cn: ['alan'], mobile: ['4'] }, 'of the third nothing was told');
  admin.close();
});

test('STS-LDAP-9310: whose account is disabled is nobody with the next request, at every thread', async (t) => {
  await using atrium = await startWithWorkers(1);
  const people = `ou=people,${atrium.suffix}`;
  const { lane: admin } = await connect(atrium);
  const done = async (op: Request) => t.is((await admin.send(op).answer)?.code, 0);
  await done(entry(`uid=ada,${people}`, { objectClass: 'inetOrgPerson', uid: 'ada', cn: 'ada', sn: 'ada', userPassword: password }));
  const lanes = await lanesToAll(t, atrium, 'ada');
  const codes = async () =>
    new Set(await Promise.all(lanes.map(async (lane) => (await lane.send(search(`uid=ada,${people}`)).answer)?.code)));
  t.deepEqual(await codes(), new Set([0]));
  const lock = { description: 'pwdAccountLockedTime', values: [utf8('000001010000Z')] };
  await done({ kind: 'modifyRequest', object: `uid=ada,${people}`, changes: [{ operation: 'add', attribute: lock }] });
  // Their connections end with the account; what is asked before that is refused.
  const isShut = (code: number | undefined) => code === undefined || code === 53 || code === 32;
  for (let turn = 0; turn < 2; turn++) t.true([...(await codes())].every(isShut));
  for (const lane of [admin, ...lanes]) lane.close();
});
