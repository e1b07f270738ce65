import test from 'ava';
import type { EngineSettings } from '#directory';
import { matching, octets, sortedBy, sortOf, viewed, viewOf } from './control-values.ts';
import { type Attributes, furnishedHouse, type House, person, replySink, searchOf, suffix } from './driver.ts';

const people = `ou=people,${suffix}`;

const given: readonly [uid: string, more: Attributes][] = [
  ['s1', { cn: 'Zoe', uidNumber: '100', title: ['b', 'y'] }],
  ['s2', { cn: ['adam', 'Zachary'], uidNumber: '99', title: ['a', 'z'] }],
  ['s3', { cn: 'Bert', uidNumber: '1000' }],
  ['s4', { cn: 'claire', uidNumber: '-5', title: 'c' }],
  ['s5', { cn: 'Émile', uidNumber: '7', title: 'B' }],
];

async function sortable(t: Parameters<typeof furnishedHouse>[0], settings: Partial<EngineSettings> = {}): Promise<House> {
  const house = await furnishedHouse(t, settings);
  const operator = house.operator();
  for (const [uid, more] of given) {
    const posix = { gidNumber: '1', homeDirectory: '/' };
    const { code, result } = await operator.add(person(uid), {
      objectClass: ['inetOrgPerson', 'posixAccount'],
      uid,
      sn: uid === 's3' ? 'One' : 'Two',
      employeeNumber: String(9 - Number(uid.slice(1))),
      ...posix,
      ...more,
    });
    if (code !== 0) throw new Error(`${uid}: ${result.diagnostic}`);
  }
  return house;
}

const uids = (dns: readonly string[]) => dns.map((dn) => dn.slice(4, dn.indexOf(','))).join(' ');
const all = '(uid=s*)';

const orders: readonly [title: string, keys: string, order: string][] = [
  ['numbers in the order of numbers, by the rule of the attribute', 'uidNumber', 's4 s5 s2 s1 s3'],
  ['in reverse', '-uidNumber', 's3 s1 s2 s5 s4'],
  ['by a named rule, by name', 'cn:caseIgnoreOrderingMatch', 's2 s3 s4 s1 s5'],
  ['by a named rule, by OID', 'cn:2.5.13.3', 's2 s3 s4 s1 s5'],
  ['another rule, another order', 'cn:caseExactOrderingMatch', 's3 s2 s1 s4 s5'],
  ['of several values the least counts', 'title:caseIgnoreOrderingMatch', 's2 s1 s5 s4 s3'],
  ['of several values the least counts in reverse, too', '-title:caseIgnoreOrderingMatch', 's3 s4 s1 s5 s2'],
  ['an entry without the attribute is the last', 'title:caseExactOrderingMatch/-uidNumber', 's5 s2 s1 s4 s3'],
  ['the second key where the first is the same', 'sn:caseIgnoreOrderingMatch/-uidNumber', 's3 s1 s2 s5 s4'],
  ['operational attributes', '-entryUUID/uidNumber', ''],
];

for (const [title, keys, order] of orders) {
  test(`RFC 2891: ${title}`, async (t) => {
    const operator = (await sortable(t)).operator();
    const answers = await operator.search(people, all, { attributes: ['entryUUID'] }, [sortedBy(keys)]);
    t.is(answers.code, 0);
    t.deepEqual(sortOf(answers), [0]);
    if (order !== '') t.is(uids(answers.dns), order);
    else {
      const uuids = answers.entries.map(({ all: values }) => values('entryUUID')[0]);
      t.deepEqual(uuids, [...uuids].sort().reverse());
    }
  });
}

const refused: readonly [title: string, keys: string, outcome: readonly [number, string?]][] = [
  ['an attribute that no schema defines', 'favouriteColour', [16, 'favouriteColour']],
  ['one that nobody may read', 'userPassword:octetStringOrderingMatch', [16, 'userPassword']],
  ['one without an ordering rule', 'uidNumber/cn', [18, 'cn']],
  ['a rule that is not known', 'cn:1.2.3.4', [18, 'cn']],
  ['a rule of another kind', 'cn:caseIgnoreMatch', [18, 'cn']],
  ['a rule for other values', 'cn:integerOrderingMatch', [18, 'cn']],
  ['a key that comes twice', 'uidNumber/-uidNumber', [53, 'uidNumber']],
  ['what no entry stores', 'numSubordinates', [53, 'numSubordinates']],
  ['more than five keys', 'uidNumber/gidNumber/entryUUID/createTimestamp/modifyTimestamp/entryCSN', [53]],
];

for (const [title, keys, outcome] of refused) {
  test(`RFC 2891 §2: ${title} refuses a critical sort with 12 and leaves the others unsorted; the response control says why`, async (t) => {
    const operator = (await sortable(t)).operator();
    const critical = await operator.search(people, all, {}, [sortedBy(keys)]);
    t.deepEqual([critical.code, critical.dns], [12, []]);
    t.deepEqual(sortOf(critical), outcome as ReturnType<typeof sortOf>);
    const other = await operator.search(people, all, {}, [sortedBy(keys, false)]);
    t.deepEqual([other.code, uids(other.dns)], [0, 's1 s2 s3 s4 s5']);
    t.deepEqual(sortOf(other), outcome as ReturnType<typeof sortOf>);
  });
}

test('more entries than one search may sort: adminLimitExceeded in the response control; sorted up to the bound', async (t) => {
  const house = await sortable(t, { 'ldap.sortedEntriesMax': 4 });
  const operator = house.operator();
  const ask = (filter: string, critical: boolean) => operator.search(people, filter, {}, [sortedBy('-uidNumber', critical)]);
  const [critical, other, few] = [await ask(all, true), await ask(all, false), await ask('(&(uid=s*)(!(uid=s1)))', true)];
  t.deepEqual([critical.code, sortOf(critical), critical.dns.length], [12, [11], 0]);
  t.deepEqual([other.code, sortOf(other), uids(other.dns)], [0, [11], 's1 s2 s3 s4 s5']);
  t.deepEqual([few.code, uids(few.dns)], [0, 's3 s2 s5 s4']);
});

test('a size limit cuts what is in order: the first ones are those that are sent', async (t) => {
  const operator = (await sortable(t)).operator();
  const answers = await operator.search(people, all, { sizeLimit: 2 }, [sortedBy('uidNumber')]);
  t.deepEqual([answers.code, uids(answers.dns)], [4, 's4 s5']);
});

test('what one may not read tells nothing by its order: it counts as missing', async (t) => {
  const house = await sortable(t);
  const ada = house.connect('ldaps');
  await ada.bind(person('ada'), 'lovelace');
  const as = async (client: typeof ada) =>
    uids((await client.search(people, all, {}, [sortedBy('employeeNumber:caseIgnoreOrderingMatch')])).dns);
  t.is(await as(house.operator()), 's5 s4 s3 s2 s1');
  t.is(await as(ada), 's1 s2 s3 s4 s5');
});

test('a sort that takes too long ends with timeLimitExceeded (3), in its control too', async (t) => {
  const house = await sortable(t);
  const operator = house.operator();
  for (let at = 0; at < 600; at++) {
    await operator.add(person(`many${at}`), { objectClass: 'inetOrgPerson', uid: `many${at}`, cn: 'M', sn: 'M' });
  }
  const { clock } = house;
  const slow = { ...house, engine: house.engine };
  const now = clock.nowMs;
  let asked = 0;
  // Each look at the clock is two seconds later than the one before.
  Object.assign(clock, { nowMs: () => now() + 2000 * asked++ });
  const answers = await slow.operator().search(people, '(!(uid=none))', { timeLimitS: 1 }, [sortedBy('uidNumber')]);
  t.deepEqual([answers.code, sortOf(answers), answers.dns], [3, [3], []]);
});

test('abandoned while it sorts, a search sends nothing and gives its memory back', async (t) => {
  const house = await sortable(t, { 'ldap.sortMib': 100_000 / 2 ** 20 });
  const operator = house.operator();
  for (let at = 0; at < 600; at++) {
    await operator.add(person(`many${at}`), { objectClass: 'inetOrgPerson', uid: `many${at}`, cn: 'M', sn: 'M' });
  }
  const { createDirectory } = await import('#directory');
  const directory = createDirectory(house.engine);
  for (let round = 0; round < 5; round++) {
    const stop = new AbortController();
    const sink = replySink(() => undefined, stop.signal);
    const op = searchOf(people, '(!(uid=none))');
    const going = directory.perform(operator.connection, { messageId: 900 + round, op, controls: [sortedBy('uidNumber')] }, sink.reply);
    stop.abort();
    await going;
    t.deepEqual([sink.entries.length, sink.sent.length], [0, 0]);
  }
  t.is((await operator.search(people, '(!(uid=none))', {}, [sortedBy('uidNumber')])).code, 0);
});

test('many entries are sorted as a plain sort does, in several turns', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const names: string[] = [];
  for (let at = 0; at < 1500; at++) {
    const uid = `n${(at * 7919) % 1500}`.padEnd(6, 'x');
    names.push(uid);
    await operator.add(person(uid), { objectClass: 'inetOrgPerson', uid, cn: 'N', sn: 'N' });
  }
  const answers = await operator.search(people, '(cn=N)', { attributes: ['uid'] }, [sortedBy('-uid:caseIgnoreOrderingMatch')]);
  t.deepEqual(
    answers.entries.map(({ all: values }) => values('uid')[0]),
    [...names].sort().reverse(),
  );
});

const byNumber = sortedBy('uidNumber');
// In order: s4 (-5), s5 (7), s2 (99), s1 (100), s3 (1000).
type Target = readonly [number, number] | string;
const windows: readonly [title: string, before: number, after: number, target: Target, window: string, position: number][] = [
  ['the first entry', 0, 1, [1, 0], 's4 s5', 1],
  ['one in the middle, with its neighbours', 1, 1, [3, 0], 's5 s2 s1', 3],
  ['counts that reach beyond both ends', 9, 9, [3, 0], 's4 s5 s2 s1 s3', 3],
  ['offset and count alike mean the last entry', 1, 1, [9, 9], 's1 s3', 5],
  ['the client’s count is scaled to the server’s', 0, 0, [5, 10], 's5', 2],
  ['a right count is taken as it is', 0, 0, [4, 5], 's1', 4],
  ['a value that is there', 0, 0, '99', 's2', 3],
  ['the first entry that is not before a value', 1, 0, '50', 's5 s2', 3],
  ['a value behind all others: behind the end', 1, 1, '5000', 's3', 6],
];

for (const [title, before, after, target, window, position] of windows) {
  test(`virtual list view (draft 09): ${title}`, async (t) => {
    const operator = (await sortable(t)).operator();
    const answers = await operator.search(people, all, {}, [byNumber, viewed(before, after, target)]);
    t.deepEqual([answers.code, uids(answers.dns)], [0, window]);
    t.like(viewOf(answers), { position, count: 5, code: 0 });
    t.deepEqual(sortOf(answers), [0]);
  });
}

test('virtual list view by value in reverse: the first entry that is not larger', async (t) => {
  const operator = (await sortable(t)).operator();
  const answers = await operator.search(people, all, {}, [sortedBy('-uidNumber'), viewed(1, 0, '100')]);
  t.deepEqual([uids(answers.dns), viewOf(answers)?.position], ['s3 s1', 2]);
  const missing = await operator.search(people, all, {}, [sortedBy('-title:caseIgnoreOrderingMatch'), viewed(0, 0, 'b')]);
  t.is(uids(missing.dns), 's1');
});

test('virtual list view of nothing is an empty one', async (t) => {
  const operator = (await sortable(t)).operator();
  const answers = await operator.search(people, '(uid=none)', {}, [byNumber, viewed(1, 1, [2, 0])]);
  t.is(answers.code, 0);
  t.like(viewOf(answers), { position: 0, count: 0, code: 0 });
});

const wrong: readonly [title: string, target: Target, keys: string, code: number, outcome: number][] = [
  ['an offset behind the end: offsetRangeError (61)', [6, 0], 'uidNumber', 76, 61],
  ['an offset of none: offsetRangeError (61)', [0, 5], 'uidNumber', 76, 61],
  ['an offset beyond the client’s own count: offsetRangeError (61)', [9, 7], 'uidNumber', 76, 61],
  ['a value that does not fit the rule: inappropriateMatching (18)', 'many', 'uidNumber', 76, 18],
  ['entries that cannot be sorted: what sorting says', [1, 0], 'cn', 76, 18],
];

for (const [title, target, keys, code, outcome] of wrong) {
  test(`virtual list view refuses with 76 and says why: ${title}`, async (t) => {
    const operator = (await sortable(t)).operator();
    const answers = await operator.search(people, all, {}, [sortedBy(keys), viewed(0, 0, target)]);
    t.deepEqual([answers.code, answers.dns, viewOf(answers)?.code], [code, [], outcome]);
  });
}

test('virtual list view without a sort control: sortControlMissing (60); in pages, or of the root DSE: refused', async (t) => {
  const { paged } = await import('./control-values.ts');
  const operator = (await sortable(t)).operator();
  const alone = await operator.search(people, all, {}, [viewed(0, 0, [1, 0])]);
  t.deepEqual([alone.code, viewOf(alone)?.code], [76, 60]);
  t.is((await operator.search(people, all, {}, [byNumber, viewed(0, 0, [1, 0]), paged(2)])).code, 53);
  t.is((await operator.search('', '(objectClass=*)', { scope: 'base' }, [byNumber, viewed(0, 0, [1, 0])])).code, 76);
});

test('a contextID names the list as it was sorted; without it, or for another request, the list is made anew', async (t) => {
  const house = await sortable(t);
  const operator = house.operator();
  const look = (context?: Uint8Array, filter = all) => operator.search(people, filter, {}, [byNumber, viewed(0, 9, [1, 0], context)]);
  const context = viewOf(await look())?.context;
  t.is(context?.length, 16);
  await operator.add(person('s6'), { objectClass: 'inetOrgPerson', uid: 's6', cn: 'six', sn: 'Six' });
  await operator.ask({ kind: 'delRequest', entry: person('s5') });
  const same = await look(context);
  t.deepEqual([uids(same.dns), viewOf(same)?.count], ['s4 s2 s1 s3', 5]);
  t.deepEqual(viewOf(same)?.context, context);
  const anew = await look();
  t.deepEqual([uids(anew.dns), viewOf(anew)?.count], ['s4 s2 s1 s3 s6', 5]);
  t.is(uids((await look(context, '(uid=s1)')).dns), 's1');
  t.is(uids((await look(octets('nothing of ours'))).dns), 's4 s2 s1 s3 s6');
  house.clock.moveMs(600_000);
  t.is(uids((await look(context)).dns), 's4 s2 s1 s3 s6');
});

test('a value is found in a kept list though entries of it are gone', async (t) => {
  const operator = (await sortable(t)).operator();
  const context = viewOf(await operator.search(people, all, {}, [byNumber, viewed(0, 9, [1, 0])]))?.context;
  await operator.ask({ kind: 'delRequest', entry: person('s2') });
  const found = await operator.search(people, all, {}, [byNumber, viewed(0, 1, '100', context)]);
  t.deepEqual([uids(found.dns), viewOf(found)?.code], ['s1 s3', 0]);
});

test('sorting goes with matched values', async (t) => {
  const operator = (await sortable(t)).operator();
  const { entries } = await operator.search(people, all, { attributes: ['title'] }, [byNumber, matching('(title=b)')]);
  t.deepEqual(
    entries.map(({ all: values }) => values('title')),
    [[], ['B'], [], ['b'], []],
  );
});
