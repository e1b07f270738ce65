import test from 'ava';
import fc from 'fast-check';
import { explain } from '#directory';
import { type Attributes, type Client, furnishedHouse, houseWithVault, person, searchOf, suffix, vault } from './driver.ts';

type House = Awaited<ReturnType<typeof furnishedHouse>>;

const inChain = '1.2.840.113556.1.4.1941';
const group = (cn: string) => `cn=${cn},ou=groups,${suffix}`;
const hidden = (cn: string) => `cn=${cn},${vault}`;

async function added(house: House, ...entries: readonly (readonly [string, Attributes])[]) {
  for (const [dn, attributes] of entries) {
    const { code, result } = await house.operator().add(dn, attributes);
    if (code !== 0) throw new Error(`${dn}: ${code} ${result.diagnostic}`);
  }
}

const groupOf = (cn: string, ...member: string[]) => ({ objectClass: 'groupOfNames', cn, member });
const found = async (client: Client, filter: string, base: string = suffix) => [...(await client.search(base, filter)).dns].sort();
const memberOf = async (client: Client, dn: string) =>
  [...((await client.search(dn, '(objectClass=*)', { scope: 'base', attributes: ['memberOf'] })).entries[0]?.all('memberOf') ?? [])].sort();

async function asAda(house: House) {
  const client = house.connect();
  await client.bind(person('ada'), 'lovelace');
  return client;
}

test('memberOf names groups through groups to any depth, and a circle is gone through once', async (t) => {
  const house = await furnishedHouse(t);
  await added(house, [group('g0'), groupOf('g0', person('ada'), group('g30'))]);
  for (let depth = 1; depth <= 30; depth++) await added(house, [group(`g${depth}`), groupOf(`g${depth}`, group(`g${depth - 1}`))]);
  const all = [...Array.from({ length: 31 }, (_, depth) => group(`g${depth}`)), group('pioneers')].sort();
  t.deepEqual(await memberOf(house.operator(), person('ada')), all);
  t.deepEqual(
    await memberOf(house.operator(), group('g3')),
    all.filter((dn) => dn !== group('pioneers')),
  );
  t.deepEqual(
    await found(house.operator(), `(memberOf=${group('g30')})`),
    [person('ada'), ...all.filter((dn) => dn !== group('pioneers'))].sort(),
  );
});

test('ldap.memberOf direct: memberOf names the groups that name the entry, and the in-chain rule still goes through them', async (t) => {
  const house = await furnishedHouse(t, { 'ldap.memberOf': 'direct' });
  await added(house, [group('all'), groupOf('all', group('pioneers'))]);
  t.deepEqual(await memberOf(house.operator(), person('ada')), [group('pioneers')]);
  t.deepEqual(await found(house.operator(), `(memberOf=${group('all')})`), [group('pioneers')]);
  t.deepEqual(await found(house.operator(), `(memberOf:${inChain}:=${group('all')})`), [group('pioneers'), person('ada'), person('alan')]);
});

test('the in-chain rule follows manager up and member down', async (t) => {
  const house = await furnishedHouse(t);
  const worker = (uid: string, manager: string): [string, Attributes] => [
    person(uid),
    { objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid, manager },
  ];
  await added(house, worker('a', person('ada')), worker('b', person('a')), worker('c', person('b')), [
    group('all'),
    groupOf('all', group('pioneers')),
  ]);
  const operator = house.operator();
  t.deepEqual(await found(operator, `(manager:${inChain}:=${person('ada')})`), [person('a'), person('b'), person('c')]);
  t.deepEqual(await found(operator, `(manager:inChainMatch:=${person('b')})`), [person('c')]);
  t.deepEqual(await found(operator, `(member:${inChain}:=${person('ada')})`), [group('all'), group('pioneers')]);
  t.deepEqual(await found(operator, `(&(member:${inChain}:=${person('ada')})(!(member=${person('ada')})))`), [group('all')]);
  t.deepEqual(await found(operator, `(&(objectClass=person)(!(manager:${inChain}:=${person('ada')})))`), [
    person('ada'),
    `uid=admin,ou=people,${suffix}`,
    person('alan'),
  ]);
});

test('what one may not see does not lead on', async (t) => {
  const house = await houseWithVault(t);
  await added(
    house,
    [hidden('h'), groupOf('h', person('alan'))],
    [group('top'), groupOf('top', hidden('h'))],
    [hidden('i'), groupOf('i', group('pioneers'))],
  );
  const ada = await asAda(house);
  t.deepEqual(await memberOf(house.operator(), person('alan')), [group('pioneers'), group('top'), hidden('h'), hidden('i')].sort());
  t.deepEqual(await memberOf(ada, person('alan')), [group('pioneers')]);
  for (const filter of [
    `(memberOf=${group('top')})`,
    `(memberOf:${inChain}:=${group('top')})`,
    `(member:${inChain}:=${person('alan')})`,
    `(memberOf=${hidden('i')})`,
  ]) {
    t.false((await found(ada, filter)).includes(person('alan')), filter);
    t.false((await found(ada, filter)).includes(group('top')), filter);
  }
  t.is(
    (await ada.ask({ kind: 'compareRequest', entry: person('alan'), description: 'memberOf', value: Buffer.from(group('top')) })).code,
    5,
  );
  const nobody = house.connect();
  t.deepEqual(await found(nobody, `(memberOf=${group('pioneers')})`).catch(() => []), []);
});

test('computed attributes can be asked for by a filter', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const people = `ou=people,${suffix}`;
  const cases: readonly [filter: string, dns: string[]][] = [
    [`(entryDN=UID=ada, ${people})`, [person('ada')]],
    [`(&(entryDN=${person('ada')})(uid=alan))`, []],
    [`(&(entryDN=*)(uid=alan))`, [person('alan')]],
    ['(hasSubordinates=TRUE)', [suffix, `ou=groups,${suffix}`, people].sort()],
    ['(&(hasSubordinates=FALSE)(objectClass=organizationalUnit))', [`ou=applications,${suffix}`]],
    ['(numSubordinates>=3)', [suffix, people].sort()],
    ['(numSubordinates=1)', [`ou=groups,${suffix}`]],
    ['(&(subschemaSubentry=cn=subschema)(uid=ada))', [person('ada')]],
    ['(&(subschemaSubentry=cn=other)(uid=ada))', []],
    ['(memberOf=*)', [person('ada'), person('alan')]],
    ['(&(uid=*)(!(memberOf=*)))', [`uid=admin,${people}`]],
    ['(|(memberOf=cn=nothing)(uid=alan))', [person('alan')]],
    ['(memberOf=nonsense)', []],
    ['(!(memberOf=nonsense))', []],
    ['(|(!(memberOf=nonsense))(uid=ada))', [person('ada')]],
    [`(member:${inChain}:=nonsense)`, []],
    [`(cn:${inChain}:=x)`, []],
    [`(!(cn:${inChain}:=x))`, []],
    [`(!(:${inChain}:=${person('ada')}))`, []],
    [`(memberOf:dn:${inChain}:=${group('pioneers')})`, [person('ada'), person('alan')]],
    [`(&(memberOf=${group('pioneers')})(:caseIgnoreMatch:=ada))`, [person('ada')]],
  ];
  for (const [filter, dns] of cases) t.deepEqual(await found(operator, filter), dns, filter);
});

test('a search for the members of a group is answered from its values, and one for a name from the index', async (t) => {
  const house = await furnishedHouse(t);
  for (const filter of [`(memberOf=${group('pioneers')})`, `(entryDN=${person('ada')})`, `(member:${inChain}:=${person('ada')})`]) {
    t.is((await explain(house.engine, searchOf(suffix, filter))).plan, 'index', filter);
  }
});

test('a group of very many: its members are found by memberOf, each exactly', async (t) => {
  const house = await furnishedHouse(t);
  const count = 1200;
  for (let at = 0; at < count; at += 100) {
    await Promise.all(
      Array.from({ length: 100 }, (_, each) => {
        const uid = `p${at + each}`;
        return added(house, [person(uid), { objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid }]);
      }),
    );
  }
  const half = Array.from({ length: count / 2 }, (_, at) => person(`p${2 * at}`));
  await added(house, [group('big'), groupOf('big', ...half, person('gone'), group('pioneers'))]);
  const operator = house.operator();
  t.deepEqual(await found(operator, `(memberOf=${group('big')})`), [...half, group('pioneers'), person('ada'), person('alan')].sort());
  t.deepEqual(
    await found(operator, `(&(objectClass=person)(memberOf=${group('big')})(uid=p1*))`),
    half.filter((dn) => dn.startsWith('uid=p1')).sort(),
  );
  t.is((await found(operator, `(&(uid=p*)(!(memberOf=${group('big')})))`)).length, count / 2);
});

test('names that lead on to more entries than may be followed are refused', async (t) => {
  const house = await furnishedHouse(t, { 'ldap.chainEntriesMax': 5 });
  for (let at = 0; at < 5; at++) await added(house, [group(`g${at}`), groupOf(`g${at}`, at === 0 ? person('ada') : group(`g${at - 1}`))]);
  const answer = await house.operator().search(person('ada'), '(uid=*)', { scope: 'base', attributes: ['memberOf'] });
  t.is(answer.code, 11);
  t.is(answer.result.diagnostic, 'the names lead on to more than 5 entries');
  t.is((await house.operator().search(person('alan'), '(uid=*)', { scope: 'base', attributes: ['memberOf'] })).code, 0);
  t.is((await house.operator().search(suffix, `(!(member:${inChain}:=${person('ada')}))`)).code, 11);
});

test('numSubordinates is told to who names it, and + does not stand for it', async (t) => {
  const house = await furnishedHouse(t);
  const read = async (...attributes: string[]) =>
    (await house.operator().search(suffix, '(objectClass=*)', { scope: 'base', attributes })).entries[0]?.all('numSubordinates');
  t.deepEqual(await read('numSubordinates'), ['3']);
  t.deepEqual(await read('+', 'numSubordinates'), ['3']);
  t.deepEqual(await read('+'), []);
  t.deepEqual(await read('*'), []);
  const compared = { kind: 'compareRequest', entry: suffix, description: 'numSubordinates', value: Buffer.from('3') } as const;
  t.is((await house.operator().ask(compared)).code, 6);
});

interface World {
  /** Who is a member of which group, by their numbers: 0 to 7 are groups, of which 6 and 7 are hidden, and 8 to 11 people. */
  readonly edges: readonly (readonly [group: number, member: number])[];
  readonly unique: boolean;
}

const nodes = 12;
const dnOf = (node: number) => (node < 6 ? group(`n${node}`) : node < 8 ? hidden(`n${node}`) : person(`n${node}`));
const node = fc.nat({ max: nodes - 1 });
const world: fc.Arbitrary<World> = fc.record({
  edges: fc.array(fc.tuple(fc.nat({ max: 7 }), node), { maxLength: 18 }),
  unique: fc.boolean(),
});

type Asked =
  | { readonly kind: 'memberOf' | 'chain' | 'up'; readonly node: number }
  | { readonly kind: 'and' | 'or'; readonly one: Asked; readonly other: Asked }
  | { readonly kind: 'not'; readonly one: Asked };
const asked = fc.letrec<{ asked: Asked }>((tie) => ({
  asked: fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('memberOf' as const, 'chain' as const, 'up' as const), node }) },
    fc.record({ kind: fc.constantFrom('and' as const, 'or' as const), one: tie('asked'), other: tie('asked') }),
    fc.record({ kind: fc.constant('not' as const), one: tie('asked') }),
  ),
})).asked;

test('random groups with circles: memberOf and the in-chain rule say what a plain walk says, for an operator and for a person', async (t) => {
  const run = fc.asyncProperty(world, fc.array(asked, { minLength: 3, maxLength: 6 }), async ({ edges, unique }, filters) => {
    const house = await houseWithVault(t);
    const [objectClass, attribute] = unique ? ['groupOfUniqueNames', 'uniqueMember'] : ['groupOfNames', 'member'];
    for (let each = 0; each < nodes; each++) {
      const members = [...new Set(edges.flatMap(([from, to]) => (from === each ? [dnOf(to)] : [])))];
      const cn = `n${each}`;
      if (each < 8) await added(house, [dnOf(each), { objectClass, cn, [attribute]: members.length === 0 ? 'cn=nobody' : members }]);
      else await added(house, [dnOf(each), { objectClass: 'inetOrgPerson', uid: cn, cn, sn: cn }]);
    }
    for (const [client, sees] of [
      [house.operator(), () => true],
      [await asAda(house), (each: number) => each !== 6 && each !== 7],
    ] as const) {
      const reaches = (from: number, to: number): boolean => {
        const seen = new Set<number>();
        const queue = [from];
        for (const at of queue)
          for (const [above, below] of edges)
            if (below === at && sees(above) && !seen.has(above)) {
              seen.add(above);
              queue.push(above);
            }
        return seen.has(to);
      };
      const says = (filter: Asked, each: number): boolean | undefined => {
        switch (filter.kind) {
          case 'and':
          case 'or': {
            const both = [says(filter.one, each), says(filter.other, each)];
            const decides = filter.kind === 'or';
            return both.includes(decides) ? decides : both.includes(undefined) ? undefined : !decides;
          }
          case 'not': {
            const one = says(filter.one, each);
            return one === undefined ? undefined : !one;
          }
          case 'up':
            // Nobody but administrators may ask for members of people.
            return each >= 8 && !sees(7) ? undefined : reaches(filter.node, each);
          case 'memberOf':
          case 'chain':
            return reaches(each, filter.node);
        }
      };
      const textOf = (filter: Asked): string => {
        switch (filter.kind) {
          case 'and':
            return `(&${textOf(filter.one)}${textOf(filter.other)})`;
          case 'or':
            return `(|${textOf(filter.one)}${textOf(filter.other)})`;
          case 'not':
            return `(!${textOf(filter.one)})`;
          case 'up':
            return `(${attribute}:${inChain}:=${dnOf(filter.node)})`;
          case 'memberOf':
            return `(memberOf=${dnOf(filter.node)})`;
          case 'chain':
            return `(memberOf:${inChain}:=${dnOf(filter.node)})`;
        }
      };
      for (const filter of filters) {
        const wanted = [...Array(nodes).keys()].filter((each) => sees(each) && says(filter, each) === true).map(dnOf);
        const got = (await found(client, textOf(filter))).filter((dn) => /^(cn|uid)=n\d/.test(dn));
        if (JSON.stringify(got) !== JSON.stringify(wanted.sort())) throw new Error(`${textOf(filter)}: ${got} instead of ${wanted}`);
      }
    }
  });
  await t.notThrowsAsync(fc.assert(run, { numRuns: 60 }));
});
