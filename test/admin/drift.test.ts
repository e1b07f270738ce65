import test from 'ava';
import type { RouteRow } from '#catalogue';
import { type Card, protocols } from '#describe';
import { routeTables } from '../../src/tables.ts';
import { openConsoleHouse } from './console-house.ts';
import { wordsOf } from './pages.ts';

const house = await openConsoleHouse();
const { get, reader } = house;
test.after.always(() => house[Symbol.asyncDispose]());

const kinds = [
  'undocumentedPaths',
  'stalePaths',
  'unknownSpecIds',
  'unknownProtocolGroups',
  'unknownProtocolSpecIds',
  'unclaimedGroups',
] as const;
const none = {
  undocumentedPaths: [],
  stalePaths: [],
  unknownSpecIds: [],
  unknownProtocolGroups: [],
  unknownProtocolSpecIds: [],
  unclaimedGroups: [],
};

// The service that runs here describes itself by these tables: what is planted in them is what somebody forgot, or wrote wrong.
const tables = routeTables as Record<string, Readonly<Record<string, RouteRow>>>;
const cards = protocols as Card[];

const { portal = {} } = tables;
const [[known, row] = ['', undefined]] = Object.entries(portal);
if (row === undefined) throw new Error('the portal has no routes');
const { [known]: _, ...withoutOne } = portal;
const name = `${row.method} ${row.path}`;
const card: Card = { id: 'planted', title: 'Planted', groups: [], specs: [], means: 'a test' };

/** Plants something, and gives back what takes it out. */
const plantTable = (group: string, table: Readonly<Record<string, RouteRow>>) => (): (() => void) => {
  const { [group]: before } = tables;
  tables[group] = table;
  return () => {
    if (before === undefined) delete tables[group];
    else tables[group] = before;
  };
};
const plantCard = (more: Partial<Card>) => (): (() => void) => {
  cards.push({ ...card, ...more });
  return () => void cards.pop();
};

const planted: readonly (readonly [
  what: string,
  plant: () => () => void,
  seen: Partial<Record<(typeof kinds)[number], readonly string[]>>,
])[] = [
  ['a route that is mounted and that no table describes', plantTable('portal', withoutOne), { undocumentedPaths: [name] }],
  [
    'a row of a route that nobody mounts',
    plantTable('portal', { ...portal, gone: { ...row, method: 'GET', path: '/gone' } }),
    { stalePaths: ['GET /gone'] },
  ],
  [
    'a route by a specification that there is not',
    plantTable('portal', { ...portal, [known]: { ...row, source: 'RFC 99999' } }),
    { unknownSpecIds: ['RFC 99999'] },
  ],
  ['a protocol of a group that there is not', plantCard({ groups: ['nowhere'] }), { unknownProtocolGroups: ['nowhere'] }],
  ['a protocol by a specification that there is not', plantCard({ specs: ['A paper'] }), { unknownProtocolSpecIds: ['A paper'] }],
  ['a group of routes that is no protocol’s', plantTable('orphan', {}), { unclaimedGroups: ['orphan'] }],
];

const shown = async () => {
  const metadata = JSON.parse((await get('/admin/sts-metadata?format=json', reader)).body);
  return { lists: Object.fromEntries(kinds.map((kind) => [kind, metadata[kind]])), agrees: metadata.agrees, metadata };
};

test.serial('the page of endpoints of a running server: nothing drifts where nothing is planted', async (t) => {
  t.deepEqual((await shown()).lists, none);
  t.true((await shown()).agrees);
});

for (const [what, plant, seen] of planted)
  test.serial(`the page of endpoints of a running server tells one kind of drift: ${what}`, async (t) => {
    const takeOut = plant();
    try {
      const { lists, agrees, metadata } = await shown();
      t.deepEqual(lists, { ...none, ...seen });
      t.false(agrees);
      const [[word = ''] = []] = Object.values(seen);
      const page = wordsOf((await get('/admin/sts-metadata', reader)).body);
      t.true(page.includes(word) && page.includes('The tables agree no'), 'the page for people says so, too');
      if (seen.undocumentedPaths !== undefined) {
        const { purpose, coverage } = metadata.routes.find(({ method, path }: RouteRow) => `${method} ${path}` === name);
        t.deepEqual({ purpose, coverage }, { purpose: 'UNDOCUMENTED', coverage: 'UNDOCUMENTED' });
      }
    } finally {
      takeOut();
    }
    t.deepEqual((await shown()).lists, none, 'and nothing once it is taken out');
  });
