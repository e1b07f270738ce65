import test, { type ExecutionContext } from 'ava';
import { Attribute, Change } from 'ldapts';
import * as oidc from 'openid-client';
import { attributeOf } from '../flows/mailed.ts';
import { asAdministrator } from '../flows/people.ts';
import { hiddenOf } from '../flows/raw.ts';
import { replaceValues } from '../flows/realms.ts';
import { testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { addApplication, configure, go, type OauthHouse, openHouse, refusalOf, request, signIn, type TestApplication } from './house.ts';

let house: OauthHouse;
const clientId = 'wiki';
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

test.before(async () => {
  house = await openHouse();
});

test.after.always(() => house?.atrium[Symbol.asyncDispose]());

/** The application, with the role that lets its own tokens read the management API. */
async function make(): Promise<TestApplication> {
  const app = await addApplication(house, clientId, {
    stsGrantType: ['authorization_code', 'refresh_token', 'client_credentials', deviceGrant],
    stsAllowedScope: ['openid', 'profile', 'offline_access', 'admin:read'],
    stsAllowedResource: 'urn:atrium:admin-api',
  });
  await giveRole(app.dn);
  return app;
}

async function giveRole(dn: string): Promise<void> {
  const role = `cn=Admin Read,ou=groups,${house.atrium.suffix}`;
  const modification = new Attribute({ type: 'member', values: [dn] });
  await asAdministrator(house.atrium, (client) => client.modify(role, new Change({ operation: 'add', modification })));
}

/** All that an application can have been given: what people let it do, its own, and what has not been answered yet. */
async function issue(config: oidc.Configuration) {
  const api = `${house.base}/admin-api`;
  const scope = 'openid profile offline_access';
  const { tokens, jar } = await signIn(house, config, { scope });
  const own = await oidc.clientCredentialsGrant(config, { scope: 'admin:read', resource: api });
  const flow = request(config);
  const code = (await go(house.base, flow.url.href, jar)).location;
  const parameters = Object.fromEntries(request(config).url.searchParams);
  const pushed = await oidc.buildAuthorizationUrlWithPAR(config, parameters);
  const device = await oidc.initiateDeviceAuthorization(config, { scope });
  const typed = await oidc.initiateDeviceAuthorization(config, { scope });
  await answerDevice(jar, typed.user_code);
  return { tokens, own, jar, flow, code, pushed, device, typed };
}

async function answerDevice(jar: Record<string, string>, user_code: string): Promise<string> {
  const csrf = hiddenOf(await go(house.base, '/oauth2/device', jar), 'csrf');
  return (await go(house.base, '/oauth2/device', jar, { csrf, user_code, do: 'allow' })).body;
}

type Issued = Awaited<ReturnType<typeof issue>>;
const apiAnswer = async (token: string) =>
  (await fetch(`${house.base}/admin-api/users?limit=1`, { headers: { authorization: `Bearer ${token}` } })).status;
const poll = async (app: TestApplication, device_code: string) => {
  const body = new URLSearchParams({ grant_type: deviceGrant, device_code, client_id: app.clientId, client_secret: app.secret });
  return (await (await fetch(`${house.base}/oauth2/token`, { method: 'POST', body })).json()) as Record<string, string>;
};

async function isDead(t: ExecutionContext, app: TestApplication, config: oidc.Configuration, issued: Issued): Promise<void> {
  const { tokens, own, jar, flow, code, pushed, device, typed } = issued;
  t.is(await refusalOf(t, oidc.fetchUserInfo(config, tokens.access_token, oidc.skipSubjectCheck)), 'invalid_token', 'userinfo');
  t.is(await apiAnswer(own.access_token), 401, 'the management API');
  for (const token of [tokens.access_token, String(tokens.refresh_token), own.access_token])
    t.false((await oidc.tokenIntrospection(config, token)).active, 'introspection');
  t.is(await refusalOf(t, oidc.refreshTokenGrant(config, String(tokens.refresh_token))), 'invalid_grant', 'refresh');
  const { verifier: pkceCodeVerifier, state: expectedState, nonce: expectedNonce } = flow;
  const checks = { pkceCodeVerifier, expectedState, expectedNonce };
  t.is(await refusalOf(t, oidc.authorizationCodeGrant(config, new URL(code), checks)), 'invalid_grant', 'a code');
  t.regex((await go(house.base, pushed.href, jar)).body, /invalid_request_uri|expired/, 'a pushed request');
  t.regex(await answerDevice(jar, device.user_code), /No device waits/, 'a device that waits');
  t.is((await poll(app, device.device_code))['error'], 'invalid_grant');
  t.is((await poll(app, typed.device_code))['error'], 'invalid_grant', 'a device that was let in');
}

test.serial('what was issued to an application that was removed is nothing to another one under its client id', async (t) => {
  const app = await make();
  const config = await configure(house.base, app);
  const issued = await issue(config);
  t.is(await apiAnswer(issued.own.access_token), 200);
  t.true((await oidc.tokenIntrospection(config, String(issued.tokens.refresh_token))).active);

  await asAdministrator(house.atrium, (client) => client.del(app.dn));
  await make();
  await isDead(t, app, config, issued);
  const { tokens } = await signIn(house, config, { scope: 'openid offline_access' });
  t.truthy((await oidc.refreshTokenGrant(config, String(tokens.refresh_token))).access_token, 'its own are worth something');
});

test.serial('an application that is restored has its entryUUID again, and nothing of what was issued before it was removed', async (t) => {
  const app = { clientId, dn: `cn=${clientId},ou=applications,${house.atrium.suffix}`, secret: `Secret-of-${clientId}-1234` };
  const config = await configure(house.base, app);
  for (const time of ['once', 'twice']) {
    const issued = await issue(config);
    const [uuid = ''] = await attributeOf(house.atrium, app.dn, 'entryUUID');
    await asAdministrator(house.atrium, (client) => client.del(app.dn));
    const { status, stderr } = await runCli(['application', 'restore', uuid], testEnvironment(house.atrium.dataDir));
    t.is(status, 0, stderr);
    await replaceValues(house.atrium, app.dn, 'userPassword', [app.secret]);
    t.deepEqual(await attributeOf(house.atrium, app.dn, 'entryUUID'), [uuid], time);
    await isDead(t, app, config, issued);
  }
  const { tokens } = await signIn(house, config, { scope: 'openid offline_access' });
  t.true((await oidc.tokenIntrospection(config, tokens.access_token)).active);
});

test.serial('an application that is disabled and enabled again has what was issued to it', async (t) => {
  const app = { clientId, dn: `cn=${clientId},ou=applications,${house.atrium.suffix}`, secret: `Secret-of-${clientId}-1234` };
  const config = await configure(house.base, app);
  const { tokens } = await signIn(house, config, { scope: 'openid offline_access' });
  await replaceValues(house.atrium, app.dn, 'pwdAccountLockedTime', ['000001010000Z']);
  t.is(await refusalOf(t, oidc.refreshTokenGrant(config, String(tokens.refresh_token))), 'invalid_client');
  await replaceValues(house.atrium, app.dn, 'pwdAccountLockedTime', []);
  t.truthy((await oidc.refreshTokenGrant(config, String(tokens.refresh_token))).access_token);
});
