import type { ClientEntry } from '#client';
import { managementApi } from '#oauth';
import { clientAuthMethodOf, type GrantType, grantTypesOf } from '#policy';
import { html, type SafeHtml } from '#web';

interface Connecting {
  readonly entry: ClientEntry;
  /** Of the authorization servers that it may use, at least one. */
  readonly issuers: readonly string[];
  /** The management API, which an entry may name without its address. */
  readonly managed: string;
}

/** What of an entry matters to whoever writes the client. */
interface Client {
  readonly issuer: string;
  readonly issuers: readonly string[];
  readonly clientId: string;
  readonly grants: readonly GrantType[];
  readonly redirectUri: string;
  readonly method: string;
  readonly scope: string;
  readonly resources: readonly string[];
  readonly requirePar: boolean;
  readonly dpopBound: boolean;
}

/**
 * Ready configuration of an application, with this installation's own names and addresses: for each way in which its entry lets it have tokens, and for no
 * other.
 */
export function connectionsOf(given: Connecting): SafeHtml {
  const client = clientOf(given);
  const has = (grant: GrantType) => client.grants.includes(grant);
  const bySignIn = [
    ['openid-client (Node)', openidClient(client)],
    // What Apache's module does not do is not shown as if it did. That of Debian 12 (2.4.12) pushes no requests: Apache does not start where it is told to.
    ...(client.dpopBound || client.requirePar || client.method === 'private_key_jwt'
      ? []
      : [['mod_auth_openidc (Apache)', modAuthOpenidc(client)] as const]),
  ] as const;
  const all = [
    ['Any client', settingsOf(client)],
    ...(has('authorization_code') ? bySignIn : []),
    ...(has('client_credentials') ? [['A token of its own, by curl', ownToken(client)] as const] : []),
    ...(has('urn:ietf:params:oauth:grant-type:device_code') ? [['A device without a browser, by curl', device(client)] as const] : []),
  ] as const;
  return html`${all.map(([name, text]) => html`<h3>${name}</h3><pre tabindex="0"><code>${text}</code></pre>`)}`;
}

function clientOf({ entry, issuers, managed }: Connecting): Client {
  const grants = grantTypesOf(entry.all('stsGrantType'));
  const allowed = entry.all('stsAllowedScope');
  const isTrue = (attribute: string) => entry.one(attribute)?.toUpperCase() === 'TRUE';
  const signsIn = grants.some((grant) => grant !== 'client_credentials');
  const scopes = allowed.length === 0 ? ['profile', 'email'] : allowed.filter((each) => each !== 'openid');
  const resources = entry.all('stsAllowedResource').map((each) => (each === managementApi ? managed : each));
  const own = allowed.length === 0 && resources.includes(managed) ? ['admin:read', 'admin:write'] : allowed;
  return {
    issuer: issuers[0] ?? '',
    issuers,
    clientId: entry.one('stsClientId') ?? '',
    grants,
    redirectUri: entry.one('stsRedirectUri') ?? '',
    method: clientAuthMethodOf(entry.one('stsTokenEndpointAuthMethod')) ?? 'client_secret_basic',
    scope: (signsIn ? ['openid', ...scopes] : own).join(' '),
    resources,
    requirePar: isTrue('stsRequirePar'),
    dpopBound: isTrue('stsDpopBound'),
  };
}

function settingsOf({ issuers, clientId, grants, redirectUri, method, scope, resources, requirePar, dpopBound }: Client): string {
  const rows: readonly (readonly [string, string | readonly string[]])[] = [
    ['Issuer', issuers],
    ['Discovery', issuers.map((issuer) => `${issuer}/.well-known/openid-configuration`)],
    ['Client id', clientId],
    ['Authentication', method],
    ['Grants', grants],
    ['Redirect URI', grants.includes('authorization_code') ? redirectUri : ''],
    ['Scope', scope],
    ['Resource', resources],
    ['Requests', requirePar ? 'pushed first (RFC 9126)' : ''],
    ['Tokens', dpopBound ? 'bound to a key (DPoP, RFC 9449)' : ''],
  ];
  return rows
    .flatMap(([label, values]) =>
      [values].flat().flatMap((value, at) => (value === '' ? [] : [`${(at === 0 ? label : '').padEnd(16)}${value}`])),
    )
    .join('\n');
}

/** A text as a literal of JavaScript, and of Apache, has it. */
const quoted = (text: string) => JSON.stringify(text);

function openidClient({ issuer, clientId, redirectUri, method, scope, requirePar, dpopBound }: Client): string {
  const auth =
    method === 'none'
      ? 'oidc.None()'
      : method === 'client_secret_post'
        ? "oidc.ClientSecretPost('SECRET')"
        : method === 'private_key_jwt'
          ? 'oidc.PrivateKeyJwt(privateKey)'
          : "oidc.ClientSecretBasic('SECRET')";
  const insecure = issuer.startsWith('http:') ? ', { execute: [oidc.allowInsecureRequests] }' : '';
  const handle = dpopBound ? '\nconst DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair());' : '';
  const build = requirePar ? 'await oidc.buildAuthorizationUrlWithPAR' : 'oidc.buildAuthorizationUrl';
  return `import * as oidc from 'openid-client';

const config = await oidc.discovery(
  new URL(${quoted(issuer)}), ${quoted(clientId)}, undefined, ${auth}${insecure},
);${handle}
const verifier = oidc.randomPKCECodeVerifier();
const state = oidc.randomState();
const url = ${build}(config, {
  redirect_uri: ${quoted(redirectUri)},
  scope: ${quoted(scope)},
  code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
  state,
});
// Send the browser to url.href; where it comes back:
const tokens = await oidc.authorizationCodeGrant(config, currentUrl, {
  pkceCodeVerifier: verifier,
  expectedState: state,
}${dpopBound ? ', undefined, { DPoP }' : ''});
const person = tokens.claims();`;
}

function modAuthOpenidc({ issuer, clientId, redirectUri, method, scope }: Client): string {
  return [
    `OIDCProviderMetadataURL ${quoted(`${issuer}/.well-known/openid-configuration`)}`,
    `OIDCClientID ${quoted(clientId)}`,
    ...(method === 'none' ? [] : ['OIDCClientSecret "SECRET"']),
    `OIDCProviderTokenEndpointAuth ${method}`,
    `OIDCRedirectURI ${quoted(redirectUri)}`,
    `OIDCScope ${quoted(scope)}`,
    'OIDCPKCEMethod S256',
    'OIDCCryptoPassphrase "exec:/usr/bin/openssl rand -hex 32"',
    '<Location "/">',
    '  AuthType openid-connect',
    '  Require valid-user',
    '</Location>',
  ].join('\n');
}

/** A text as one word of a shell. */
const word = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** How curl shows who the application is. A key is nothing that a line of shell could show. */
function shown({ clientId, method }: Client): string {
  if (method === 'none') return `-d ${word(`client_id=${clientId}`)}`;
  if (method === 'client_secret_post') return `-d ${word(`client_id=${clientId}`)} -d client_secret=SECRET`;
  if (method === 'private_key_jwt')
    return '-d client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer -d client_assertion=JWT';
  return `-u ${word(`${clientId}:SECRET`)}`;
}

function ownToken(client: Client): string {
  const { issuer, scope, resources } = client;
  return [
    `curl ${shown(client)} ${word(`${issuer}/oauth2/token`)} -d grant_type=client_credentials`,
    ...resources.slice(0, 1).map((resource) => `  --data-urlencode ${word(`resource=${resource}`)}`),
    ...(scope === '' ? [] : [`  --data-urlencode ${word(`scope=${scope}`)}`]),
  ].join(' \\\n');
}

function device(client: Client): string {
  const { issuer, scope } = client;
  return `curl ${shown(client)} ${word(`${issuer}/oauth2/device_authorization`)} --data-urlencode ${word(`scope=${scope}`)}
# Show verification_uri and user_code; then, every \`interval\` seconds until there is a token:
curl ${shown(client)} ${word(`${issuer}/oauth2/token`)} \\
  -d grant_type=urn:ietf:params:oauth:grant-type:device_code -d device_code=DEVICE_CODE`;
}
