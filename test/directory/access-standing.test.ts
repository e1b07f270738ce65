import test, { type ExecutionContext } from 'ava';
import { createDirectory } from '#directory';
import { decodeBer, encodeBer } from '#ldap';
import { type Attributes, furnishedHouse, type House, person, replySink, searchOf, suffix } from './driver.ts';
import { actingFor, webLayer, webSecret } from './web-layer.ts';

const rules = `ou=accessRules,${suffix}`;
const sales = `ou=sales,ou=people,${suffix}`;
const someone = (uid: string, more: Attributes = {}): Attributes => ({ objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid, ...more });

/** Sue of sales, with a rule that shows her more than others are shown. */
async function houseOfSue(t: ExecutionContext, who: string) {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const entries: [string, Attributes][] = [
    [rules, { objectClass: 'organizationalUnit', ou: 'accessRules' }],
    [sales, { objectClass: 'organizationalUnit', ou: 'sales' }],
    [`uid=sue,${sales}`, someone('sue', { userPassword: 'sells-well' })],
    [
      `cn=more,${rules}`,
      {
        ...{ objectClass: 'stsAccessRule', cn: 'more', stsRuleOrder: '1', stsRuleWho: who },
        ...{ stsRuleAttribute: 'carLicense', stsRuleRight: 'read', stsRuleTarget: `entry:${person('alan')}` },
      },
    ],
  ];
  for (const [dn, attributes] of entries) t.is((await operator.add(dn, attributes)).code, 0, dn);
  t.is((await operator.modify(person('alan'), ['replace', 'carLicense', 'pioneer'])).code, 0);
  const sue = house.connect();
  t.is((await sue.bind(`uid=sue,${sales}`, 'sells-well')).code, 0);
  const sees = async () =>
    (await sue.search(person('alan'), '(objectClass=*)', { scope: 'base', attributes: ['carLicense'] })).entries[0]?.all('carLicense') ??
    [];
  return { house, operator, sees };
}

test('who is moved out of a subtree has lost what rules give to it with their next request, on a connection that is open', async (t) => {
  const { operator, sees } = await houseOfSue(t, `subtree:${sales}`);
  t.deepEqual(await sees(), ['pioneer']);
  const moved = { kind: 'modifyDNRequest', entry: `uid=sue,${sales}`, newRdn: 'uid=sue', deleteOldRdn: true } as const;
  t.is((await operator.ask({ ...moved, newSuperior: `ou=people,${suffix}` })).code, 0);
  t.deepEqual(await sees(), []);
  t.is((await operator.ask({ ...moved, entry: `uid=sue,ou=people,${suffix}`, newSuperior: sales })).code, 0);
  t.deepEqual(await sees(), ['pioneer']);
});

test('whose entry is gone is nobody, and whoever has its name later is somebody else', async (t) => {
  const { operator, sees } = await houseOfSue(t, `dn:uid=sue,${sales}`);
  t.deepEqual(await sees(), ['pioneer']);
  t.is((await operator.ask({ kind: 'delRequest', entry: `uid=sue,${sales}` })).code, 0);
  t.deepEqual(await sees(), []);
  t.is((await operator.add(`uid=sue,${sales}`, someone('sue'))).code, 0);
  t.deepEqual(await sees(), []);
});

/** An administrator of the realm acme, and what explains access to them. */
async function houseOfAcme(t: ExecutionContext) {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const registry = `ou=realms,${suffix}`;
  t.is((await operator.add(registry, { objectClass: 'organizationalUnit', ou: 'realms' })).code, 0);
  t.is((await operator.add(`cn=acme,${registry}`, { objectClass: 'stsRealmEntry', cn: 'acme', stsRealmId: 'acme' })).code, 0);
  const administrator = 'uid=admin,ou=people,o=acme';
  t.is((await operator.modify(administrator, ['replace', 'userPassword', 'acme’s own'])).code, 0);
  const client = house.connect();
  t.is((await client.bind(administrator, 'acme’s own')).code, 0);
  return { house: house satisfies House, client, administrator };
}

test('who manages a realm is not told by what explains access who there is in another one, nor what role they have there', async (t) => {
  const { client, administrator } = await houseOfAcme(t);
  const explain = async (as: string) => {
    const value = encodeBer((ber) =>
      ber.sequence(() => {
        ber.string(as, 0x80);
        ber.string(administrator, 0x81);
        ber.string('cn', 0x84);
        ber.string('read', 0x85);
      }),
    );
    const { code, last } = await client.ask({
      kind: 'extendedRequest',
      oid: '2.25.83716444157178576224225129172109131643.6.20',
      value,
    });
    const answer = last.kind === 'extendedResponse' ? last.value : undefined;
    return { code, visible: answer && decodeBer(answer, (ber) => ber.sequence(() => ber.boolean())) };
  };
  t.is((await explain(administrator)).code, 0);
  for (const as of [person('ada'), person('nobody'), `uid=admin,ou=people,${suffix}`, 'u:ada@default', 'u:nobody@default'])
    t.is((await explain(as)).code, 32, as);
});

test('very many targets of rules are told apart as few are, and by the name of an entry alone', async (t) => {
  const { house, client, administrator } = await houseOfAcme(t);
  const targets = ['entry:o=acme', ...Array.from({ length: 999 }, (_, at) => `entry:uid=p${at},ou=people,o=acme`)];
  const rule = (cn: string, order: number, more: Attributes) =>
    client.add(`cn=${cn},ou=accessRules,o=acme`, {
      ...{ objectClass: 'stsAccessRule', cn, stsRuleOrder: String(order), stsRuleWho: 'anyone', stsRuleAttribute: 'cn' },
      ...{ stsRuleRight: ['read', 'search'], ...more },
    });
  t.is((await rule('many', 1, { stsRuleTarget: targets })).code, 0);
  t.is((await rule('one', 2, { stsRuleTarget: 'one:ou=groups,o=acme' })).code, 0);
  t.is((await rule('not', 3, { stsRuleTarget: 'children:uid=inner,ou=groups,o=acme', stsRuleEffect: 'deny' })).code, 0);
  t.is((await rule('rest', 4, { stsRuleTarget: 'subtree:ou=groups,o=acme', stsRuleAttribute: 'sn' })).code, 0);
  for (const dn of [
    'uid=p7,ou=people,o=acme',
    'uid=q7,ou=people,o=acme',
    'uid=inner,ou=groups,o=acme',
    'uid=r7,uid=inner,ou=groups,o=acme',
    'uid=r8,uid=r7,uid=inner,ou=groups,o=acme',
  ])
    t.is(await client.add(dn, someone(dn.slice(4, dn.indexOf(',')))).then(({ code }) => code), 0, dn);
  const anonymous = house.connect();
  const seen = (await anonymous.search('o=acme', '(|(cn=inner)(cn=p7)(cn=q7)(cn=r7)(cn=r8))', { attributes: ['cn', 'sn'] })).entries.map(
    ({ dn, names }) => [dn, ...names],
  );
  t.deepEqual(
    seen.toSorted(),
    [
      ['uid=inner,ou=groups,o=acme', 'cn', 'sn'],
      ['uid=p7,ou=people,o=acme', 'cn'],
    ].toSorted(),
  );
  t.is((await anonymous.search('uid=r8,uid=r7,uid=inner,ou=groups,o=acme', '(objectClass=*)', { attributes: ['sn'] })).code, 0);
  t.is((await anonymous.search(administrator, '(objectClass=*)')).code, 32);
});

test('what rests on a fresh session is over in a search that goes on, too, when the session is not fresh any more', async (t) => {
  const house = await furnishedHouse(t, { webSecret });
  const operator = house.operator();
  t.is((await operator.add(rules, { objectClass: 'organizationalUnit', ou: 'accessRules' })).code, 0);
  const fresh = { stsRuleOrder: '1', stsRuleWho: 'authenticated', stsRuleStrength: 'fresh:60' };
  const about = { stsRuleAttribute: 'carLicense', stsRuleRight: 'read' };
  t.is((await operator.add(`cn=fresh,${rules}`, { objectClass: 'stsAccessRule', cn: 'fresh', ...fresh, ...about })).code, 0);
  const { connection } = await webLayer(house);
  const changesOnly = encodeBer((ber) =>
    ber.sequence(() => {
      ber.number(15);
      ber.boolean(true);
      ber.boolean(false);
    }),
  );
  const controls = [
    ...actingFor(person('ada'), { factors: 1, authenticatedMs: house.clock.nowMs() }),
    { oid: '2.16.840.1.113730.3.4.3', critical: true, value: changesOnly },
  ];
  const abandon = new AbortController();
  const { reply, entries } = replySink(undefined, abandon.signal);
  const waits = Promise.withResolvers<void>();
  const op = { ...searchOf(person('alan'), '(objectClass=*)'), scope: 'base' as const, attributes: ['carLicense', 'sn'] };
  let told = Promise.withResolvers<void>();
  const { entry } = reply;
  reply.lasts = () => waits.resolve();
  reply.entry = (...shown) => {
    entry(...shown);
    told.resolve();
  };
  const going = createDirectory(house.engine).perform(connection, { messageId: 1, op, controls }, reply);
  await waits.promise;
  const licenses: (readonly string[] | undefined)[] = [];
  for (const [passMs, license] of [
    [0, 'one'],
    [60_000, 'two'],
    [1, 'three'],
  ] as const) {
    house.clock.moveMs(passMs);
    told = Promise.withResolvers<void>();
    t.is((await operator.modify(person('alan'), ['replace', 'carLicense', license], ['replace', 'sn', license])).code, 0);
    await told.promise;
    licenses.push(entries.at(-1)?.all('carLicense'));
  }
  abandon.abort();
  await going;
  t.deepEqual(licenses, [['one'], ['two'], []]);
});
