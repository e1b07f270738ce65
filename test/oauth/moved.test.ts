import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import { addPerson, type TestPerson } from '../flows/people.ts';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { addApplication, configure, refusalOf, signIn, type TestApplication } from './house.ts';

/** A directory that was in use, and what was issued in it. */
let before: {
  readonly ada: TestPerson;
  readonly app: TestApplication;
  readonly tokens: Awaited<ReturnType<typeof signIn>>['tokens'];
};
let folder: string;
let port: string;
const at = (name: string) => join(folder, name);
/** The issuer has the port in its name: it stays. */
const base = () => `http://localhost:${port}`;

async function well(dataDir: string, args: readonly string[], kek?: string): Promise<string> {
  const environment = { ...testEnvironment(dataDir), ...(kek === undefined ? {} : { STS_KEYS_KEK: kek }) };
  const { status, stdout, stderr } = await runCli(args, environment);
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stdout}${stderr}`);
  return stdout + stderr;
}

const start = (dataDir: string, kek?: string) =>
  startTestAtrium({ dataDir, settings: { STS_HTTP_PORT: port, ...(kek === undefined ? {} : { STS_KEYS_KEK: kek }) } });
const verify = (token: string) => jwtVerify(token, createRemoteJWKSet(new URL(`${base()}/oauth2/jwks`)), { issuer: base() });

test.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'atrium-moved-'));
  const server = createServer().listen(0, 'localhost');
  await once(server, 'listening');
  port = String((server.address() as { readonly port: number }).port);
  server.close();
  await using atrium = await start(at('first'));
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const app = await addApplication({ atrium }, 'web-app');
  const { tokens } = await signIn({ base: base(), ada }, await configure(base(), app), { scope: 'openid offline_access' });
  before = { ada, app, tokens };
});

test.after.always(() => rmSync(folder, { recursive: true, force: true }));

for (const [name, kek] of [
  ['second', undefined],
  ['third', 'another key-encryption key of forty octets'],
] as const) {
  test.serial(
    `a realm as LDIF with its signing keys, in a fresh folder under ${kek === undefined ? 'the same' : 'another'} key-encryption key: what was signed verifies, and the same key signs`,
    async (t) => {
      const way = ['--transfer-key-file', at('way.key')];
      writeFileSync(at('way.key'), 'k'.repeat(32), { mode: 0o600 });
      const file = at(`for-${name}.ldif`);
      await well(at('first'), ['export', '--operational', '--secrets', ...way, file]);
      t.false(readFileSync(file, 'utf8').includes('"d":'), 'no private key is open on its way');
      await well(at(name), ['import', ...way, file], kek);
      await using _ = await start(at(name), kek);
      const { payload, protectedHeader } = await verify(String(before.tokens.id_token));
      t.is(payload.sub, before.tokens.claims()?.sub);
      const config = await configure(base(), before.app);
      const again = await signIn({ base: base(), ada: before.ada }, config);
      t.is((await verify(String(again.tokens.id_token))).protectedHeader.kid, protectedHeader.kid);
      t.is(again.tokens.claims()?.sub, payload.sub, 'people keep their identifiers');
      t.is(await refusalOf(t, oidc.refreshTokenGrant(config, String(before.tokens.refresh_token))), 'invalid_grant', 'sets do not move');
    },
  );
}

test.serial(
  'without a key for the way the export says that keys are left out, and a service without them says why it signs nothing',
  async (t) => {
    const told = await well(at('first'), ['export', '--operational', '--secrets', at('plain.ldif')]);
    t.regex(told, /stsPrivateKey: 2 sealed values are left out: there is no transfer key/);
    await well(at('fourth'), ['import', at('plain.ldif')]);
    await using atrium = await start(at('fourth'));
    t.is((await fetch(`${base()}/oauth2/jwks`)).status, 503);
    const row = atrium.audit.find(({ errorCode }) => errorCode === 'STS-OAUTH-9102');
    t.regex(row?.summary ?? '', /signing keys do not open under the one at hand/);
  },
);

test.serial('a backup under another key-encryption key signs nothing, and says why; under its own it does', async (t) => {
  await well(at('first'), ['backup', at('copy')]);
  await well(at('fifth'), ['restore', at('copy')]);
  {
    await using atrium = await start(at('fifth'), 'another key-encryption key of forty octets');
    t.is((await fetch(`${base()}/oauth2/jwks`)).status, 503);
    t.true(atrium.audit.some(({ errorCode }) => errorCode === 'STS-OAUTH-9102'));
  }
  await using _ = await start(at('fifth'));
  t.is((await verify(String(before.tokens.id_token))).payload.sub, before.tokens.claims()?.sub);
});

test.serial('a restore ends every token and code that was issued before it; the keys stay', async (t) => {
  await well(at('first'), ['backup', at('kept')]);
  await well(at('first'), ['restore', '--replace', at('kept')]);
  await using _ = await start(at('first'));
  const config = await configure(base(), before.app);
  const { tokens } = before;
  t.truthy(await verify(String(tokens.id_token)));
  t.is(await refusalOf(t, oidc.refreshTokenGrant(config, String(tokens.refresh_token))), 'invalid_grant');
  t.is(await refusalOf(t, oidc.fetchUserInfo(config, tokens.access_token, oidc.skipSubjectCheck)), 'invalid_token');
  t.false((await oidc.tokenIntrospection(config, tokens.access_token)).active);
});
