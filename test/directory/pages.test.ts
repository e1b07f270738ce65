import test from 'ava';
import type { EngineSettings } from '#directory';
import type { Control } from '#ldap';
import { paged, pageOf, session, sortedBy, sortOf } from './control-values.ts';
import { type Client, furnishedHouse, type House, person, suffix } from './driver.ts';

const people = `ou=people,${suffix}`;

/** A house with people u00 to u11 beside those of every house. */
async function crowd(t: Parameters<typeof furnishedHouse>[0], settings: Partial<EngineSettings> = {}): Promise<House> {
  const house = await furnishedHouse(t, settings);
  const operator = house.operator();
  for (let at = 0; at < 12; at++) {
    const uid = `u${String(at).padStart(2, '0')}`;
    await operator.add(person(uid), { objectClass: 'inetOrgPerson', uid, cn: `Number ${at}`, sn: `S${(at * 7) % 12}` });
  }
  return house;
}

const crowded = '(uid=u*)';

/** All pages of a search, each as the names on it. */
async function pages(
  client: Client,
  size: number,
  given: Parameters<Client['search']>[2] = {},
  filter = crowded,
  more: readonly Control[] = [],
) {
  const found: string[][] = [];
  let cookie: Uint8Array | undefined;
  for (;;) {
    const answers = await client.search(people, filter, given, [paged(size, cookie), ...more]);
    found.push([...answers.dns]);
    cookie = pageOf(answers)?.cookie;
    if (answers.code !== 0) return { found, code: answers.code, cookie };
    if (cookie === undefined || cookie.length === 0) return { found, code: 0, cookie };
  }
}

const lengths = ({ found }: { readonly found: readonly (readonly string[])[] }) => found.map(({ length }) => length);

const filters: readonly [title: string, filter: string][] = [
  ['an index', crowded],
  ['an index of exact keys', '(objectClass=inetOrgPerson)'],
  ['a column', '(&(entryUUID=*)(createTimestamp>=20200101000000Z))'],
  ['a walk of the scope', '(!(uid=nobody))'],
  ['two branches', '(|(cn=number 1*)(sn=s*)(uid=ada))'],
];

for (const [title, filter] of filters) {
  for (const scope of ['sub', 'one', 'children'] as const) {
    test(`RFC 2696: pages of 1, 3 and 5 together are the answer without pages, nothing twice, by ${title}, scope ${scope}`, async (t) => {
      const operator = (await crowd(t)).operator();
      const { dns } = await operator.search(people, filter, { scope });
      t.true(dns.length > 5);
      for (const size of [1, 3, 5]) {
        const all = await pages(operator, size, { scope }, filter);
        t.true(all.found.slice(0, -1).every(({ length }) => length === size));
        t.deepEqual(all.found.flat().sort(), [...dns].sort());
      }
    });
  }
}

test('RFC 2696 §3: the last page has an empty cookie, also when it is just full', async (t) => {
  const operator = (await crowd(t)).operator();
  t.deepEqual(lengths(await pages(operator, 4)), [4, 4, 4]);
  t.deepEqual(lengths(await pages(operator, 5)), [5, 5, 2]);
  t.deepEqual(pageOf(await operator.search(people, '(uid=nobody)', {}, [paged(5)])), { estimate: 0, cookie: new Uint8Array(0) });
});

test('what is deleted between two pages is gone, the last of a page too, and nothing else is lost or repeated', async (t) => {
  const house = await crowd(t);
  const operator = house.operator();
  const first = await operator.search(people, crowded, {}, [paged(4)]);
  await operator.ask({ kind: 'delRequest', entry: first.dns[3] ?? '' });
  await operator.ask({ kind: 'delRequest', entry: person('u06') });
  const second = await operator.search(people, crowded, {}, [paged(100, pageOf(first)?.cookie)]);
  const all = [...first.dns, ...second.dns].map((dn) => dn.slice(4, 7));
  t.deepEqual(
    all,
    ['00', '01', '02', '03', '04', '05', '07', '08', '09', '10', '11'].map((n) => `u${n}`),
  );
});

test('several searches in pages on one connection do not disturb each other', async (t) => {
  const operator = (await crowd(t)).operator();
  const one = await operator.search(people, crowded, {}, [paged(5)]);
  const other = await operator.search(people, '(uid=u1*)', {}, [paged(1)]);
  t.deepEqual((await operator.search(people, crowded, {}, [paged(2, pageOf(one)?.cookie)])).dns, [person('u05'), person('u06')]);
  t.deepEqual((await operator.search(people, '(uid=u1*)', {}, [paged(9, pageOf(other)?.cookie)])).dns, [person('u11')]);
});

test('RFC 2696 §3: size 0 with a cookie ends the search; the cookie is good no more', async (t) => {
  const operator = (await crowd(t)).operator();
  const first = await operator.search(people, crowded, {}, [paged(5)]);
  const cookie = pageOf(first)?.cookie;
  const ended = await operator.search(people, crowded, {}, [paged(0, cookie)]);
  t.deepEqual([ended.code, ended.dns, pageOf(ended)?.cookie.length], [0, [], 0]);
  t.is((await operator.search(people, crowded, {}, [paged(5, cookie)])).code, 53);
});

test('a cookie is good once, on its own connection, and for its own request: anything else is refused with 53', async (t) => {
  const house = await crowd(t);
  const operator = house.operator();
  const begin = async () => pageOf(await operator.search(people, crowded, {}, [paged(2)]))?.cookie ?? new Uint8Array(0);
  const cookie = await begin();
  const again = (size: number, filter = crowded, given: Parameters<Client['search']>[2] = {}, more: readonly Control[] = []) =>
    operator.search(people, filter, given, [paged(size, cookie), ...more]);

  for (const refused of [
    await house.operator().search(people, crowded, {}, [paged(2, cookie)]),
    await again(2, '(uid=*)'),
    await again(2, crowded, { attributes: ['cn'] }),
    await again(2, crowded, { scope: 'one' }),
    await again(2, crowded, {}, [sortedBy('uid:caseIgnoreOrderingMatch')]),
    await operator.search(people, crowded, {}, [paged(2, Buffer.alloc(16, 7))]),
  ]) {
    t.deepEqual([refused.code, refused.dns], [53, []]);
  }
  t.is((await operator.search(people, crowded, {}, [paged(2, Buffer.from('no cookie at all'.slice(1)))])).code, 2);
  // The size of the page may change, and what names a session is no part of the search.
  t.is((await again(3, crowded, {}, [session('192.0.2.7', '', '', 'a')])).dns.length, 3);
  t.is((await again(3)).code, 53);
});

test('a cookie is good on its own connection alone, for those who are nobody, too', async (t) => {
  const house = await crowd(t, { 'ldap.anonymousRead': 'public' });
  const [one, other] = [house.connect(), house.connect()];
  for (const client of [one, other]) await client.bind('', '');
  const cookie = pageOf(await one.search(people, crowded, {}, [paged(2)]))?.cookie;
  t.is((await other.search(people, crowded, {}, [paged(2, cookie)])).code, 53);
  t.is((await one.search(people, crowded, {}, [paged(2, cookie)])).dns.length, 2);
});

test('one cookie that is shown twice at once goes on once', async (t) => {
  const operator = (await crowd(t)).operator();
  const cookie = pageOf(await operator.search(people, crowded, {}, [paged(2)]))?.cookie;
  const both = await Promise.all([1, 2].map(() => operator.search(people, crowded, {}, [paged(2, cookie)])));
  t.deepEqual(both.map(({ code }) => code).sort(), [0, 53]);
});

test('an ordinary person gets in pages what they get without, and nothing besides', async (t) => {
  const house = await crowd(t);
  const client = house.connect('ldaps');
  await client.bind(person('ada'), 'lovelace');
  for (const filter of ['(employeeNumber=*)', '(!(employeeNumber=1815))', '(|(uid=*)(ou=*))']) {
    const { dns } = await client.search(suffix, filter);
    const found: string[] = [];
    for (let cookie: Uint8Array | undefined, more = true; more; ) {
      const answers = await client.search(suffix, filter, {}, [paged(3, cookie)]);
      found.push(...answers.dns);
      cookie = pageOf(answers)?.cookie;
      more = cookie !== undefined && cookie.length > 0;
    }
    t.deepEqual([...found].sort(), [...dns].sort());
  }
  t.is((await house.connect().search(people, crowded, {}, [paged(2)])).code, 32);
});

test('RFC 4511 §4.5.2: a page that takes longer than the limit ends with 3, and what was found so far comes', async (t) => {
  const house = await crowd(t);
  const operator = house.operator();
  for (let at = 0; at < 600; at++) {
    await operator.add(person(`many${at}`), { objectClass: 'inetOrgPerson', uid: `many${at}`, cn: 'M', sn: 'M' });
  }
  const now = house.clock.nowMs;
  let asked = 0;
  Object.assign(house.clock, { nowMs: () => now() + 700 * asked++ });
  const answers = await operator.search(people, '(!(uid=none))', { timeLimitS: 1 }, [paged(550)]);
  t.is(answers.code, 3);
  t.true(answers.dns.length > 0 && answers.dns.length < 550);
  t.is(pageOf(answers), undefined);
});

test('a bind ends what was begun before it: nobody goes on with the rights of another', async (t) => {
  const house = await crowd(t);
  const client = house.connect('ldaps');
  await client.bind(person('ada'), 'lovelace');
  const first = await client.search(people, crowded, {}, [paged(2)]);
  t.is(first.code, 0);
  await client.bind(person('ada'), 'lovelace');
  t.is((await client.search(people, crowded, {}, [paged(2, pageOf(first)?.cookie)])).code, 53);
});

test('cookies are bounded for a connection, for all, and in life', async (t) => {
  const house = await crowd(t, { 'ldap.cursorsPerConnectionMax': 2, 'ldap.cursorsMax': 3, 'ldap.cursorLifeS': 60 });
  const begin = async (client: Client) => pageOf(await client.search(people, crowded, {}, [paged(2)]))?.cookie;
  const isGood = async (client: Client, cookie: Uint8Array | undefined) =>
    (await client.search(people, crowded, {}, [paged(100, cookie)])).code === 0;

  const one = house.operator();
  const cookies = [await begin(one), await begin(one), await begin(one)];
  t.deepEqual([await isGood(one, cookies[0]), await isGood(one, cookies[1]), await isGood(one, cookies[2])], [false, true, true]);

  const four = [house.operator(), house.operator(), house.operator(), house.operator()];
  const theirs: (Uint8Array | undefined)[] = [];
  for (const client of four) theirs.push(await begin(client));
  t.false(await isGood(four[0] as Client, theirs[0]));
  t.true(await isGood(four[1] as Client, theirs[1]));
  house.clock.moveMs(59_999);
  t.true(await isGood(four[2] as Client, theirs[2]));
  house.clock.moveMs(1);
  t.false(await isGood(four[3] as Client, theirs[3]));
});

const limited: readonly [title: string, allowed: number, sizeLimit: number, size: number, lengths: readonly number[], code: number][] = [
  ['the limit of an identity counts over all pages', 7, 0, 5, [5, 2], 4],
  ['where page and limit end together the page is whole, and the next one is refused', 7, 0, 7, [7, 0], 4],
  ['a page that is larger than the limit ends at it', 7, 0, 10, [7], 4],
  ['the limit of the request counts over all pages', 1000, 8, 5, [5, 3], 4],
  ['RFC 2696 §3: a page as large as the limit of the request is no page', 1000, 5, 5, [5], 4],
  ['a limit that is not reached does no harm', 12, 12, 5, [5, 5, 2], 0],
];

for (const [title, allowed, sizeLimit, size, expected, code] of limited) {
  for (const inOrder of [false, true]) {
    test(`size limit with pages${inOrder ? ' in order' : ''}: ${title}`, async (t) => {
      const house = await crowd(t, { 'ldap.searchSizeLimit': allowed });
      const client = house.connect('ldaps');
      await client.bind(person('ada'), 'lovelace');
      const all = await pages(client, size, { sizeLimit }, crowded, inOrder ? [sortedBy('-uid:2.5.13.3')] : []);
      t.deepEqual([lengths(all), all.code], [expected, code]);
      const names = all.found.flat();
      if (inOrder) t.deepEqual(names, [...names].sort().reverse());
    });
  }
}

test('sorted and in pages: one order over all pages, and how many there are', async (t) => {
  const operator = (await crowd(t)).operator();
  const sort = sortedBy('sn:caseIgnoreOrderingMatch');
  const whole = await operator.search(people, crowded, {}, [sort]);
  const { found } = await pages(operator, 5, {}, crowded, [sort]);
  t.deepEqual(found.flat(), [...whole.dns]);
  t.is(pageOf(await operator.search(people, crowded, {}, [sort, paged(5)]))?.estimate, 12);
});

test('sorted lists that wait for their next page are bounded together: the oldest makes way, and what sorts beyond it is busy (51)', async (t) => {
  // Twelve entries take some 1100 octets while they are sorted, and their list 96 of those that are left.
  const house = await crowd(t, { 'ldap.sortMib': 1150 / 2 ** 20 });
  const operator = house.operator();
  const sort = sortedBy('uid:caseIgnoreOrderingMatch');
  const [first, second] = [
    await operator.search(people, crowded, {}, [paged(2), sort]),
    await operator.search(people, crowded, {}, [paged(2), sort]),
  ];
  t.deepEqual([first.code, second.code], [0, 0]);
  t.is((await operator.search(people, crowded, {}, [paged(2, pageOf(first)?.cookie), sort])).code, 53);
  t.is((await operator.search(people, crowded, {}, [paged(2, pageOf(second)?.cookie), sort])).code, 0);
  const large = await operator.search(people, crowded, {}, [sortedBy('uid:caseIgnoreOrderingMatch/cn:caseIgnoreOrderingMatch')]);
  t.deepEqual([large.code, sortOf(large)], [12, [51]]);
});

test('root DSE and schema are one page', async (t) => {
  const house = await crowd(t);
  for (const base of ['', 'cn=Subschema']) {
    const answers = await house
      .connect()
      .search(base, '(objectClass=*)', { scope: 'base', attributes: ['1.1'] }, [paged(1), sortedBy('cn')]);
    t.deepEqual([answers.code, answers.dns, pageOf(answers)?.cookie.length], [0, [base], 0]);
  }
});

const malformed: readonly [title: string, value: Uint8Array | undefined][] = [
  ['no value', undefined],
  ['an empty one', new Uint8Array(0)],
  ['no sequence', Uint8Array.of(4, 1, 0)],
  ['no cookie', Uint8Array.of(0x30, 3, 2, 1, 5)],
  ['a negative size', Uint8Array.of(0x30, 5, 2, 1, 0xff, 4, 0)],
  ['something behind', Uint8Array.of(0x30, 5, 2, 1, 5, 4, 0, 0)],
];

for (const [title, value] of malformed) {
  test(`paged results with ${title} is a protocolError`, async (t) => {
    const operator = (await furnishedHouse(t)).operator();
    const control = { oid: '1.2.840.113556.1.4.319', critical: false, ...(value === undefined ? {} : { value }) };
    t.is((await operator.search(people, crowded, {}, [control])).code, 2);
  });
}
