import test from 'ava';
import * as oidc from 'openid-client';
import type { Browser } from 'playwright-core';
import { inspect, launch, openContext, typeIn } from '../flows/browser.ts';
import { attributeOf, setAttribute } from '../flows/mailed.ts';
import { asAdministrator } from '../flows/people.ts';
import { hiddenOf } from '../flows/raw.ts';
import { addApplication, back, configure, exchange, go, type Jar, type OauthHouse, openHouse, request, signIn, signInAt } from './house.ts';

let house: OauthHouse;
let browser: Browser;

test.before(async () => {
  [house, browser] = await Promise.all([openHouse(), launch()]);
});

test.after.always(async () => {
  await browser?.close();
  await house?.atrium[Symbol.asyncDispose]();
});

test.serial(
  'an application that needs consent: asked once after the sign-in, kept at the person’s entry, and asked again for more',
  async (t) => {
    const { base, ada, atrium } = house;
    const notes = await addApplication(house, 'notes', { stsConsentRequired: 'TRUE', description: 'Notes <taken> at customers' });
    const config = await configure(base, notes);
    const jar: Jar = {};
    const flow = request(config, { scope: 'openid email' });
    const asked = await signInAt(base, await go(base, flow.url.href, jar), ada, jar);
    t.regex(asked.location, /\/oauth2\/consent\?authn=/);
    const page = await go(base, asked.location, jar);
    t.is(page.status, 200);
    for (const words of ['Allow notes?', 'Notes &lt;taken&gt; at customers', 'your mail address', back])
      t.true(page.body.includes(words), words);
    const form = { authn: hiddenOf(page, 'authn'), csrf: hiddenOf(page, 'csrf') };
    t.is((await go(base, '/oauth2/consent', jar, { ...form, csrf: 'x', do: 'allow' })).status, 403);
    t.is((await go(base, '/oauth2/consent', {}, { ...form, do: 'allow' })).status, 403, 'nobody else answers it');
    const resumed = await go(base, '/oauth2/consent', jar, { ...form, do: 'allow' });
    t.is(resumed.status, 303);
    const tokens = await exchange(config, flow, (await go(base, resumed.location, jar)).location);
    t.is(tokens.claims()?.['sub'], `urn:uuid:${(await attributeOf(atrium, ada.dn, 'entryUUID'))[0]}`);
    const [kept] = await attributeOf(atrium, ada.dn, 'stsConsent');
    t.like(JSON.parse(kept ?? ''), { client: 'notes', scopes: ['openid', 'email'] });
    t.is((await go(base, '/oauth2/consent', jar, { ...form, do: 'allow' })).status, 410, 'of two answers one counts');
    t.true(house.codesSince(0).includes('STS-OAUTH-9103'));

    const again = await signIn(house, config, { scope: 'openid email' }, jar);
    t.true(again.answer.location.startsWith(back), 'what was allowed is not asked again');
    const more = await go(base, request(config, { scope: 'openid email groups' }).url.href, jar);
    t.regex(more.location, /\/oauth2\/consent/);
    const question = await go(base, more.location, jar);
    const no = { authn: hiddenOf(question, 'authn'), csrf: hiddenOf(question, 'csrf'), do: 'cancel' };
    const denied = await go(base, (await go(base, '/oauth2/consent', jar, no)).location, jar);
    t.is(new URL(denied.location).searchParams.get('error'), 'access_denied');
    t.is(new URL(denied.location).origin + new URL(denied.location).pathname, back);
  },
);

test.serial('RFC 8707: whoever is asked for their consent is told at which resources it would be used', async (t) => {
  const { base, ada } = house;
  const api = 'https://reports.example.com/api?a=1&b=2';
  const more = {
    stsConsentRequired: 'TRUE',
    stsAllowedResource: [api, 'urn:atrium:admin-api'],
    stsAllowedScope: ['openid', 'admin:read', 'reports'],
  };
  const config = await configure(base, await addApplication(house, 'reporter', more));
  const pageFor = async (...resources: readonly string[]) => {
    const { url } = request(config, { scope: 'openid admin:read reports' });
    for (const each of resources) url.searchParams.append('resource', each);
    const jar: Jar = {};
    const asked = await signInAt(base, await go(base, url.href, jar), ada, jar);
    return (await go(base, asked.location, jar)).body;
  };
  const told = (body: string) => [...body.matchAll(/<dt>To use at<\/dt><dd>([^<]*)<\/dd>/g)].map(([, where]) => where);
  t.deepEqual(told(await pageFor()), []);
  const written = api.replace('&', '&amp;');
  t.deepEqual(told(await pageFor(api, `${base}/admin-api`)), [written, `the management API of this service, ${base}/admin-api`]);
});

test.serial('RFC 8707: a consent counts at the resource for which it was given, and is withdrawn there', async (t) => {
  const { base, atrium, ada } = house;
  const [films, books] = ['https://films.example.com', 'https://books.example.com'];
  const app = await addApplication(house, 'media', {
    stsConsentRequired: 'TRUE',
    stsAllowedResource: [films, books],
    stsAllowedScope: ['openid', 'read', 'offline_access'],
  });
  const config = await configure(base, app);
  const jar: Jar = {};
  const scope = 'openid read offline_access';
  /** The answer, with a consent where one is asked for. */
  const ask = async (more: Readonly<Record<string, string>>) => {
    const flow = request(config, more);
    const led = await go(base, flow.url.href, jar);
    const met = led.location.includes('/authn/login') ? await signInAt(base, led, ada, jar) : led;
    if (!met.location.includes('/oauth2/consent')) return { asked: undefined, tokens: await exchange(config, flow, met.location) };
    const page = await go(base, met.location, jar);
    const form = { authn: hiddenOf(page, 'authn'), csrf: hiddenOf(page, 'csrf'), do: 'allow' };
    const resumed = await go(base, '/oauth2/consent', jar, form);
    return { asked: page.body, tokens: await exchange(config, flow, (await go(base, resumed.location, jar)).location) };
  };
  const first = await ask({ scope, resource: films });
  t.regex(first.asked ?? '', /At https:\/\/films\.example\.com:<\/p><ul><li>what it calls “read”<\/li><\/ul>/);
  t.is((await ask({ scope, resource: films })).asked, undefined, 'asked once');
  t.truthy((await ask({ scope: 'openid read', resource: books })).asked, 'for another resource it is another question');
  const kept = (await attributeOf(atrium, ada.dn, 'stsConsent'))
    .map((value) => JSON.parse(value))
    .filter(({ client }) => client === 'media');
  t.deepEqual(Object.fromEntries(kept.map(({ resource = '', scopes }) => [resource, scopes])), {
    '': ['openid', 'offline_access'],
    [films]: ['read'],
    [books]: ['read'],
  });
  const second = await ask({ scope, resource: books });
  t.is(second.asked, undefined);

  const page = await go(base, '/portal/consents', jar);
  for (const each of [films, books]) t.true(page.body.includes(`To use at ${each}`));
  const withdrawal = { csrf: hiddenOf(page, 'csrf'), client: 'media', resource: films };
  t.is((await go(base, '/portal/consents', jar, withdrawal)).location, '/portal/consents?done=withdrawn');
  const isGood = async (token: unknown) => (await oidc.tokenIntrospection(config, String(token))).active;
  t.false(await isGood(first.tokens.refresh_token));
  t.true(await isGood(second.tokens.refresh_token), 'what stands on the other consents stays');
  t.truthy((await ask({ scope, resource: films })).asked);
  // By whatever door it is taken back.
  const values = (await attributeOf(atrium, ada.dn, 'stsConsent')).filter((value) => JSON.parse(value).resource !== books);
  await setAttribute(atrium, ada.dn, 'stsConsent', values);
  t.false(await isGood(second.tokens.refresh_token));
});

test.serial('a consent is nothing to another application under the client id', async (t) => {
  const { base, ada, atrium } = house;
  const make = () => addApplication(house, 'remade', { stsConsentRequired: 'TRUE' });
  const { dn } = await make();
  const [entry] = await attributeOf(atrium, dn, 'entryUUID');
  await setAttribute(atrium, ada.dn, 'stsConsent', [JSON.stringify({ client: 'remade', entry, scopes: ['openid'], atMs: 1 })]);
  const jar: Jar = {};
  await signIn(house, await configure(base, { clientId: 'remade', dn, secret: 'Secret-of-remade-1234' }), {}, jar);
  await asAdministrator(atrium, (client) => client.del(dn));
  const config = await configure(base, await make());
  t.regex((await go(base, request(config).url.href, jar)).location, /\/oauth2\/consent/);
  t.true((await go(base, '/portal/consents', jar)).body.includes('An application that is no longer there (remade)'));
});

test.serial('a consent that the directory does not let its person keep is none, and nothing is told', async (t) => {
  const { base, ada, atrium } = house;
  const config = await configure(base, await addApplication(house, 'barred', { stsConsentRequired: 'TRUE' }));
  const rule = `cn=no consents,ou=accessRules,${atrium.suffix}`;
  await asAdministrator(atrium, (client) =>
    client.add(rule, {
      ...{ objectClass: 'stsAccessRule', cn: 'no consents', stsRuleOrder: '1', stsRuleEffect: 'deny' },
      ...{ stsRuleWho: 'self', stsRuleRight: 'write', stsRuleAttribute: 'stsConsent' },
    }),
  );
  const jar: Jar = {};
  const asked = await signInAt(base, await go(base, request(config).url.href, jar), ada, jar);
  const page = await go(base, asked.location, jar);
  const answer = await go(base, '/oauth2/consent', jar, { authn: hiddenOf(page, 'authn'), csrf: hiddenOf(page, 'csrf'), do: 'allow' });
  t.is(answer.status, 403);
  t.is(house.codesSince(0).at(-1), 'STS-OAUTH-9104');
  await asAdministrator(atrium, (client) => client.del(rule));
});

test.serial('a consent that is withdrawn takes with it what was given, and the application asks again', async (t) => {
  const { base, atrium, ada } = house;
  const app = await addApplication(house, 'offline', { stsConsentRequired: 'TRUE' });
  await setAttribute(atrium, ada.dn, 'stsConsent', [JSON.stringify({ client: 'offline', scopes: ['openid', 'offline_access'], atMs: 1 })]);
  const config = await configure(base, app);
  const { tokens } = await signIn(house, config, { scope: 'openid offline_access' });
  const userinfo = async () =>
    (await fetch(`${base}/oauth2/userinfo`, { headers: { Authorization: `Bearer ${tokens.access_token}` } })).status;
  t.is(await userinfo(), 200);
  await setAttribute(atrium, ada.dn, 'stsConsent', []);
  t.is(await userinfo(), 401);
});

test.serial('the consent page in a browser, at two widths, and the way back through it', async (t) => {
  const { base, ada } = house;
  const pay = await addApplication(house, 'Pay', { stsConsentRequired: 'TRUE', stsRedirectUri: `${base}/portal/signed-out` });
  const config = await configure(base, pay);
  const page = await (await openContext(t, browser)).newPage();
  await page.goto(request(config, { scope: 'openid profile phone', redirect_uri: `${base}/portal/signed-out` }).url.href);
  await typeIn(page, ada.uid, ada.password);
  t.is(await page.textContent('h1'), 'Allow Pay?');
  await inspect(t, page, 'oauth-consent');
  await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Allow', exact: true }).click()]);
  t.true(new URL(page.url()).searchParams.has('code') || new URL(page.url()).pathname.startsWith('/portal'), page.url());
});
