import test from 'ava';
import type { Browser } from 'playwright-core';
import { inspect, launch, openContext, typeIn } from '../flows/browser.ts';
import { hiddenOf } from '../flows/raw.ts';
import { addApplication, go, type Jar, type OauthHouse, openHouse, signInAt } from './house.ts';

let house: OauthHouse;
let browser: Browser;
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

test.before(async () => {
  [house, browser] = await Promise.all([openHouse({ STS_OAUTH_CODE_TTL_S: '60' }), launch()]);
  await addApplication(house, 'tv', {
    stsTokenEndpointAuthMethod: 'none',
    stsGrantType: [deviceGrant, 'refresh_token'],
    description: 'Films',
  });
});

test.after.always(async () => {
  await browser?.close();
  await house?.atrium[Symbol.asyncDispose]();
});

const post = async (path: string, form: Record<string, string>) => {
  const response = await fetch(house.base + path, { method: 'POST', body: new URLSearchParams(form) });
  return { status: response.status, said: (await response.json()) as Record<string, string> };
};
const begin = async (server = '') =>
  (await post(`${server}/oauth2/device_authorization`, { client_id: 'tv', scope: 'openid profile offline_access' })).said;
const poll = (code: string | undefined, server = '') =>
  post(`${server}/oauth2/token`, { client_id: 'tv', grant_type: deviceGrant, device_code: code ?? '' });

test.serial('RFC 8628: a device shows a code, its person signs in, sees what asks for what, lets it in, and it has tokens', async (t) => {
  const { base, ada } = house;
  const device = await begin();
  t.is(device['verification_uri'], `${base}/oauth2/device`);
  t.is((await poll(device['device_code'])).said['error'], 'authorization_pending');
  const page = await (await openContext(t, browser)).newPage();
  await page.goto(device['verification_uri'] ?? '');
  await typeIn(page, ada.uid, ada.password);
  t.is(await page.textContent('h1'), 'Connect a device');
  await inspect(t, page, 'oauth-device');
  const press = async (words: string) =>
    Promise.all([page.waitForNavigation(), page.getByRole('button', { name: words, exact: true }).click()]);
  await page.fill('#user_code', 'BBBB-BBBB');
  await press('Go on');
  t.regex((await page.textContent('.fault')) ?? '', /No device waits with this code/);
  await page.fill('#user_code', ` ${(device['user_code'] ?? '').toLowerCase().replace('-', ' ')} `);
  await press('Go on');
  t.is(await page.textContent('h1'), 'Connect to tv?');
  await inspect(t, page, 'oauth-device-confirm');
  t.is((await poll(device['device_code'])).said['error'], 'authorization_pending', 'to look at it is not to let it in');
  await press('Connect');
  t.is(await page.textContent('h1'), 'The device is connected');
  const { status, said } = await poll(device['device_code']);
  t.is(status, 200, JSON.stringify(said));
  t.true(said['refresh_token'] !== undefined && said['id_token'] !== undefined);
  const userinfo = await fetch(`${base}/oauth2/userinfo`, { headers: { Authorization: `Bearer ${said['access_token']}` } });
  t.is(((await userinfo.json()) as Record<string, string>)['name'], 'Ada Lovelace');
  t.is((await poll(device['device_code'])).said['error'], 'invalid_grant', 'once');
});

test.serial('RFC 8707: whoever lets a device in is told for which resource it asks', async (t) => {
  const { base, ada } = house;
  const api = 'https://films.example.com/api';
  const more = {
    stsTokenEndpointAuthMethod: 'none',
    stsGrantType: deviceGrant,
    stsAllowedResource: api,
    stsAllowedScope: ['openid', 'films'],
  };
  await addApplication(house, 'films', more);
  const jar: Jar = {};
  const csrf = hiddenOf(await signInAt(base, await go(base, '/oauth2/device', jar), ada, jar), 'csrf');
  const pageOf = async (asked: Record<string, string>) => {
    const { said } = await post('/oauth2/device_authorization', { client_id: 'films', scope: 'openid films', ...asked });
    return (await go(base, '/oauth2/device', jar, { csrf, user_code: said['user_code'] ?? '', do: 'find' })).body;
  };
  t.regex(await pageOf({ resource: api }), /<dt>To use at<\/dt><dd>https:\/\/films\.example\.com\/api<\/dd>/);
  const other = await pageOf({});
  t.regex(other, /Connect to films\?/);
  t.notRegex(other, /To use at/);
});

test.serial('who says no is told to the device, a code is of one server and answered once, and nobody guesses one', async (t) => {
  const { base, ada } = house;
  const jar: Jar = {};
  const first = await go(base, '/oauth2/device', jar);
  t.is(first.status, 303, 'who has not signed in does so first');
  const page = await signInAt(base, first, ada, jar);
  const csrf = hiddenOf(page, 'csrf');
  const answer = (user_code: string | undefined, named: string, path = '/oauth2/device', token = csrf) =>
    go(base, path, jar, { csrf: token, user_code: user_code ?? '', do: named });
  const device = await begin();
  t.is((await answer(device['user_code'], 'allow', '/oauth2/device', 'x')).status, 403);
  t.regex((await answer(device['user_code'], 'find', '/ops/oauth2/device')).body, /No device waits/);
  t.regex((await answer(device['user_code'], 'refuse')).body, /not connected/);
  t.is((await poll(device['device_code'])).said['error'], 'access_denied');
  t.regex((await answer(device['user_code'], 'allow')).body, /No device waits/, 'it was answered');
  let status = 200;
  for (let at = 0; at < 25 && status === 200; at++) status = (await answer('BCDFGHJK', 'find')).status;
  t.is(status, 429);
  t.true(house.codesSince(0).includes('STS-OAUTH-9105'));
  t.is((await answer((await begin())['user_code'], 'allow')).status, 429, 'and the right one is none of too many');
});
