import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { inspect } from 'node:util';
import test from 'ava';
import Database from 'better-sqlite3';
import type { RouteRow } from '#catalogue';
import { routeTables } from '../../src/tables.ts';
import { type Cookies, openConsoleHouse } from '../admin/console-house.ts';
import { ask } from '../flows/raw.ts';
import { addApplication, back } from '../oauth/house.ts';
import { openClock } from '../support/clock.ts';

const rows: readonly RouteRow[] = Object.values(routeTables)
  .flatMap((table) => Object.values<RouteRow>(table))
  .filter(({ method }) => method === 'GET');
const clock = openClock();
const house = await openConsoleHouse({}, clock, clock.timers);
const { atrium, base } = house;
await addApplication({ atrium }, 'shop');
// A server's keys are made when they are first asked for, by whomever.
for (const server of ['', '/x']) await ask(base, `${server}/oauth2/jwks`);

const asked = new URLSearchParams({
  ...{ client_id: 'shop', response_type: 'code', scope: 'openid', redirect_uri: back },
  ...{ code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' },
});

/** The address of a row that does the most: a request that could be answered, a sign-in that waits. */
async function targetOf({ path }: RouteRow): Promise<string> {
  const target = path.replace(/:\w+(\([^)]*\))?/g, 'x');
  if (target.endsWith('/authorize')) return `${target}?${asked}`;
  const { location } = await ask(base, '/portal');
  return `${target}${location.slice(location.indexOf('?'))}`;
}

const files = ['state.sqlite', 'directory.sqlite'].map((name) => new Database(join(atrium.dataDir, name), { readonly: true }));
test.after.always(async () => {
  for (const file of files) file.close();
  await house[Symbol.asyncDispose]();
});
/** What is kept, by table. Indexes that follow by themselves, after a while, are left out. */
function kept(): Readonly<Record<string, string>> {
  const [state, directory] = files;
  const tables = [
    ...['state', 'amount'].map((name) => [state, name] as const),
    ...['entry', 'attribute', 'change'].map((name) => [directory, name] as const),
  ];
  return Object.fromEntries(
    tables.map(([file, name]) => {
      const digest = createHash('sha256');
      for (const row of file?.prepare(`SELECT * FROM "${name}"`).raw().iterate() ?? []) digest.update(inspect(row));
      return [name, digest.digest('hex')];
    }),
  );
}

const visitors: readonly (readonly [who: string, cookies: Cookies])[] = [
  ['nobody', {}],
  ['an administrator', house.writer],
];

for (const [who, cookies] of visitors) {
  test.serial(`RFC 9110 §9.2.1: HEAD changes nothing at any route, asked by ${who}`, async (t) => {
    for (const row of rows) {
      const target = await targetOf(row);
      const before = kept();
      const { status, body } = await ask(base, target, { method: 'HEAD', cookies });
      t.deepEqual(kept(), before, `${row.path} has changed something`);
      t.is(body, '');
      t.is(status === 405, row.head === 'refused', `${row.path}: ${status}`);
    }
    t.true(rows.length > 100);
  });
}

test.serial('what GET begins or ends is not there for HEAD: 405, with the methods that are', async (t) => {
  const answer = await fetch(`${base}/oauth2/authorize?${asked}`, { method: 'HEAD', redirect: 'manual' });
  t.is(answer.status, 405);
  t.is(answer.headers.get('allow'), 'GET, POST');
  t.deepEqual(
    rows
      .filter(({ head }) => head === 'refused')
      .map(({ path }) => path)
      .toSorted(),
    [
      '/:server/oauth2/authorize',
      '/:server/oauth2/logout',
      '/authn/backup-code',
      '/authn/email-code',
      '/authn/email-link',
      '/authn/mfa-setup',
      '/authn/password-change',
      '/authn/totp',
      '/authn/webauthn',
      '/oauth2/authorize',
      '/oauth2/logout',
      '/portal/keys/add',
    ],
  );
});

test.serial('HEAD of a page that needs a sign-in leads where GET does, and nothing waits there', async (t) => {
  const before = kept();
  const [head, get] = [await ask(base, '/portal/keys', { method: 'HEAD' }), await ask(base, '/portal/keys')];
  t.deepEqual([head.status, head.location, get.status], [303, '/authn/login', 303]);
  t.regex(get.location, /^\/authn\/login\?authn=/);
  t.notDeepEqual(kept(), before, 'GET has parked it: this test would see what HEAD had kept');
});
