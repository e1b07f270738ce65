import test from 'ava';
import { type Client, furnishedHouse, person, suffix } from '../directory/driver.ts';

const group = `cn=pioneers,ou=groups,${suffix}`;
const few = [person('ada'), person('alan')];
const named = (mark: string, count: number) => Array.from({ length: count }, (_, at) => person(`${mark}${at}`));
const spaced = (names: readonly string[]) => names.map((name) => name.replace('uid=', 'UID = ').replace(',', ' , '));

async function membersOf(client: Client, dn = group): Promise<readonly string[]> {
  return ((await client.search(dn, '(objectClass=*)', { scope: 'base' })).entries[0]?.all('member') ?? []).toSorted();
}

/** What others find between the turns of a modify: calls `then` once, when so many turns have gone by. */
function afterTurns(turns: number, then: () => void): void {
  if (turns === 0) then();
  else setImmediate(() => afterTurns(turns - 1, then));
}

/** How many turns of the loop others had until a promise settled. */
async function turnsOf(asked: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const tick = () => {
    turns++;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  await asked;
  isOver = true;
  return turns;
}

test('a modify of many values is the same as of few: add, delete and replace, to a short attribute, to a list and back', async (t) => {
  const operator = (await furnishedHouse(t)).operator();
  const [a, b] = [named('a', 3000), named('b', 3000)];
  const steps: readonly [Parameters<Client['modify']>[1], readonly string[]][] = [
    [
      ['add', 'member', ...a],
      [...few, ...a],
    ],
    [
      ['add', 'member', ...b],
      [...few, ...a, ...b],
    ],
    [
      ['delete', 'member', ...spaced(a)],
      [...few, ...b],
    ],
    [['replace', 'member', ...a], a],
    [['delete', 'member', ...a.slice(10)], a.slice(0, 10)],
    [
      ['add', 'member', ...b],
      [...a.slice(0, 10), ...b],
    ],
    [['replace', 'member', ...few], few],
  ];
  for (const [step, members] of steps) {
    t.is((await operator.modify(group, step)).code, 0);
    t.deepEqual(await membersOf(operator), members.toSorted());
  }
  const [first = '', ...others] = a;
  t.is((await operator.modify(group, ['add', 'member', ...a], ['delete', 'member', ...others], ['add', 'member', ...b])).code, 0);
  t.deepEqual(await membersOf(operator), [...few, first, ...b].toSorted(), 'all changes in their order');
  t.is((await operator.search(suffix, `(member=${b[2999]})`)).entries.length, 1);
  t.is((await operator.search(suffix, `(member=${others[0]})`)).entries.length, 0);
});

test('a modify of many values is refused as one of few, and changes nothing', async (t) => {
  const operator = (await furnishedHouse(t)).operator();
  const many = named('a', 1500);
  const refused = async (code: number, why: RegExp, ...changes: Parameters<Client['modify']>[1][]) => {
    const before = await membersOf(operator);
    const answer = await operator.modify(group, ...changes);
    t.is(answer.code, code);
    t.regex(answer.result.diagnostic, why);
    t.deepEqual(await membersOf(operator), before);
  };
  for (const held of [few, [...few, ...named('held', 400)]]) {
    t.is((await operator.modify(group, ['replace', 'member', ...held])).code, 0);
    await refused(21, /value #1500 invalid per syntax/, ['add', 'member', ...many, 'no name']);
    await refused(20, /value #7 provided more than once/, ['add', 'member', ...many, ...spaced(many.slice(7, 8))]);
    await refused(20, /value #1500 already exists/, ['add', 'member', ...many, ...spaced(few.slice(0, 1))]);
    await refused(16, /no such value/, ['delete', 'member', ...few, ...many]);
    await refused(20, /provided more than once/, ['replace', 'member', ...many, ...many]);
    await refused(16, /no such value/, ['add', 'member', ...many], ['delete', 'member', person('nobody')]);
    await refused(65, /./, ['add', 'member', ...many], ['add', 'uid', 'pioneers']);
    await refused(65, /./, ['delete', 'member', ...held, ...held], ['delete', 'description']);
  }
});

test('an ordinary person and anonymous change many values of nothing that they may not change', async (t) => {
  const house = await furnishedHouse(t);
  const ada = house.connect();
  t.is((await ada.bind(person('ada'), 'lovelace')).code, 0);
  for (const client of [ada, house.connect()]) t.not((await client.modify(group, ['add', 'member', ...named('a', 1000)])).code, 0);
  t.deepEqual(await membersOf(house.operator()), few);
});

test('what others change between the turns of a modify of many values makes it decided anew: nothing of either is lost', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const many = named('many', 4000);
  for (const first of [few, [...few, ...named('held', 400)]]) {
    for (let turns = 0; turns < 30; turns += 5) {
      t.is((await operator.modify(group, ['replace', 'member', ...first])).code, 0);
      const other = new Promise<number>((resolve) =>
        afterTurns(turns, () => void operator.modify(group, ['add', 'member', person('late')]).then(({ code }) => resolve(code))),
      );
      t.is((await operator.modify(group, ['add', 'member', ...many])).code, 0);
      t.is(await other, 0);
      t.deepEqual(await membersOf(operator), [...first, ...many, person('late')].toSorted(), `after ${turns} turns`);
    }
  }
});

test('a value that another adds between the turns is there already when the modify is decided anew', async (t) => {
  const house = await furnishedHouse(t);
  const many = named('many', 5000);
  const [last = ''] = many.slice(-1);
  const asked = house.operator().modify(group, ['add', 'member', ...many]);
  const other = await new Promise<number>((resolve) =>
    afterTurns(
      4,
      () =>
        void house
          .operator()
          .modify(group, ['add', 'member', last])
          .then(({ code }) => resolve(code)),
    ),
  );
  const { code, result } = await asked;
  t.is(other, 0);
  t.is(code, 20);
  t.regex(result.diagnostic, /value #4999 already exists/);
  t.deepEqual(await membersOf(house.operator()), [...few, last].toSorted());
});

test('others have the event loop while many values are added, removed, replaced, or go with their entry', async (t) => {
  const operator = (await furnishedHouse(t)).operator();
  const [a, b] = [named('a', 6000), named('b', 6000)];
  for (const step of [
    ['add', 'member', ...a],
    ['add', 'member', ...b],
    ['delete', 'member', ...b],
    ['replace', 'member', ...b],
    ['replace', 'member', ...few],
    ['add', 'member', ...a],
  ] as const) {
    const asked = operator.modify(group, [...step]);
    const turns = await turnsOf(asked);
    t.is((await asked).code, 0);
    t.true(turns > 20, `${step[0]}: ${turns}`);
  }
  const gone = operator.ask({ kind: 'delRequest', entry: group });
  const turns = await turnsOf(gone);
  t.is((await gone).code, 0);
  t.true(turns > 20, `${turns}`);
  t.is((await operator.search(suffix, `(member=${a[0]})`)).entries.length, 0);
});
