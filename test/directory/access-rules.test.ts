import test, { type ExecutionContext } from 'ava';
import { utf8 } from '#base';
import { type Control, encodeBer } from '#ldap';
import { type Client, furnishedHouse, type House, person, suffix } from './driver.ts';
import { actingFor, webLayer, webSecret } from './web-layer.ts';

const rules = `ou=accessRules,${suffix}`;

/** A furnished house with a place for rules. */
async function ruledHouse(t: ExecutionContext, given: Parameters<typeof furnishedHouse>[1] = {}): Promise<House> {
  const house = await furnishedHouse(t, { webSecret, ...given });
  await house.operator().add(rules, { objectClass: 'organizationalUnit', ou: 'accessRules' });
  return house;
}

let lastRule = 0;

/** Writes a rule as the operator, and says with what result. */
async function rule(house: House, order: number, values: Readonly<Record<string, string | readonly string[]>>) {
  const cn = `rule ${++lastRule}`;
  const attributes: Record<string, string | readonly string[]> = { objectClass: 'stsAccessRule', cn, stsRuleOrder: String(order) };
  for (const [name, value] of Object.entries(values)) attributes[`stsRule${name}`] = value;
  const { code, result } = await house.operator().add(`cn=${cn},${rules}`, attributes);
  return { code, diagnostic: result.diagnostic, dn: `cn=${cn},${rules}` };
}

async function adas(house: House): Promise<Client> {
  const client = house.connect();
  await client.bind(person('ada'), 'lovelace');
  return client;
}

test('the first rule that fits in everything decides, allow or deny; what none decides the built-in set does', async (t) => {
  const house = await ruledHouse(t);
  const client = await adas(house);
  const names = async () =>
    (await client.search(person('alan'), '(objectClass=*)', { scope: 'base', attributes: ['cn', 'mail'] })).entries[0]?.names;
  t.deepEqual(await names(), ['cn', 'mail']);
  t.is((await rule(house, 20, { Effect: 'deny', Who: 'authenticated', Attribute: 'mail', Right: 'read' })).code, 0);
  t.deepEqual(await names(), ['cn'], 'effective for the next request, on a connection that is open');
  const { dn } = await rule(house, 10, { Who: `dn:${person('ada')}`, Target: `entry:${person('alan')}`, Attribute: 'mail', Right: 'read' });
  t.deepEqual(await names(), ['cn', 'mail']);
  await house.operator().modify(dn, ['replace', 'stsRuleOrder', '30']);
  t.deepEqual(await names(), ['cn']);
  await house.operator().ask({ kind: 'delRequest', entry: dn });
  t.deepEqual(await names(), ['cn']);
});

test('search, compare and read are rights of their own', async (t) => {
  const house = await ruledHouse(t);
  await house.operator().modify(person('alan'), ['add', 'employeeNumber', '1912']);
  const client = await adas(house);
  const found = async () =>
    (await client.search(`ou=people,${suffix}`, '(employeeNumber=1912)', { attributes: ['employeeNumber'] })).entries;
  const compared = async () =>
    (await client.ask({ kind: 'compareRequest', entry: person('alan'), description: 'employeeNumber', value: utf8('1912') })).code;
  t.deepEqual([await found(), await compared()], [[], 50]);
  await rule(house, 1, { Who: 'authenticated', Attribute: 'employeeNumber', Right: 'search' });
  t.deepEqual(
    (await found()).map(({ names }) => names),
    [[]],
    'found, and nothing of it shown',
  );
  t.is(await compared(), 50);
  await rule(house, 2, { Who: 'authenticated', Attribute: 'employeeNumber', Right: 'compare' });
  t.is(await compared(), 6);
  await rule(house, 3, { Who: 'authenticated', Attribute: 'employeeNumber', Right: 'read' });
  t.deepEqual(
    (await found()).map(({ names }) => names),
    [['employeeNumber']],
  );
});

test('add needs add on the entry and write on each attribute that it is given', async (t) => {
  const house = await ruledHouse(t);
  const client = await adas(house);
  const add = async (uid: string, more: Record<string, string> = {}) =>
    (await client.add(person(uid), { objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid, ...more })).code;
  t.is(await add('grace'), 50);
  await rule(house, 1, { Who: `dn:${person('ada')}`, Target: `children:ou=people,${suffix}`, Right: 'add' });
  t.is(await add('grace'), 50);
  await rule(house, 2, {
    Who: `dn:${person('ada')}`,
    Target: `children:ou=people,${suffix}`,
    Attribute: ['objectClass', 'uid', 'cn', 'sn'],
    Right: 'write',
  });
  t.is(await add('grace', { employeeNumber: '1' }), 50);
  t.is(await add('grace'), 0);
});

test('a rename needs write on the naming attributes; below another superior also delete there and add here, for every entry moved', async (t) => {
  const house = await ruledHouse(t);
  const operator = house.operator();
  for (const ou of ['north', 'south']) await operator.add(`ou=${ou},ou=people,${suffix}`, { objectClass: 'organizationalUnit', ou });
  await operator.add(`ou=team,ou=north,ou=people,${suffix}`, { objectClass: 'organizationalUnit', ou: 'team' });
  await operator.add(`uid=grace,ou=team,ou=north,ou=people,${suffix}`, { objectClass: 'inetOrgPerson', uid: 'grace', cn: 'g', sn: 'g' });
  const client = await adas(house);
  const move = async (entry: string, newRdn: string, ou?: string) =>
    (
      await client.ask({
        kind: 'modifyDNRequest',
        entry,
        newRdn,
        deleteOldRdn: true,
        ...(ou === undefined ? {} : { newSuperior: `ou=${ou},ou=people,${suffix}` }),
      })
    ).code;
  const team = `ou=team,ou=north,ou=people,${suffix}`;
  const Who = `dn:${person('ada')}`;
  t.is(await move(team, 'ou=squad'), 50);
  await rule(house, 1, { Who, Target: `children:ou=people,${suffix}`, Attribute: 'ou', Right: 'write' });
  t.is(await move(team, 'ou=squad'), 0);
  const squad = `ou=squad,ou=north,ou=people,${suffix}`;
  t.is(await move(squad, 'ou=squad', 'south'), 50);
  await rule(house, 2, { Who, Target: `subtree:${squad}`, Right: 'delete' });
  t.is(await move(squad, 'ou=squad', 'south'), 50);
  await rule(house, 3, { Who, Target: `entry:ou=squad,ou=south,ou=people,${suffix}`, Right: 'add' });
  t.is(await move(squad, 'ou=squad', 'south'), 50, 'not what is below it');
  await rule(house, 4, { Who, Target: `children:ou=squad,ou=south,ou=people,${suffix}`, Right: 'add' });
  t.is(await move(squad, 'ou=squad', 'south'), 0);
});

test('a rule with a filter is about the entries that fit it, and Undefined does not', async (t) => {
  const house = await ruledHouse(t);
  const operator = house.operator();
  await operator.modify(person('alan'), ['add', 'departmentNumber', '7'], ['add', 'employeeNumber', '1912']);
  const client = await adas(house);
  const shown = async () =>
    (await client.search(person('alan'), '(objectClass=*)', { scope: 'base', attributes: ['employeeNumber'] })).entries[0]?.names;
  await rule(house, 1, { Who: 'authenticated', Filter: '(departmentNumber=8)', Attribute: 'employeeNumber', Right: 'read' });
  await rule(house, 2, { Who: 'authenticated', Filter: '(userPassword=*)', Attribute: 'employeeNumber', Right: 'read' });
  t.deepEqual(await shown(), []);
  await operator.modify(person('alan'), ['replace', 'departmentNumber', '8']);
  t.deepEqual(await shown(), ['employeeNumber']);
});

test('auth: whom nobody may sign in as is refused as with a wrong password', async (t) => {
  const house = await ruledHouse(t);
  const client = house.connect();
  const wrong = await client.bind(person('ada'), 'wrong');
  await rule(house, 1, { Effect: 'deny', Who: 'anyone', Target: `entry:${person('ada')}`, From: '10.0.0.0/8', Right: 'auth' });
  t.is((await client.bind(person('ada'), 'lovelace')).code, 0);
  const outside = house.connect('ldap', { address: '10.1.2.3', loopback: false, secure: true });
  t.deepEqual((await outside.bind(person('ada'), 'lovelace')).result, wrong.result);
});

test('self writes what it signs in with through the web layer after a fresh authentication, and freshness passes with time', async (t) => {
  const house = await ruledHouse(t);
  const web = await webLayer(house);
  const write = async (controls: Control[]) =>
    (
      await web.ask(
        {
          kind: 'modifyRequest',
          object: person('ada'),
          changes: [{ operation: 'replace', attribute: { description: 'mail', values: [utf8('ada@example.org')] } }],
        },
        controls,
      )
    ).code;
  const authenticatedMs = house.clock.nowMs();
  t.is(await write(actingFor(person('ada'))), 50, 'a session that says nothing is not fresh');
  t.is(await write(actingFor(person('ada'), { factors: 1, authenticatedMs })), 0);
  t.is(await write(actingFor(person('alan'), { factors: 1, authenticatedMs })), 50);
  house.clock.moveMs(300_000);
  t.is(await write(actingFor(person('ada'), { factors: 1, authenticatedMs })), 0);
  house.clock.moveMs(1);
  t.is(await write(actingFor(person('ada'), { factors: 1, authenticatedMs })), 50);
  t.is((await (await adas(house)).modify(person('ada'), ['replace', 'mail', 'ada@example.net'])).code, 50, 'never with a password alone');
});

test('protected: for a session of the web pages it is the browser’s connection that counts, not the web layer’s own socket', async (t) => {
  const house = await ruledHouse(t);
  await rule(house, 1, { Effect: 'deny', Who: 'authenticated', Attribute: 'mail', Right: 'read' });
  await rule(house, 0, { Who: 'authenticated', From: 'protected', Attribute: 'mail', Right: 'read' });
  const web = await webLayer(house);
  const mail = async (session: Omit<NonNullable<Parameters<typeof actingFor>[1]>, 'factors' | 'authenticatedMs'>) => {
    const controls = actingFor(person('alan'), { factors: 1, authenticatedMs: house.clock.nowMs(), ...session });
    return (await web.search(person('ada'), '(objectClass=*)', { scope: 'base', attributes: ['mail'] }, controls)).entries[0]?.names;
  };
  t.deepEqual(await mail({ address: '192.0.2.1', isProtected: true }), ['mail']);
  t.deepEqual(await mail({ isProtected: true }), ['mail']);
  t.deepEqual(await mail({ address: '192.0.2.1', isProtected: false }), []);
  t.deepEqual(await mail({ address: '192.0.2.1' }), [], 'nothing said is not protected');
});

test('the control that tells of a session is the web layer’s alone', async (t) => {
  const house = await ruledHouse(t);
  const client = house.operator();
  const controls = actingFor(person('ada'), { factors: 2, authenticatedMs: house.clock.nowMs() });
  t.is((await client.search(suffix, '(objectClass=*)', { scope: 'base' }, controls)).code, 12);
});

test('roles: members of a group with a role have it, nested groups included, and Admin Read reads everything but secrets', async (t) => {
  const house = await ruledHouse(t);
  const operator = house.operator();
  await operator.modify(person('alan'), ['add', 'employeeNumber', '1912']);
  const client = await adas(house);
  const sees = async () =>
    (await client.search(suffix, '(employeeNumber=1912)', { attributes: ['employeeNumber', 'userPassword'] })).entries[0]?.names;
  t.is(await sees(), undefined);
  await operator.add(`cn=readers,ou=groups,${suffix}`, {
    objectClass: ['groupOfNames', 'stsRoleGroup'],
    cn: 'readers',
    stsRole: 'admin READ',
    member: `cn=pioneers,ou=groups,${suffix}`,
  });
  t.deepEqual(await sees(), ['employeeNumber']);
  t.is((await client.modify(person('alan'), ['replace', 'employeeNumber', '1'])).code, 50);
  await operator.modify(`cn=pioneers,ou=groups,${suffix}`, ['delete', 'member', person('ada')]);
  t.is(await sees(), undefined);
});

test('Admin Write does everything, and manage is what relaxing the rules, stored hashes, acting for others and larger limits take', async (t) => {
  const house = await ruledHouse(t, { 'ldap.searchSizeLimit': 1 });
  const operator = house.operator();
  const client = await adas(house);
  const acts = async () => (await client.search(suffix, '(objectClass=*)', { scope: 'base' }, actingFor(person('alan')))).code;
  t.deepEqual([await acts(), (await client.search(suffix, '(objectClass=*)')).code], [123, 4]);
  await operator.add(`cn=writers,ou=groups,${suffix}`, {
    objectClass: ['groupOfNames', 'stsRoleGroup'],
    cn: 'writers',
    stsRole: 'Admin Write',
    member: person('ada'),
  });
  t.deepEqual([await acts(), (await client.search(suffix, '(objectClass=*)')).code], [0, 0]);
  t.is((await client.add(person('grace'), { objectClass: 'inetOrgPerson', uid: 'grace', cn: 'g', sn: 'g' })).code, 0);
});

test('operational attributes take manage besides write: who may write all of a person does not become anybody by it', async (t) => {
  const house = await ruledHouse(t);
  await rule(house, 1, { Who: `dn:${person('ada')}`, Target: `entry:${person('alan')}`, Right: 'write' });
  const client = await adas(house);
  t.is((await client.modify(person('alan'), ['replace', 'description', 'x'])).code, 0);
  for (const [name, value] of [
    ['authzTo', 'dn:*'],
    ['pwdReset', 'TRUE'],
    ['pwdAccountLockedTime', '000001010000Z'],
    ['stsMfaRequired', 'FALSE'],
  ] as const)
    t.is((await client.modify(person('alan'), ['replace', name, value])).code, 50, name);
  const manages = await rule(house, 2, { Who: `dn:${person('ada')}`, Target: `entry:${person('alan')}`, Right: 'manage' });
  t.is((await client.modify(person('alan'), ['replace', 'pwdReset', 'TRUE'])).code, 0, manages.dn);
});

/** PasswdModifyRequestValue (RFC 3062). */
function passwords(user: string | undefined, old: string | undefined, fresh: string): Uint8Array {
  return encodeBer((ber) =>
    ber.sequence(() => {
      if (user !== undefined) ber.string(user, 0x80);
      if (old !== undefined) ber.string(old, 0x81);
      ber.string(fresh, 0x82);
    }),
  );
}

test('Password Modify with the old password counts as fresh, for that request and one’s own entry, and a rule may want more', async (t) => {
  const house = await ruledHouse(t);
  const client = await adas(house);
  const change = async (old: string | undefined, fresh: string, user?: string) =>
    (await client.ask({ kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.1', value: passwords(user, old, fresh) })).code;
  t.is(await change(undefined, 'babbage-engine-2'), 50);
  t.is(await change('lovelace', 'babbage-engine-2'), 0);
  t.is((await client.modify(person('ada'), ['replace', 'mail', 'ada@example.org'])).code, 50, 'and for nothing else');
  t.is(await change('babbage-engine-2', 'another-one-3', person('alan')), 50);
  await rule(house, 1, { Effect: 'deny', Who: 'self', Strength: 'own-password', Attribute: 'userPassword', Right: 'write' });
  t.is(await change('babbage-engine-2', 'another-one-3'), 50);
});

test('Password Modify says as little of a uid that one may not see as of one that nobody has', async (t) => {
  const house = await ruledHouse(t);
  await rule(house, 1, { Effect: 'deny', Who: 'authenticated', Target: `entry:${person('alan')}`, Right: ['read', 'search', 'compare'] });
  const client = await adas(house);
  const answer = async (user: string) =>
    (await client.ask({ kind: 'extendedRequest', oid: '1.3.6.1.4.1.4203.1.11.1', value: passwords(user, undefined, 'x') })).result;
  t.deepEqual(await answer('u:alan'), await answer('u:nobody'));
  t.deepEqual(await answer(person('alan')), await answer(person('nobody')));
});

test('who came in with an app password never writes what people sign in with, and never adds, deletes or manages, whoever they are', async (t) => {
  const house = await ruledHouse(t);
  const admin = `uid=admin,ou=people,${suffix}`;
  await rule(house, 1, { Who: 'anyone', Right: ['read', 'search', 'compare', 'write', 'add', 'delete', 'manage'] });
  for (const dn of [person('ada'), admin]) {
    const found = await house.operator().search(dn, '(objectClass=*)', { scope: 'base', attributes: ['entryUUID'] });
    const [uuid] = found.entries[0]?.attributes[0]?.values ?? [];
    const client = house.connect('ldap', { identity: { dn, uuid: Buffer.from(uuid ?? []).toString(), strength: 'appPassword' } });
    for (const name of ['userPassword', 'mail', 'stsCredentialId', 'authzTo', 'stsMfaRequired'])
      t.is((await client.modify(dn, ['replace', name, 'TRUE'])).code, 50, name);
    t.is((await client.modify(dn, ['replace', 'description', 'x'])).code, 0);
    t.is((await client.add(person('grace'), { objectClass: 'inetOrgPerson', uid: 'grace', cn: 'g', sn: 'g' })).code, 50);
    t.is((await client.ask({ kind: 'delRequest', entry: person('alan') })).code, 50);
    t.is((await client.search(suffix, '(objectClass=*)', { scope: 'base' }, actingFor(person('alan')))).code, 123);
    const own = {
      kind: 'extendedRequest',
      oid: '1.3.6.1.4.1.4203.1.11.1',
      value: passwords(undefined, 'lovelace', 'babbage-engine-2'),
    } as const;
    t.is((await client.ask(own)).code, 50);
  }
});

test('acting for another on an ordinary door is with the strength of who really came in, and with the rights of the other', async (t) => {
  const house = await ruledHouse(t);
  await rule(house, 1, { Who: `dn:${person('alan')}`, Strength: 'operators', Attribute: 'employeeNumber', Right: 'write' });
  const acting = actingFor(person('alan'));
  const change = async (client: Client) =>
    (
      await client.ask(
        {
          kind: 'modifyRequest',
          object: person('alan'),
          changes: [{ operation: 'replace', attribute: { description: 'employeeNumber', values: [utf8('1')] } }],
        },
        acting,
      )
    ).code;
  t.is(await change(house.operator()), 0);
  const admin = house.connect();
  await admin.bind(`uid=admin,ou=people,${suffix}`, 'administrator’s own');
  t.is(await change(admin), 50);
});

const mistakes: readonly [title: string, values: Readonly<Record<string, string | readonly string[]>>, says: RegExp][] = [
  ['whom it is about', { Who: 'everybody' }, /^stsRuleWho: everybody: it is one of/],
  ['a name that is none', { Who: 'dn:nonsense' }, /^stsRuleWho: .*no distinguished name/],
  ['somebody of elsewhere', { Who: 'dn:cn=x,dc=elsewhere' }, /^stsRuleWho: .*does not lie within the realm/],
  ['a target elsewhere', { Target: 'subtree:dc=com' }, /^stsRuleTarget: .*does not lie within the realm/],
  ['a kind of target', { Target: `below:${suffix}` }, /^stsRuleTarget: .*it is one of/],
  ['an attribute', { Attribute: ['cn', 'noSuchThing'] }, /^stsRuleAttribute: noSuchThing: no schema defines/],
  ['a class', { Attribute: '@noSuchClass' }, /^stsRuleAttribute: @noSuchClass: no schema defines/],
  ['a filter', { Filter: '(cn=' }, /^stsRuleFilter: /],
  ['a filter on what no schema has', { Filter: '(noSuchThing=1)' }, /^stsRuleFilter: noSuchThing: no schema defines/],
  [
    'a filter on what is worked out',
    { Filter: `(memberOf=cn=pioneers,ou=groups,${suffix})` },
    /^stsRuleFilter: memberOf: it is worked out/,
  ],
  ['a network', { From: '192.0.2.0/33' }, /^stsRuleFrom: .*length of the prefix/],
  ['bits behind the prefix', { From: '192.0.2.1/24' }, /^stsRuleFrom: .*bits behind the prefix/],
  ['a strength', { Strength: 'session+strong' }, /^stsRuleStrength: strong: no such strength/],
  ['a freshness', { Strength: 'fresh:0' }, /^stsRuleStrength: fresh:0/],
  ['a right', { Right: ['read', 'own'] }, /^stsRuleRight: own: the rights are/],
  ['an effect', { Effect: 'maybe' }, /^stsRuleEffect: maybe/],
];

for (const [title, values, says] of mistakes) {
  test(`a rule is checked when it is written: ${title}`, async (t) => {
    const house = await ruledHouse(t);
    const { code, diagnostic } = await rule(house, 1, { Who: 'anyone', Right: 'read', ...values });
    t.is(code, 19);
    t.regex(diagnostic, says);
  });
}

test('a rule is checked when it is written: its order, its place, and when it is changed or moved', async (t) => {
  const house = await ruledHouse(t);
  const operator = house.operator();
  t.is((await rule(house, 1_000_000, { Who: 'anyone', Right: 'read' })).code, 19);
  const attributes = { objectClass: 'stsAccessRule', cn: 'x', stsRuleOrder: '1', stsRuleWho: 'anyone', stsRuleRight: 'read' };
  t.is((await operator.add(`cn=x,ou=groups,${suffix}`, attributes)).code, 19);
  const { dn } = await rule(house, 1, { Who: 'anyone', Right: 'read' });
  t.is((await operator.modify(dn, ['replace', 'stsRuleWho', 'nobody'])).code, 19);
  t.is(
    (await operator.ask({ kind: 'modifyDNRequest', entry: dn, newRdn: 'cn=y', deleteOldRdn: true, newSuperior: `ou=groups,${suffix}` }))
      .code,
    19,
  );
  t.is((await operator.ask({ kind: 'modifyDNRequest', entry: rules, newRdn: 'ou=other', deleteOldRdn: true })).code, 53);
});

test('a realm has ldap.accessRulesMax rules at most', async (t) => {
  const house = await ruledHouse(t, { 'ldap.accessRulesMax': 1 });
  t.is((await rule(house, 1, { Who: 'anyone', Right: 'read' })).code, 0);
  t.is((await rule(house, 2, { Who: 'anyone', Right: 'read' })).code, 11);
});

test('the filters of all rules of a realm have twice as many parts as it may have rules, whichever rule is written', async (t) => {
  const house = await ruledHouse(t, { 'ldap.accessRulesMax': 2 });
  const who = { Who: 'anyone', Right: 'read' };
  const { code, dn } = await rule(house, 1, { ...who, Filter: '(|(cn=a)(cn=b))' });
  t.is(code, 0);
  const refused = await rule(house, 2, { ...who, Filter: '(cn=*a*)' });
  t.deepEqual(
    [refused.code, refused.diagnostic],
    [19, 'stsRuleFilter: the filters of all rules of a realm have 4 parts at most, and would have 5'],
  );
  const operator = house.operator();
  t.is((await operator.modify(dn, ['replace', 'stsRuleFilter', '(|(cn=a)(cn=b)(cn=c)(cn=d))'])).code, 19);
  t.is((await operator.modify(dn, ['replace', 'stsRuleFilter', '(|(cn=a)(cn=b)(cn=c))'])).code, 0);
  t.is((await rule(house, 2, { ...who, Filter: '(cn=a)' })).code, 19);
  t.is((await operator.modify(dn, ['replace', 'stsRuleFilter', '(cn=a)'])).code, 0);
  t.is((await rule(house, 2, { ...who, Filter: '(|(cn=a)(cn=b))' })).code, 0);
});

test('a search lets others have their turn the more often, the more parts the filters of rules have', async (t) => {
  const house = await ruledHouse(t);
  const operator = house.operator();
  const group = { objectClass: 'applicationProcess' };
  for (let at = 0; at < 100; at++) await operator.add(`cn=p${at},ou=people,${suffix}`, { ...group, cn: `p${at}` });
  const client = await adas(house);
  const turnsOf = async () => {
    let turns = 0;
    let isGoing = true;
    const tick = () => {
      turns++;
      if (isGoing) setImmediate(tick);
    };
    setImmediate(tick);
    await client.search(suffix, '(objectClass=applicationProcess)');
    isGoing = false;
    return turns;
  };
  t.true((await turnsOf()) < 10);
  for (let at = 0; at < 15; at++) {
    const parts = Array.from({ length: 99 }, (_, part) => `(cn=${at} ${part})`).join('');
    t.is((await rule(house, at, { Who: 'authenticated', Right: 'read', Filter: `(|${parts})` })).code, 0);
  }
  t.true((await turnsOf()) > 25);
});
