import test from 'ava';
import { utf8 } from '#base';
import { encodeMessage, operationTags } from '#ldap';
import { ask, bind, Connection, explain, readHead } from '../../bench/connection.ts';
import { type Lane, Load } from '../../bench/load.ts';
import { type Asking, draw, nameOf, uidOf, type World } from '../../bench/requests.ts';
import { percentileUs } from '../../bench/statistics.ts';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { randomNumbers } from '../support/people.ts';

const password = 'Correct-horse-7-battery';
const count = 3;

function worldOf(suffix: string): World {
  return {
    base: `ou=people,${suffix}`,
    count,
    password,
    gids: [30_001],
    sample: [{ cn: 'Ada Byron', mail: 'ada.byron@example.com', roomNumber: 'B-1.01' }],
    groups: { large: `cn=readers,ou=groups,${suffix}`, small: [`cn=writers,ou=groups,${suffix}`] },
  };
}

/** Some people as the benchmark calls them. */
async function furnish(port: number, { adminDn, adminPassword }: TestAtrium, { base, groups }: World): Promise<void> {
  using connection = await Connection.open(port);
  await bind(connection, adminDn, adminPassword);
  const add = async (entry: string, given: readonly (readonly [string, string])[]) => {
    const attributes = given.map(([description, value]) => ({ description, values: [utf8(value)] }));
    const { responses } = await ask(connection, { kind: 'addRequest', entry, attributes });
    if (explain(responses[0]) !== 'success') throw new Error(explain(responses[0]));
  };
  await add(groups.large, [
    ['objectClass', 'groupOfNames'],
    ['cn', 'readers'],
    ['member', nameOf(0, base)],
  ]);
  for (let number = 0; number < count; number++) {
    const given: readonly (readonly [string, string])[] = [
      ['objectClass', 'inetOrgPerson'],
      ['uid', uidOf(number)],
      ['cn', 'Ada Byron'],
      ['sn', 'Byron'],
      ['userPassword', password],
    ];
    await add(nameOf(number, base), given);
  }
}

test('the load generator drives a whole Atrium: each kind of request is answered with success, and each answer is counted once', async (t) => {
  await using atrium = await startTestAtrium();
  const port = Number(new URL(atrium.addresses.ldap ?? '').port);
  const world = worldOf(atrium.suffix);
  await furnish(port, atrium, world);
  const lane = (asking: Asking, as: Lane['as'], connections = 1, outstanding = 1): Lane => ({ asking, as, connections, outstanding });
  const lanes: readonly Lane[] = [
    lane({ kind: 'equality', attributes: [] }, 'person', 2, 4),
    lane({ kind: 'equality', attributes: ['cn'] }, 'person'),
    lane({ kind: 'substring' }, 'person'),
    lane({ kind: 'initial' }, 'person'),
    lane({ kind: 'unindexed' }, 'person'),
    lane({ kind: 'group' }, 'person'),
    lane({ kind: 'modify', attribute: 'mobile' }, 'administrator'),
    lane({ kind: 'modify', attribute: 'cn' }, 'administrator'),
    lane({ kind: 'add' }, 'administrator', 2),
    lane({ kind: 'member', of: 'large' }, 'administrator'),
    lane({ kind: 'slowly' }, 'person', 1, 4),
    lane({ kind: 'bind' }, 'person'),
  ];
  const target = { port, pid: process.pid, adminDn: atrium.adminDn, adminPassword: atrium.adminPassword, lanes, world };
  using load = await Load.open(target);
  for (const seed of [1, 2]) {
    const all = lanes.flatMap(({ asking }, i) => (asking.kind === 'member' ? [] : [i]));
    const counted = await load.sample({ seed, warmMs: 0, sampleMs: 0, operationsMin: 3, lanes: all });
    t.is(counted.lanes.length, all.length);
    for (const { operations, octets, latencies } of counted.lanes) {
      t.true(operations >= 3 && octets > 0);
      t.is(
        latencies.reduce((sum, [, each]) => sum + each, 0),
        operations,
      );
      t.true(percentileUs(latencies, 0.5) >= 0);
    }
  }
  const members = lanes.findIndex(({ asking }) => asking.kind === 'member');
  const alone = await load.sample({ seed: 8000, warmMs: 0, sampleMs: 0, operationsMin: 3, lanes: [members] });
  t.is(alone.lanes.length, 1);
});

test('a load whose requests are refused fails and says why: a row that fails is not a fast row', async (t) => {
  await using atrium = await startTestAtrium();
  const port = Number(new URL(atrium.addresses.ldap ?? '').port);
  const world = worldOf(atrium.suffix);
  const { adminDn, adminPassword } = atrium;
  const asking = { kind: 'modify', attribute: 'mobile' } as const;
  const lanes: readonly Lane[] = [{ asking, as: 'administrator', connections: 1, outstanding: 1 }];
  using load = await Load.open({ port, pid: process.pid, adminDn, adminPassword, lanes, world });
  await t.throwsAsync(load.sample({ seed: 1, warmMs: 0, sampleMs: 0, operationsMin: 3, lanes: [0] }), { message: /modify: noSuchObject/ });
  await t.throwsAsync(Load.open({ port, pid: process.pid, adminDn, adminPassword: 'wrong', lanes, world }), {
    message: /invalidCredentials/,
  });
});

test('equal seeds draw equal requests, and everybody is drawn', (t) => {
  const world = worldOf('dc=example,dc=com');
  const drawn = (seed: number) => {
    const drawing = { world, random: randomNumbers(seed), unused: () => 1 };
    return Array.from({ length: 60 }, () => draw({ kind: 'bind' }, drawing));
  };
  t.deepEqual(drawn(1), drawn(1));
  t.notDeepEqual(drawn(1), drawn(2));
  t.is(new Set(drawn(1).map((request) => (request.kind === 'bindRequest' ? request.name : ''))).size, count);
});

test('the head of an answer is read without decoding it, for short and long messages and ids', (t) => {
  for (const messageId of [1, 127, 128, 65_536, 2 ** 31 - 1]) {
    for (const words of ['', 'x'.repeat(200), 'x'.repeat(70_000)]) {
      const result = { code: 32, matchedDN: '', diagnostic: words };
      const done = encodeMessage({ messageId, op: { kind: 'searchResultDone', result }, controls: [] });
      t.deepEqual(readHead(done, 0), { messageId, tag: operationTags.searchResultDone, code: 32 });
      const entry = encodeMessage({ messageId, op: { kind: 'searchResultEntry', object: words, attributes: [] }, controls: [] });
      t.deepEqual(readHead(Buffer.concat([done, entry]), done.length), { messageId, tag: operationTags.searchResultEntry, code: -1 });
    }
  }
});
