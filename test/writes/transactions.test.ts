import test from 'ava';
import { equalBytes, text, utf8 } from '#base';
import { createDirectory } from '#directory';
import { type BerReader, type Control, decodeBer, type Request } from '#ldap';
import { furnishedHouse, person, replySink, suffix } from '../directory/driver.ts';
import { add, asserting, equals, modify, oids, reading, remove, rename } from './table.ts';
import { begin, begun, end, part } from './transacting.ts';

const branch = `ou=applications,${suffix}`;
const unit = (dn: string, ou: string) => add(dn, { objectClass: 'organizationalUnit', ou });

/** txnEndRes: the message id of what failed, and the controls of updates by their message ids. */
function endOf(value: Uint8Array | undefined) {
  if (value === undefined) return undefined;
  return decodeBer(value, (ber: BerReader) =>
    ber.sequence(() => ({
      failed: ber.tag === 0x02 ? ber.number() : undefined,
      controls: ber.more
        ? ber.list(() =>
            ber.sequence(() => ({ id: ber.number(), oids: ber.list(() => ber.sequence(() => [ber.string(), text(ber.octets())])) })),
          )
        : [],
    })),
  );
}

test('RFC 5805: updates of a transaction see those before them, and are made all at once', async (t) => {
  const house = await furnishedHouse(t);
  const client = house.operator();
  const id = await begun(client);
  const twig = `ou=twig,${branch}`;
  const updates: Request[] = [
    unit(twig, 'twig'),
    add(`cn=leaf,${twig}`, { objectClass: 'device', cn: 'leaf' }),
    modify(`cn=leaf,${twig}`, ['add', 'description', 'one']),
    modify(`cn=leaf,${twig}`, ['delete', 'description', 'one'], ['add', 'description', 'two']),
    rename(twig, 'ou=stick'),
    modify(`cn=leaf,ou=stick,${branch}`, ['add', 'serialNumber', '1']),
    unit(twig, 'twig'),
    remove(twig),
    remove(person('alan')),
    add(person('alan'), { objectClass: 'inetOrgPerson', uid: 'alan', cn: 'Another', sn: 'Turing' }),
  ];
  for (const op of updates) t.is((await client.ask(op, [part(id)])).code, 0);
  t.is((await client.search(branch, '(objectClass=*)')).entries.length, 1, 'nothing is done before the end');
  t.is(house.audited.filter(({ action }) => action !== 'ldap.extended').length, 0, 'and nothing is told of');
  const { number } = house.engine.store.snapshot();
  const { code, last } = await client.ask(end(id));
  t.is(code, 0);
  t.is(last.kind === 'extendedResponse' ? last.value : last, undefined);
  t.is(house.engine.store.snapshot().number, number + 1, 'one commit');
  const leaf = (await client.search(`cn=leaf,ou=stick,${branch}`, '(objectClass=*)', { scope: 'base' })).entries[0];
  t.deepEqual([leaf?.all('description'), leaf?.all('serialNumber')], [['two'], ['1']]);
  t.deepEqual((await client.search(branch, '(objectClass=*)')).dns, [branch, `ou=stick,${branch}`, `cn=leaf,ou=stick,${branch}`]);
  t.deepEqual((await client.search(person('alan'), '(objectClass=*)', { scope: 'base' })).entries[0]?.all('cn'), ['Another']);
  t.is(house.audited.filter(({ outcome, action }) => outcome === 'success' && action !== 'ldap.extended').length, updates.length);
});

test('RFC 5805 §3.4: when one update is refused none is made, and the end names it', async (t) => {
  const house = await furnishedHouse(t);
  const client = house.operator();
  const id = await begun(client);
  await client.ask(modify(person('ada'), ['replace', 'title', 'Lady']), [part(id)]);
  await client.ask(remove(person('alan')), [part(id), asserting(equals('sn', 'Nobody'))]);
  await client.ask(remove(person('ada')), [part(id)]);
  const { code, last } = await client.ask(end(id));
  t.is(code, 122);
  t.is(last.kind === 'extendedResponse' ? endOf(last.value)?.failed : 0, 3);
  t.is((await client.search(suffix, '(title=Lady)')).entries.length, 0);
  t.is((await client.ask(end(id))).code, 53, 'it is over');
});

test('RFC 5805 §4.5: what updates read comes with the end, by their message ids, as they were at their turn', async (t) => {
  const client = (await furnishedHouse(t)).operator();
  const id = await begun(client);
  const read = [reading(oids.preRead, 'title'), reading(oids.postRead, 'title')];
  await client.ask(modify(person('ada'), ['replace', 'title', 'One']), [part(id), ...read]);
  await client.ask(modify(person('ada'), ['replace', 'title', 'Two']), [part(id), ...read]);
  const { last } = await client.ask(end(id));
  const { controls = [] } = (last.kind === 'extendedResponse' ? endOf(last.value) : undefined) ?? {};
  t.deepEqual(
    controls.map(({ id: own }) => own),
    [2, 3],
  );
  const values = controls.map(({ oids: those }) => those.map(([, value]) => /One|Two/.exec(value ?? '')?.[0]));
  t.deepEqual(values, [
    [undefined, 'One'],
    ['One', 'Two'],
  ]);
});

test('a transaction is forgotten by its abort, by a bind and with its connection; a second one is busy (51)', async (t) => {
  const house = await furnishedHouse(t);
  const client = house.operator();
  const first = await begun(client);
  t.is((await client.ask(begin)).code, 51);
  await client.ask(remove(person('ada')), [part(first)]);
  t.is((await client.ask(end(first, false))).code, 0);
  t.is((await client.ask(end(first))).code, 53);
  const second = await begun(client);
  t.false(equalBytes(first, second));
  t.is((await client.ask(remove(person('ada')), [part(first)])).code, 53);
  await client.ask(remove(person('ada')), [part(second)]);
  await client.bind(person('ada'), 'wrong');
  t.is((await client.ask(end(second))).code, 53);
  const other = house.operator();
  const third = await begun(other);
  await other.ask(remove(person('ada')), [part(third)]);
  createDirectory(house.engine).forget(other.connection);
  t.is((await other.ask(end(third))).code, 53);
  t.is((await house.operator().search(suffix, '(uid=ada)')).entries.length, 1);
});

test('RFC 5805 §2: what cannot be read is a protocolError (2), an end without updates an operationsError (1)', async (t) => {
  const client = (await furnishedHouse(t)).operator();
  t.is((await client.ask({ ...begin, value: utf8('x') } as Request)).code, 2);
  const id = await begun(client);
  t.is((await client.ask({ kind: 'extendedRequest', oid: '1.3.6.1.1.21.3' })).code, 2);
  t.is((await client.ask({ kind: 'extendedRequest', oid: '1.3.6.1.1.21.3', value: utf8('x') })).code, 2);
  t.is((await client.ask(remove(person('ada')), [{ ...part(id), critical: false }])).code, 2);
  t.is((await client.ask(remove(person('ada')), [{ oid: oids.transaction, critical: true }])).code, 2);
  t.is((await client.ask(end(id))).code, 1);
});

test('who may not write may not in a transaction either, and nobody begins one anonymously', async (t) => {
  const house = await furnishedHouse(t);
  t.is((await house.connect().ask(begin)).code, 50);
  const client = house.connect();
  await client.bind(person('ada'), 'lovelace');
  const id = await begun(client);
  await client.ask(modify(person('ada'), ['replace', 'description', 'mine']), [part(id)]);
  await client.ask(add(person('eve'), { objectClass: 'inetOrgPerson', uid: 'eve', cn: 'Eve', sn: 'E', userPassword: 'x' }), [part(id)]);
  t.is((await client.ask(end(id))).code, 50);
  t.is((await house.operator().search(suffix, '(description=mine)')).entries.length, 0);
});

test('STS-LDAP-9058: a transaction beyond its bounds is aborted with a notice, and nothing of it is done', async (t) => {
  const house = await furnishedHouse(t, { 'ldap.transactionUpdatesMax': 2 });
  const client = house.operator();
  const id = await begun(client);
  for (const uid of ['ada', 'alan']) await client.ask(remove(person(uid)), [part(id)]);
  const sink = replySink();
  await createDirectory(house.engine).perform(client.connection, { messageId: 9, op: remove(branch), controls: [part(id)] }, sink.reply);
  const [[notice], [answer]] = [sink.notices, sink.sent];
  t.like(notice, { kind: 'extendedResponse', oid: '1.3.6.1.1.21.4', value: id });
  t.is(notice?.kind === 'extendedResponse' ? notice.result.code : 0, 11);
  t.is(answer?.kind === 'delResponse' ? answer.result.code : 0, 11);
  t.is((await client.ask(end(id))).code, 53);
  t.is((await client.search(suffix, '(uid=ada)')).entries.length, 1);
});

test('a transaction is bound in octets, alone and with all others', async (t) => {
  const house = await furnishedHouse(t, { 'ldap.transactionMib': 1, 'ldap.transactionsMib': 1 });
  const big = modify(person('ada'), ['replace', 'description', 'x'.repeat(600_000)]);
  const [one, other] = [house.operator(), house.operator()];
  const [first, second] = [await begun(one), await begun(other)];
  t.is((await one.ask(big, [part(first)])).code, 0);
  t.is((await other.ask(big, [part(second)])).code, 11);
  t.is((await one.ask(big, [part(first)])).code, 11);
  t.is((await other.ask(big, [part(await begun(other))])).code, 0, 'what was aborted takes no room');
});

test('of the room of all transactions half is kept for administrators', async (t) => {
  const house = await furnishedHouse(t, { 'ldap.transactionMib': 1, 'ldap.transactionsMib': 1 });
  const big = modify(person('ada'), ['replace', 'description', 'x'.repeat(400_000)]);
  const clients = await Promise.all(
    ['one', 'other'].map(async () => {
      const client = house.connect();
      await client.bind(person('ada'), 'lovelace');
      return { client, id: await begun(client) };
    }),
  );
  const codes = [];
  for (const { client, id } of clients) codes.push((await client.ask(big, [part(id)])).code);
  t.deepEqual(codes, [0, 11]);
  const operator = house.operator();
  t.is((await operator.ask(big, [part(await begun(operator))])).code, 0);
});

test('what a control brings takes room in a transaction, and one that does not count is not kept', async (t) => {
  const house = await furnishedHouse(t, { 'ldap.transactionMib': 1 });
  const client = house.connect();
  await client.bind(person('ada'), 'lovelace');
  const small = modify(person('ada'), ['replace', 'description', 'x']);
  const unknown: Control = { oid: '1.2.3.4', critical: false, value: new Uint8Array(2 ** 20) };
  const id = await begun(client);
  for (let at = 0; at < 3; at++) t.is((await client.ask(small, [part(id), unknown])).code, 0);
  const long = asserting(equals('description', 'x'.repeat(20_000)));
  t.is((await client.ask(small, [part(id), long])).code, 0);
  t.is((await client.ask(small, [part(id), long])).code, 11);
  t.is((await client.ask(end(id))).code, 53);
});

test('nothing of what waits in a transaction keeps octets that were read from a socket', async (t) => {
  const house = await furnishedHouse(t);
  const client = house.operator();
  const identifier = await begun(client);
  const socket = Buffer.alloc(2 ** 16, 'x');
  const op: Request = {
    ...(modify(person('ada'), ['replace', 'description', 'x']) as Request & { kind: 'modifyRequest' }),
    changes: [{ operation: 'replace', attribute: { description: 'description', values: [socket.subarray(1, 3)] } }],
  };
  const assertion = asserting(equals('sn', 'Lovelace'));
  const value = socket.subarray(100, 100 + (assertion.value?.length ?? 0));
  value.set(assertion.value ?? []);
  t.is((await client.ask(op, [part(identifier), { ...assertion, value }])).code, 0);
  socket.fill(0);
  t.is((await client.ask(end(identifier))).code, 0);
  const entry = (await client.search(person('ada'), '(objectClass=*)', { scope: 'base' })).entries[0];
  t.deepEqual(entry?.all('description'), ['xx']);
});

test('a transaction changes no more entries than the largest of its updates may alone, whatever it moves how often', async (t) => {
  const house = await furnishedHouse(t, { 'ldap.subtreeEntriesMax': 10, 'ldap.referencesMax': 10, 'ldap.transactionUpdatesMax': 5 });
  const client = house.operator();
  for (let at = 0; at < 6; at++) await client.ask(add(`cn=${at},${branch}`, { objectClass: 'device', cn: String(at) }));
  const renames = ['ou=one', 'ou=two', 'ou=three'];
  for (const [count, code] of [
    [2, 0],
    [3, 11],
  ] as const) {
    const id = await begun(client);
    let dn = (await client.search(suffix, '(|(ou=applications)(ou=two))', { attributes: ['1.1'] })).dns[0] ?? '';
    for (const rdn of renames.slice(0, count)) {
      await client.ask(rename(dn, rdn), [part(id)]);
      dn = `${rdn},${suffix}`;
    }
    const { code: got, last } = await client.ask(end(id));
    t.is(got, code);
    if (code !== 0) t.is(typeof (last.kind === 'extendedResponse' ? endOf(last.value)?.failed : undefined), 'number');
  }
  t.is((await client.search(`ou=two,${suffix}`, '(objectClass=device)')).entries.length, 6);
});

test('in a transaction entries are found by what those before it made of their keys, lists and beginnings too', async (t) => {
  const house = await furnishedHouse(t);
  const client = house.operator();
  const group = `cn=named,ou=groups,${suffix}`;
  const id = await begun(client);
  const updates = [
    unit(`ou=twig,${branch}`, 'twig'),
    add(`cn=leaf,ou=twig,${branch}`, { objectClass: 'device', cn: 'leaf' }),
    add(group, { objectClass: 'groupOfUniqueNames', cn: 'named', uniqueMember: `cn=leaf,ou=twig,${branch}#'01'B` }),
    modify(group, ['add', 'uniqueMember', person('ada')]),
    rename(`ou=twig,${branch}`, 'ou=stick'),
    rename(`ou=stick,${branch}`, 'ou=log'),
    modify(person('ada'), ['replace', 'mail', 'one@example.com']),
    modify(person('ada'), ['replace', 'mail', 'two@example.com']),
    modify(person('alan'), ['replace', 'mail', 'one@example.com']),
    remove(person('ada')),
    add(person('ada'), { objectClass: 'inetOrgPerson', uid: 'ada', cn: 'Ada', sn: 'L', mail: 'two@example.com' }),
  ];
  for (const op of updates) t.is((await client.ask(op, [part(id)])).code, 0);
  const ended = await client.ask(end(id));
  t.is(ended.code, 0, ended.result.diagnostic);
  const named = (await client.search(group, '(objectClass=*)', { scope: 'base' })).entries[0];
  t.deepEqual(named?.all('uniqueMember'), [`cn=leaf,ou=log,${branch}#'01'B`]);
  t.is((await client.search(suffix, '(mail=one@example.com)')).dns[0], person('alan'));
});

test('transactions on the same entries at the same time are made one after the other, none of them by half', async (t) => {
  const house = await furnishedHouse(t);
  const clients = Array.from({ length: 20 }, () => house.operator());
  await house
    .operator()
    .ask(
      modify(
        person('ada'),
        ['add', 'objectClass', 'posixAccount'],
        ['add', 'uidNumber', '0'],
        ['add', 'gidNumber', '0'],
        ['add', 'homeDirectory', '/'],
      ),
    );
  const codes = await Promise.all(
    clients.map(async (client) => {
      const id = await begun(client);
      await client.ask(modify(person('ada'), ['increment', 'uidNumber', '1']), [part(id)]);
      await client.ask(modify(person('ada'), ['increment', 'gidNumber', '-1'], ['increment', 'uidNumber', '1']), [part(id)]);
      return (await client.ask(end(id))).code;
    }),
  );
  t.deepEqual(new Set(codes), new Set([0]));
  const entry = (await house.operator().search(person('ada'), '(objectClass=*)', { scope: 'base' })).entries[0];
  t.deepEqual([entry?.all('uidNumber'), entry?.all('gidNumber')], [['40'], ['-20']]);
});

test('an addition below what a transaction deletes leaves no orphan', async (t) => {
  const house = await furnishedHouse(t);
  const client = house.operator();
  await client.ask(unit(`ou=twig,${branch}`, 'twig'));
  const id = await begun(client);
  await client.ask(remove(`ou=twig,${branch}`), [part(id)]);
  await client.ask(remove(branch), [part(id)]);
  const [ended, added] = await Promise.all([client.ask(end(id)), house.operator().ask(unit(`ou=new,${branch}`, 'new'))]);
  const { dns } = await client.search(suffix, '(ou=*)', { scope: 'sub' });
  t.true((ended.code === 0 && added.code === 32) || (ended.code === 66 && added.code === 0), `${ended.code} ${added.code}`);
  t.is(dns.includes(branch), added.code === 0);
});
