import type { ClientEntry } from '#client';
import { html, type SafeHtml } from '#web';

interface Connecting {
  readonly entry: ClientEntry;
  /** Of the realm's authorization server. */
  readonly issuer: string;
  /** Stands where the entry names no redirect URI. */
  readonly callback: string;
}

/** Ready configuration of an application, with this installation's own names and addresses: a library of Node, Apache, and what any other asks for. */
export function connectionsOf(given: Connecting): SafeHtml {
  const all = [
    ['Any client of OpenID Connect', settingsOf(given)],
    ['openid-client (Node)', openidClient(given)],
    ['mod_auth_openidc (Apache)', modAuthOpenidc(given)],
  ] as const;
  return html`${all.map(([name, text]) => html`<h3>${name}</h3><pre tabindex="0"><code>${text}</code></pre>`)}`;
}

function clientOf({ entry, issuer, callback }: Connecting) {
  const scopes = entry.all('stsAllowedScope');
  return {
    issuer,
    clientId: entry.one('stsClientId') ?? '',
    redirectUri: entry.one('stsRedirectUri') ?? `${callback}callback`,
    method: entry.one('stsTokenEndpointAuthMethod') ?? 'client_secret_basic',
    scope: ['openid', ...(scopes.length === 0 ? ['profile', 'email'] : scopes.filter((each) => each !== 'openid'))].join(' '),
  };
}

function settingsOf(given: Connecting): string {
  const { issuer, clientId, redirectUri, method, scope } = clientOf(given);
  return [
    `Issuer          ${issuer}`,
    `Discovery       ${issuer}/.well-known/openid-configuration`,
    `Client id       ${clientId}`,
    `Authentication  ${method}`,
    `Redirect URI    ${redirectUri}`,
    `Scope           ${scope}`,
  ].join('\n');
}

/** A text as a literal of JavaScript, and of Apache, has it. */
const quoted = (text: string) => JSON.stringify(text);

function openidClient(given: Connecting): string {
  const { issuer, clientId, redirectUri, method, scope } = clientOf(given);
  const auth =
    method === 'none'
      ? 'oidc.None()'
      : method === 'client_secret_post'
        ? "oidc.ClientSecretPost('SECRET')"
        : method === 'private_key_jwt'
          ? 'oidc.PrivateKeyJwt(privateKey)'
          : "oidc.ClientSecretBasic('SECRET')";
  const insecure = issuer.startsWith('http:') ? ', { execute: [oidc.allowInsecureRequests] }' : '';
  return `import * as oidc from 'openid-client';

const config = await oidc.discovery(
  new URL(${quoted(issuer)}), ${quoted(clientId)}, undefined, ${auth}${insecure},
);
const verifier = oidc.randomPKCECodeVerifier();
const state = oidc.randomState();
const url = oidc.buildAuthorizationUrl(config, {
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
});
const person = tokens.claims();`;
}

function modAuthOpenidc(given: Connecting): string {
  const { issuer, clientId, redirectUri, method, scope } = clientOf(given);
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
