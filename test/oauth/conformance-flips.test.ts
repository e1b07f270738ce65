import test from 'ava';
import { type Application, standingScopes } from '../../src/oauth/applications/application.ts';
import { type FactsGiven, factsOf } from '../../src/oauth/conformance/facts.ts';
import { fapiBaseline } from '../../src/oauth/conformance/fapi.ts';
import { oauth21 } from '../../src/oauth/conformance/oauth21.ts';
import { rfc9700 } from '../../src/oauth/conformance/rfc9700.ts';

const application: Application = {
  ...{
    dn: 'cn=app',
    entryUuid: 'u',
    holder: 'u',
    clientId: 'app',
    name: 'app',
    disabled: false,
    postLogoutRedirectUris: [],
    responseTypes: ['code'],
  },
  ...{
    redirectUris: ['https://app.example.com/back'],
    grantTypes: ['authorization_code', 'refresh_token'],
    authMethod: 'client_secret_basic',
  },
  ...{ corsOrigins: [], scopes: standingScopes, resources: [], allowedGroups: [], servers: [], claims: [], backchannelLogoutSession: true },
  ...{ consentRequired: false, refuseEmailFactor: false, requirePar: false, dpopBound: false, requireSignedRequest: false },
};

const given: FactsGiven = {
  issuer: {
    realm: { id: 'default', mode: 'product' },
    server: '',
    path: '',
    url: 'https://id.example.com',
  } as unknown as FactsGiven['issuer'],
  ...{ isProtected: true, algorithm: 'ES256', codeTtlS: 60, accessTokenTtlS: 600, publicBaseUrl: '', applications: [application] },
};

/** What each name stands for that a row may name, changed. */
const flips: Readonly<Record<string, Partial<FactsGiven>>> = {
  'oauth.accessTokenTtlS': { accessTokenTtlS: 300 },
  'global.publicBaseUrl': { publicBaseUrl: 'https://id.example.com' },
  stsAllowedScope: { applications: [{ ...application, scopes: ['openid'] }] },
  stsAllowedResource: { applications: [{ ...application, resources: ['https://api.example.com'] }] },
  stsConsentRequired: { applications: [{ ...application, consentRequired: true }] },
  stsDpopBound: { applications: [{ ...application, dpopBound: true }] },
  stsRedirectUri: { applications: [{ ...application, redirectUris: ['https://app.example.com/back', 'https://app.example.com/other'] }] },
  stsRequiredAcr: { applications: [{ ...application, requiredAcr: 'mfa' }] },
  stsServer: { applications: [{ ...application, servers: [''] }] },
};

const documents = { rfc9700, oauth21, fapiBaseline };

test('a row of a document is another one when what it names is set otherwise', (t) => {
  const named = new Set<string>();
  for (const [document, rows] of Object.entries(documents)) {
    for (const { section, requirement, judge } of rows) {
      const before = judge(factsOf(given));
      for (const name of before.how.match(/\b(?:(?:oauth|global)\.\w+|sts[A-Z]\w+)/g) ?? []) {
        const flip = flips[name];
        named.add(name);
        if (flip === undefined) t.fail(`${document} ${section}: nobody tries ${name}`);
        else t.notDeepEqual(judge(factsOf({ ...given, ...flip })), before, `${document} ${section}, ${requirement}: ${name}`);
      }
    }
  }
  t.deepEqual([...named].sort(), Object.keys(flips).sort(), 'every name is tried');
});

test('what is not enforced is said: tokens that a sign-out leaves, an application of every server, an address that is another for a proxy', (t) => {
  const of = (rows: typeof rfc9700, about: RegExp, changed: Partial<FactsGiven> = {}) =>
    rows.find(({ requirement }) => about.test(requirement))?.judge(factsOf({ ...given, ...changed }));
  const bound = { applications: [{ ...application, scopes: ['openid'] }] };
  t.like(of(rfc9700, /with a sign-out/), { enforced: 'no' });
  t.like(of(rfc9700, /with a sign-out/, bound), { enforced: 'yes' });
  t.like(of(fapiBaseline, /can revoke/), { enforced: 'no' });
  t.like(of(fapiBaseline, /can revoke/, flips['stsConsentRequired']), { enforced: 'yes' });
  t.like(of(rfc9700, /Mix-up/), { enforced: 'no' });
  t.like(of(rfc9700, /Mix-up/, flips['stsServer']), { enforced: 'yes' });
});
