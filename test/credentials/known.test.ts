import test from 'ava';
import { systemChance, utf8 } from '#base';
import { createKnownMemory, createKnownPasswords } from '#credentials';

const recordOctets = 104;
const own = { own: { matches: true }, app: undefined };
const password = utf8('lovelace');

/** Two threads' views of one memory. */
function open(max = 8) {
  const clock = { now: 1_000_000, nowMs: () => clock.now };
  const memory = createKnownMemory(systemChance, max);
  const [here, there] = [createKnownPasswords({ memory, clock }), createKnownPasswords({ memory, clock })];
  return { clock, memory, octets: new Uint8Array(memory.table), here, there };
}

test('what one thread has found right every thread knows, of that person, that stored hash and until that time', (t) => {
  const { clock, here, there } = open();
  const ada = { uuid: 'ada', passwordHash: 'hash of ada' };
  const untilMs = here.keep(ada, password, own, 60_000);
  t.is(untilMs, 1_060_000);
  t.deepEqual(there.recall(ada, password), { ...own, untilMs });
  t.is(there.recall(ada, utf8('Lovelace')), undefined);
  t.is(there.recall({ ...ada, uuid: 'alan' }, password), undefined);
  t.is(there.recall({ ...ada, passwordHash: 'another' }, password), undefined);
  t.is(there.recall({ uuid: 'ada', passwordHash: undefined }, password), undefined);
  clock.now = untilMs - 1;
  t.truthy(there.recall(ada, password));
  clock.now = untilMs;
  t.is(there.recall(ada, password), undefined);
});

test('an app password is known as the one that it is, and as none when that is gone, or another, or its hash is', (t) => {
  const { here, there } = open();
  const value = utf8('ABCD-EFGH-JKLM-NPQR-STUV-WXYZ');
  const made = (id: string, hash: string) => ({ id, name: id, hash, scopes: ['ldap'], addedMs: 0 }) as const;
  const [first, second] = [made('1', '{SCRYPT}ln=14,r=8,p=1$salt$one'), made('2', '{SCRYPT}ln=14,r=8,p=1$salt$two')];
  const holder = { uuid: 'ada', passwordHash: undefined, appPasswords: [first, second] };
  here.keep(holder, value, { own: { matches: false }, app: second }, 60_000);
  t.is(there.recall(holder, value)?.app, second);
  t.is(there.recall(holder, utf8('abcdefghjklmnpqrstuvwxyz'))?.app, second, 'as it may be typed');
  t.is(there.recall({ ...holder, appPasswords: [first] }, value), undefined);
  t.is(there.recall({ ...holder, appPasswords: [] }, value), undefined);
  t.is(there.recall({ ...holder, appPasswords: [first, { ...second, hash: first.hash }] }, value), undefined);
  t.is(there.recall({ ...holder, uuid: 'alan' }, value), undefined);
});

test('half of one record and half of another is none: neither who changed their password nor whose time is over is known by it', (t) => {
  const { clock, octets, here, there } = open(1);
  const [was, is] = [
    { uuid: 'ada', passwordHash: 'was' },
    { uuid: 'ada', passwordHash: 'is' },
  ];
  // One password, one name: of a hash that is gone, for long, and of the present one, for a moment.
  here.keep(was, password, own, 3_600_000);
  const older = octets.slice(0, recordOctets);
  here.keep(is, password, own, 1000);
  const younger = octets.slice(0, recordOctets);
  t.truthy(there.recall(is, password));
  clock.now += 1000;
  let tried = 0;
  for (const [a, b] of [
    [older, younger],
    [younger, older],
  ] as const)
    for (let at = 1; at < recordOctets; at++)
      for (let to = at; to <= recordOctets; to += 8) {
        octets.set(a);
        octets.set(b.subarray(at, to), at);
        tried++;
        t.is(there.recall(is, password), undefined, `octets ${at} to ${to}`);
      }
  t.true(tried > 1000);
  octets.set(older);
  t.truthy(there.recall(was, password), 'a whole one is believed');
});

test('a record is of the start whose key it was made with', (t) => {
  const { clock, memory, here } = open();
  const ada = { uuid: 'ada', passwordHash: 'hash of ada' };
  here.keep(ada, password, own, 60_000);
  const other = createKnownPasswords({ memory: { ...memory, key: systemChance.octets(32) }, clock });
  t.is(other.recall(ada, password), undefined);
});

test('as many are known as there is room for, the one that ends first makes way; none where none may be', (t) => {
  const { here, there, octets } = open(100);
  t.is(octets.length, 96 * recordOctets);
  const people = Array.from({ length: 200 }, (_, at) => ({ uuid: `${at}`, passwordHash: `hash of ${at}` }));
  for (const [at, each] of people.entries()) here.keep(each, password, own, 60_000 + at);
  const known = people.filter((each) => there.recall(each, password) !== undefined);
  t.true(known.length > 60 && known.length <= 96, `${known.length}`);
  t.true(known.filter(({ uuid }) => Number(uuid) >= 100).length > known.length * 0.75, 'the youngest');
  const none = open(0);
  const [ada] = people;
  t.is(ada && none.here.keep(ada, password, own, 60_000), 0);
  t.is(ada && none.there.recall(ada, password), undefined);
});
