import test from 'ava';
import type { RouteRow } from '#catalogue';
import { type Card, describeCrypto, describeRoutes, protocols, specIdsIn, specifications, surfaces } from '#describe';
import { bindRoutes, html } from '#web';
import { errorRows, routeTables } from '../../src/tables.ts';
import { open, send } from '../web/house.ts';

const row = (path: string, source = 'RFC 9110', more: Partial<RouteRow> = {}): RouteRow => ({
  ...{ method: 'GET', path, purpose: 'a test', source, coverage: 'full' },
  ...more,
});
const handle = () => ({ kind: 'page', page: { title: 'Test', layout: 'card', main: html`<h1>Here</h1>` } }) as const;
const card = (more: Partial<Card> = {}): Card => ({
  id: 'own',
  title: 'Own',
  groups: ['own'],
  specs: ['RFC 9110'],
  means: 'a test',
  ...more,
});

test('a running server with one of each kind of drift says each of them, and with none of them none', async (t) => {
  const mountedRows = { known: row('/known'), secret: row('/planted') };
  const house = await open(t, { routes: bindRoutes(mountedRows, { known: handle, secret: handle }) });
  const answered = await send(house.port, 'GET /planted HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  t.is(answered.status, 200);
  const mounted = house.web.mounted().filter(({ path }) => !path.startsWith('/assets/'));
  const described = { mounted, byHand: [], surfaces: [] };
  const sound = describeRoutes({ ...described, tables: { own: mountedRows }, protocols: [card()] });
  const { routes, byHand, protocols: cards, surfaces: pages, specifications: specs, ...none } = sound;
  t.is(routes.length, 2);
  t.deepEqual([byHand, pages], [[], []]);
  t.true(cards[0]?.built);
  t.true(specs.length > 0);
  t.deepEqual(Object.values(none), [[], [], [], [], [], []]);
  const drifted = describeRoutes({
    ...described,
    tables: { own: { known: row('/known', 'RFC 99999'), gone: row('/gone') }, orphan: {} },
    protocols: [card({ groups: ['own', 'nowhere'], specs: ['RFC 9110', 'A paper'] })],
  });
  t.deepEqual(drifted.undocumentedPaths, ['GET /planted']);
  t.deepEqual(drifted.stalePaths, ['GET /gone']);
  t.deepEqual(drifted.unknownSpecIds, ['RFC 99999']);
  t.deepEqual(drifted.unknownProtocolGroups, ['nowhere']);
  t.deepEqual(drifted.unknownProtocolSpecIds, ['A paper']);
  t.deepEqual(drifted.unclaimedGroups, ['orphan']);
  t.like(
    drifted.routes.find(({ path }) => path === '/planted'),
    { purpose: 'UNDOCUMENTED', coverage: 'UNDOCUMENTED' },
  );
});

test('a route of another method or path is another route, and the question of a browser for one that it may call is that one’s', (t) => {
  const tables = { own: { a: row('/a', 'RFC 9110', { cors: 'open' }) } };
  const mounted = [
    { method: 'GET', path: '/a' },
    { method: 'OPTIONS', path: '/a' },
    { method: 'POST', path: '/a' },
    { method: 'OPTIONS', path: '/b' },
  ];
  const { undocumentedPaths, routes } = describeRoutes({ mounted, tables, byHand: [], protocols: [card()], surfaces: [] });
  t.deepEqual(undocumentedPaths, ['OPTIONS /b', 'POST /a']);
  t.is(routes.find(({ method }) => method === 'POST')?.noLink, 'POST only');
});

const sources: readonly (readonly [source: string, ids: readonly string[]])[] = [
  ['RFC 6749 §3.2, RFC 9449', ['RFC 6749', 'RFC 9449']],
  [
    'RFC 7033; OpenID Connect Discovery 1.0 §2; specification document 2',
    ['RFC 7033', 'OpenID Connect Discovery', 'specification document 2'],
  ],
  ['specification document 1, "Password-only doors and app passwords"', ['specification document 1']],
  ['RFC 9111 and RFC 8246: kept for ever under a name', ['RFC 9111', 'RFC 8246']],
  ['a test', ['a test']],
  ['', ['no source']],
  ['OpenID Connect Nothing', ['OpenID Connect Nothing']],
];
for (const [source, ids] of sources)
  test(`the source ${JSON.stringify(source)} names ${ids.join(' and ')}`, (t) => t.deepEqual(specIdsIn(source), ids));

test('the tables agree with the cards: thirteen protocols, each named once, and specifications that there are', (t) => {
  t.is(protocols.length, 13);
  const ids = [...protocols, ...surfaces].map(({ id }) => id);
  t.is(new Set(ids).size, ids.length);
  for (const { specs } of [...protocols, ...surfaces]) for (const spec of specs) t.true(spec in specifications, spec);
  t.true(Object.keys(routeTables).length > 3 && errorRows.length > 100);
});

test('the families of the crypto page are checked both ways against the cards', (t) => {
  const facts = {
    ...{
      signing: ['ES256', 'ML-DSA-65'],
      signingStanding: 'ES256',
      dpop: [],
      clients: [],
      scram: ['SCRAM-SHA-256'],
      scramIterations: 1,
      webauthn: [],
    },
    sealing: { cipher: 'c', nonce: 'n', derivation: 'd', mark: 'm' },
    scrypt: { logN: 14, r: 8, p: 1 },
    totp: { algorithm: 'SHA1', digits: 6, period: 30 },
    tls: undefined,
    protects: 'product',
  } as const;
  const known = describeCrypto({ ...facts, built: new Set(['ldap', 'signin']) });
  t.deepEqual(known.undescribedFamilies, []);
  t.deepEqual(known.unknownFamilies, []);
  t.deepEqual(
    known.families.map(({ family }) => family),
    ['tls', 'storage', 'ldap', 'signin'],
  );
  t.deepEqual(known.postQuantum.signatures, ['ML-DSA-65']);
  t.deepEqual(describeCrypto({ ...facts, built: new Set(['ldap', 'saml']) }).undescribedFamilies, ['saml']);
});
