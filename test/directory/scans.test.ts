import test from 'ava';
import fc from 'fast-check';
import { createDirectory, explain, importLive } from '#directory';
import { decodeAttributes, type LdifContent } from '#ldap';
import { describe, matches } from '#schema';
import { type Attributes, attributesOf, emptyHouse, filterOf, type House, replySink, schema, searchOf, suffix } from './driver.ts';

/** More than three turns of a search. */
const people = 900;
const rooms = ['1-01', '1-02', '2-01', '20'];
const base = `ou=people,${suffix}`;

function content(dn: string, attributes: Attributes): LdifContent {
  return { kind: 'content', line: 0, dn, attributes: attributesOf(attributes) };
}

function personOf(number: number): Attributes {
  return {
    objectClass: 'inetOrgPerson',
    uid: `p${number}`,
    cn: `Person ${number}`,
    sn: number % 2 === 0 ? 'Even' : 'Odd',
    roomNumber: rooms[number % rooms.length] ?? '',
    ...(number % 3 === 0 ? { description: [`third ${number}`, 'divisible'] } : {}),
    ...(number % 50 === 0 ? { 'l;lang-fr': 'Genève' } : {}),
  };
}

/** @param count  of people, each with a room, every third with descriptions */
async function fullHouse(t: Parameters<typeof emptyHouse>[0], count: number): Promise<House> {
  const house = emptyHouse(t);
  await importLive(house.engine, [
    content(suffix, { objectClass: ['dcObject', 'organization'], dc: 'example', o: 'Example' }),
    content(base, { objectClass: 'organizationalUnit', ou: 'people' }),
    content(`ou=few,${suffix}`, { objectClass: 'organizationalUnit', ou: 'few' }),
    ...Array.from({ length: count }, (_, number) => content(`uid=p${number},${base}`, personOf(number))),
  ]);
  return house;
}

interface Kept {
  readonly uuid: string;
  readonly user: Uint8Array;
  readonly operational: Uint8Array;
}

const decoded = new Map<string, { readonly octets: Buffer; readonly attributes: ReturnType<typeof decode> }>();

/** Between two looks at all entries hardly one has changed: the others need not be decoded again. */
function attributesIn(entry: Kept): ReturnType<typeof decode> {
  const octets = Buffer.concat([entry.user, entry.operational]);
  const known = decoded.get(entry.uuid);
  if (known?.octets.equals(octets)) return known.attributes;
  const attributes = decode(entry);
  decoded.set(entry.uuid, { octets, attributes });
  return attributes;
}

function decode({ user, operational }: Kept) {
  const all = [...decodeAttributes(user), ...decodeAttributes(operational)];
  return new Map(all.map((attribute) => [describe(schema, attribute.description)?.key ?? '', attribute]));
}

/** The entryUUIDs of all that fit, by looking at every entry. */
function fitting({ engine }: House, text: string): Set<string> {
  const filter = filterOf(text);
  const snapshot = engine.store.snapshot();
  const found = new Set<string>();
  for (const id of snapshot.subtree(new Uint8Array(0), undefined, 1_000_000)) {
    const entry = snapshot.readable(id);
    if (entry === undefined) continue;
    if (matches(schema, filter, { dn: [], attributes: attributesIn(entry) }) === true) found.add(entry.uuid);
  }
  return found;
}

const filters = [
  '(roomNumber=1-01)',
  '(roomNumber~=2-01)',
  '(roomNumber=*)',
  '(description=*)',
  '(description=third*)',
  '(description=*vis*)',
  '(description=*ble)',
  '(l=genève)',
  '(l;lang-fr=*)',
  '(name=*even*)',
  '(cn=*n 1*)',
  '(sn=o*)',
  '(sn=even)',
  '(entryCSN>=20260101000000.000000Z#000000#000#000000)',
  '(modifyTimestamp<=20270101000000Z)',
  '(createTimestamp>=20270101000000Z)',
  '(&(objectClass=person)(roomNumber=1-02))',
  '(&(description=divisible)(sn=odd))',
  '(|(roomNumber=20)(description=divisible)(sn=even))',
  '(|(roomNumber=20)(roomNumber=1-01))',
  '(|(uid=p1)(uid=p2)(roomNumber=*-0*))',
  '(&(|(roomNumber=20)(roomNumber=1-01))(!(sn=even)))',
];

const number = fc.nat(people + 20);
const write = fc.oneof(
  fc.record({ kind: fc.constant('room' as const), number, value: fc.constantFrom(...rooms) }),
  fc.record({ kind: fc.constant('description' as const), number, value: fc.constantFrom('divisible', 'third time', 'x') }),
  fc.record({ kind: fc.constantFrom('rename' as const, 'delete' as const, 'add' as const), number }),
);
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;

async function perform(house: House, step: Write): Promise<void> {
  const operator = house.operator();
  const dn = `uid=p${step.number},${base}`;
  if (step.kind === 'room') await operator.modify(dn, ['replace', 'roomNumber', step.value]);
  else if (step.kind === 'description') await operator.modify(dn, ['replace', 'description', step.value]);
  else if (step.kind === 'delete') await operator.ask({ kind: 'delRequest', entry: dn });
  else if (step.kind === 'add') await operator.add(dn, personOf(step.number));
  else await operator.ask({ kind: 'modifyDNRequest', entry: dn, newRdn: `uid=a${step.number}`, deleteOldRdn: true });
}

test('a search that takes several turns gives what fits all the while, each once, and nothing that never fitted, whatever is written between', async (t) => {
  const house = await fullHouse(t, people);
  const searching = fc.record({
    filter: fc.constantFrom(...filters),
    writes: fc.array(fc.array(write, { maxLength: 12 }), { maxLength: 6 }),
  });
  let turns = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(searching, { minLength: 1, maxLength: 3 }), async (run) => {
      await Promise.all(
        run.map(async ({ filter, writes }) => {
          const states = [fitting(house, filter)];
          const left = [...writes];
          const sink = replySink(async () => {
            turns++;
            for (const step of left.pop() ?? []) await perform(house, step);
            states.push(fitting(house, filter));
          });
          const op = { ...searchOf(suffix, filter), attributes: ['entryUUID'] };
          await createDirectory(house.engine).perform(house.operator().connection, { messageId: 1, op, controls: [] }, sink.reply);
          states.push(fitting(house, filter));
          const found = sink.answers().entries.map((entry) => entry.all('entryUUID')[0] ?? '');
          const missing = [...(states[0] ?? [])].filter((uuid) => !found.includes(uuid) && states.every((state) => state.has(uuid)));
          // With others writing beside it there are states that are not seen here.
          const strange = run.length > 1 ? [] : found.filter((uuid) => !states.some((state) => state.has(uuid)));
          if (strange.length > 0) throw new Error(`${filter} gives ${strange.length} that never fitted`);
          if (new Set(found).size < found.length) throw new Error(`${filter} gives an entry twice`);
          if (missing.length > 0) throw new Error(`${filter} misses ${missing.length}`);
        }),
      );
    }),
    { numRuns: 40 },
  );
  t.true(turns > 40, String(turns));
});

test('without writes a filter by columns, indexes or both finds what a look at every entry finds, also after changes', async (t) => {
  const house = await fullHouse(t, people);
  for (const changes of [0, 30]) {
    for (let at = 0; at < changes; at++) {
      await perform(house, at % 3 === 0 ? { kind: 'delete', number: at * 7 } : { kind: 'room', number: at * 7, value: '20' });
    }
    for (const filter of filters) {
      const { entries } = await house.operator().search(suffix, filter, { attributes: ['entryUUID'] });
      t.deepEqual(entries.map((entry) => entry.all('entryUUID')[0]).sort(), [...fitting(house, filter)].sort(), filter);
    }
  }
});

test('the plan is told: a column where no index helps, and the second search reads only what it answers', async (t) => {
  const house = await fullHouse(t, people);
  const plan = (filter: string, more = {}) => explain(house.engine, { ...searchOf(suffix, filter), ...more });
  const first = await plan('(l=genève)');
  t.like(first, { plan: 'column', entries: 18 });
  t.true(first.visited > people);
  const second = await plan('(l=genève)');
  t.like(second, { plan: 'column', entries: 18 });
  t.true(second.visited < 50, String(second.visited));
  t.like(await plan('(&(objectClass=person)(l=genève))'), { plan: 'column', entries: 18 });
  t.like(await plan('(&(uid=p50)(l=genève))'), { plan: 'index', entries: 1 });
  t.like(await plan('(entryDN=x)'), { plan: 'index', entries: 0, visited: 1 });
  t.is((await plan('(userPassword=x)')).visited, 1, 'no column holds what is secret');
  t.is((await plan('(!(l=genève))')).plan, 'walk');
  t.is((await plan('(l=genève)', { baseObject: `ou=few,${suffix}` })).plan, 'walk', 'there is next to nothing below it');
  t.is((await plan('(objectClass=person)', { baseObject: `ou=few,${suffix}`, scope: 'one' })).plan, 'walk');
});

test('one index key with many entries is read a page at a time', async (t) => {
  const house = await fullHouse(t, 3000);
  const { engine } = house;
  let most = 0;
  const store = {
    ...engine.store,
    snapshot: () => {
      const snapshot = engine.store.snapshot();
      const idsEqual = snapshot.idsEqual.bind(snapshot);
      return Object.assign(snapshot, {
        idsEqual: (...asked: Parameters<typeof idsEqual>) => {
          const ids = idsEqual(...asked);
          most = Math.max(most, ids.length);
          return ids;
        },
      });
    },
  };
  const sink = replySink();
  const request = searchOf(suffix, '(|(objectClass=person)(sn=even))');
  await createDirectory({ ...engine, store }).perform(house.operator().connection, { messageId: 1, op: request, controls: [] }, sink.reply);
  t.is(sink.answers().entries.length, 3000);
  t.true(most > 0 && most <= 256, String(most));
});
