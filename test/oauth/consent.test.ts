import test from 'ava';
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
