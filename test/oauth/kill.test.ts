import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as oidc from 'openid-client';
import { addPerson } from '../flows/people.ts';
import { testEnvironment } from '../support/atrium.ts';
import { startCli } from '../support/cli.ts';
import { addApplication, configure, refusalOf, signIn } from './house.ts';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function groundOf(t: ExecutionContext) {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-oauth-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  // The issuer has the port in its name: it stays.
  const environment: Record<string, string> = { ...testEnvironment(join(folder, 'data')), STS_HTTP_PORT: String(await freePort()) };
  return async () => {
    const service = startCli(['serve'], environment);
    t.teardown(() => service.child.kill('SIGKILL'));
    const said = await service.until('ready ');
    const [http = '', ldap = ''] = [/http:\S+\d/.exec(said)?.[0], /ldap:\S+\d/.exec(said)?.[0]];
    const kill = async () => {
      service.child.kill('SIGKILL');
      await service.ended;
    };
    return { http, ldap, kill, password: environment['STS_ADMIN_BOOTSTRAP_PASSWORD'] ?? '' };
  };
}

test('kill -9: a refresh token that was answered is good afterwards, what was used is used, and what was revoked is revoked', async (t) => {
  const start = await groundOf(t);
  const first = await start();
  const suffix = 'dc=example,dc=com';
  const atrium = {
    addresses: { ldap: first.ldap, http: first.http },
    suffix,
    adminDn: `uid=admin,ou=people,${suffix}`,
    adminPassword: first.password,
  };
  const ada = await addPerson(atrium as never, 'ada', 'Ada Lovelace');
  const app = await addApplication({ atrium: atrium as never }, 'web-app');
  const config = await configure(first.http, app);
  const kept = await signIn({ base: first.http, ada }, config);
  const spent = await signIn({ base: first.http, ada }, config, {}, kept.jar);
  const next = await oidc.refreshTokenGrant(config, String(spent.tokens.refresh_token));
  const revoked = await signIn({ base: first.http, ada }, config, {}, kept.jar);
  await oidc.tokenRevocation(config, String(revoked.tokens.refresh_token));
  await first.kill();

  const second = await start();
  t.is(second.http, first.http);
  t.is(await refusalOf(t, oidc.refreshTokenGrant(config, String(revoked.tokens.refresh_token))), 'invalid_grant');
  t.truthy((await oidc.refreshTokenGrant(config, String(kept.tokens.refresh_token))).id_token);
  t.is((await oidc.fetchUserInfo(config, next.access_token, oidc.skipSubjectCheck)).sub, String(next.claims()?.sub));
  t.is(await refusalOf(t, oidc.refreshTokenGrant(config, String(spent.tokens.refresh_token))), 'invalid_grant');
  t.is(await refusalOf(t, oidc.refreshTokenGrant(config, String(next.refresh_token))), 'invalid_grant');
  await second.kill();
});
