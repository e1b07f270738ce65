import test from 'ava';
import { replaceValues } from '../flows/realms.ts';
import { addApplication, openHouse } from './house.ts';

interface Told {
  readonly issuer: string;
  readonly profile?: string;
  readonly enforced: number;
  readonly requirements: readonly {
    readonly section: string;
    readonly requirement: string;
    readonly enforced: string;
    readonly how: string;
  }[];
}

test('what RFC 9700, OAuth 2.1 and FAPI ask is answered from what is configured: a changed entry or setting is another answer', async (t) => {
  const house = await openHouse({ STS_OAUTH_CODE_TTL_S: '45', STS_OAUTH_ALGORITHM: 'ML-DSA-65', STS_OAUTH_ACCESS_TOKEN_TTL_S: '300' });
  t.teardown(() => house.atrium[Symbol.asyncDispose]());
  const { base, atrium } = house;
  const ask = async (name: string, server = ''): Promise<Told> => (await fetch(`${base}${server}/oauth2/${name}`)).json() as Promise<Told>;
  const of = async (name: string, about: RegExp, server = '') =>
    (await ask(name, server)).requirements.find(({ requirement }) => about.test(requirement)) ?? { enforced: 'absent', how: '' };

  for (const [name, least] of [
    ['rfc9700', 33],
    ['oauth21', 7],
    ['fapi', 24],
  ] as const) {
    const told = await ask(name);
    t.is(told.issuer, base);
    t.true(told.requirements.length >= least, name);
    t.is(told.enforced, told.requirements.filter(({ enforced }) => enforced === 'yes').length);
  }
  t.true((await of('rfc9700', /used once/)).how.includes('45 seconds'), 'a setting');
  t.true((await of('fapi', /RSA keys/)).how.includes('ML-DSA-65'));
  t.like(await of('fapi', /ten minutes/), { enforced: 'yes', how: 'oauth.accessTokenTtlS is 300 seconds' });
  t.like(await of('rfc9700', /framed/), { enforced: 'yes', how: "Content-Security-Policy: frame-ancestors 'none'" });
  t.is((await of('fapi', /nonce/)).enforced, 'no', 'what is not enforced is said');
  t.is((await of('rfc9700', /sent over TLS/)).enforced, 'no', 'this request came without');

  const app = await addApplication(house, 'bank');
  t.is((await ask('fapi')).profile, 'none');
  const bound = /sender-constrained$/;
  t.like(await of('rfc9700', bound), { enforced: 'no' });
  t.true((await of('rfc9700', bound)).how.includes('bank'));
  await replaceValues(atrium, app.dn, 'stsDpopBound', ['TRUE']);
  t.is((await of('rfc9700', bound)).enforced, 'yes');
  await addApplication(house, 'shop', { stsServer: 'ops' });
  t.is((await of('rfc9700', bound)).enforced, 'yes', 'of another server');
  t.is((await of('rfc9700', bound, '/ops')).enforced, 'partly');
  t.is((await ask('fapi', '/ops')).issuer, `${base}/ops`);
  t.is((await of('fapi', /approve/)).enforced, 'no');
  await replaceValues(atrium, app.dn, 'stsConsentRequired', ['TRUE']);
  t.is((await of('fapi', /approve/)).enforced, 'yes');
  t.is((await fetch(`${base}/oauth2/oauth2/rfc9700`)).status, 404, 'a name that no server can have');
});
