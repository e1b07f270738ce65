import type { ClientEntry } from '#client';
import { barOf, validityAttributes, validityOf } from '#holdings';
import { type SigningAlgorithm, signingAlgorithms } from '#keys';
import {
  type ClaimRow,
  type ClientAuthMethod,
  claimRowOf,
  clientAuthMethodOf,
  faultOfRedirectUri,
  type GrantType,
  grantTypesOf,
  type Mode,
  readKeySet,
} from '#policy';

/** An application as a client of OAuth 2.0, as its entry says at this moment. */
export interface Application {
  readonly dn: string;
  readonly entryUuid: string;
  /** Who holds the client id, entry and life: another entry under it, or the same one restored after it was deleted, is another holder. */
  readonly holder: string;
  readonly clientId: string;
  /** As people call it. */
  readonly name: string;
  readonly description?: string;
  /** At which people open it. */
  readonly url?: string;
  /** Disabled, or not at its time: nobody signs in to it, and its secret is refused. */
  readonly disabled: boolean;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  readonly grantTypes: readonly GrantType[];
  readonly responseTypes: readonly 'code'[];
  readonly authMethod: ClientAuthMethod;
  readonly jwks?: { readonly keys: readonly Readonly<Record<string, unknown>>[] };
  readonly jwksUri?: string;
  /** Origins whose pages may call the endpoints for it. */
  readonly corsOrigins: readonly string[];
  /** What it may ask for. */
  readonly scopes: readonly string[];
  /** Interfaces that it may have access tokens for (RFC 8707). */
  readonly resources: readonly string[];
  readonly requiredAcr?: string;
  /** DNs of groups; where there are none everybody may use it. */
  readonly allowedGroups: readonly string[];
  readonly idTokenAlgorithm?: SigningAlgorithm;
  readonly authorizationResponseAlgorithm?: SigningAlgorithm;
  readonly backchannelLogoutUri?: string;
  readonly backchannelLogoutSession: boolean;
  readonly consentRequired: boolean;
  readonly refuseEmailFactor: boolean;
  /** Named authorization servers that it may use, and no other issuer; where there are none all of its realm. */
  readonly servers: readonly string[];
  readonly requirePar: boolean;
  readonly dpopBound: boolean;
  readonly requireSignedRequest: boolean;
  /** What scopes tell it beside what they tell anybody. */
  readonly claims: readonly ClaimRow[];
}

/** What an application may ask for that does not say. */
export const standingScopes: readonly string[] = ['openid', 'profile', 'email', 'phone', 'address', 'groups', 'offline_access'];

/** What is asked of an entry to know its application. */
export const applicationAttributes: readonly string[] = [
  ...[
    'entryUUID',
    'stsRestoredTime',
    'cn',
    'description',
    'stsApplicationUrl',
    'stsClientId',
    'stsRedirectUri',
    'stsPostLogoutRedirectUri',
    'stsGrantType',
  ],
  ...['stsTokenEndpointAuthMethod', 'stsJwks', 'stsJwksUri', 'appCorsOrigin', 'stsAllowedScope', 'stsAllowedResource', 'stsRequiredAcr'],
  ...['stsAllowedGroup', 'stsIdTokenAlgorithm', 'stsAuthorizationResponseAlgorithm', 'stsBackchannelLogoutUri'],
  ...['stsBackchannelLogoutSession', 'stsConsentRequired', 'stsRefuseEmailFactor', 'stsServer', 'stsRequirePar', 'stsDpopBound'],
  ...['stsRequireSignedRequest', 'stsClaim', ...validityAttributes],
];

/**
 * The application of an entry; `undefined` for one that is none. What the directory would not take now, as an address without TLS of a realm that was in
 * development mode, is left out.
 */
export function applicationOf(entry: ClientEntry, mode: Mode, nowMs: number): Application | undefined {
  const [entryUuid, clientId] = [entry.one('entryUUID'), entry.one('stsClientId')];
  if (entryUuid === undefined || clientId === undefined) return undefined;
  const flag = (attribute: string, otherwise = false) =>
    (entry.one(attribute)?.toUpperCase() ?? String(otherwise).toUpperCase()) === 'TRUE';
  const addresses = (attribute: string) => entry.all(attribute).filter((value) => faultOfRedirectUri(value, mode) === undefined);
  const algorithm = (attribute: string) => signingAlgorithms.find((each) => each === entry.one(attribute));
  const grantTypes = grantTypesOf(entry.all('stsGrantType'));
  const keys = readKeySet(entry.one('stsJwks') ?? '');
  const scopes = entry.all('stsAllowedScope');
  const validity = validityOf((name) => entry.one(name));
  return {
    dn: entry.dn,
    entryUuid,
    holder: [entryUuid, ...entry.all('stsRestoredTime')].join(' '),
    clientId,
    name: entry.one('cn') ?? clientId,
    ...given('description', entry.one('description')),
    ...given('url', entry.one('stsApplicationUrl')),
    disabled: barOf(validity, nowMs) !== undefined,
    redirectUris: addresses('stsRedirectUri'),
    postLogoutRedirectUris: addresses('stsPostLogoutRedirectUri'),
    grantTypes,
    responseTypes: grantTypes.includes('authorization_code') ? ['code'] : [],
    authMethod: clientAuthMethodOf(entry.one('stsTokenEndpointAuthMethod')),
    ...given('jwks', keys && { keys }),
    ...given('jwksUri', entry.one('stsJwksUri')),
    corsOrigins: entry.all('appCorsOrigin'),
    scopes: scopes.length === 0 ? standingScopes : scopes,
    resources: entry.all('stsAllowedResource'),
    ...given('requiredAcr', entry.one('stsRequiredAcr')),
    allowedGroups: entry.all('stsAllowedGroup'),
    ...given('idTokenAlgorithm', algorithm('stsIdTokenAlgorithm')),
    ...given('authorizationResponseAlgorithm', algorithm('stsAuthorizationResponseAlgorithm')),
    ...given('backchannelLogoutUri', entry.one('stsBackchannelLogoutUri')),
    backchannelLogoutSession: flag('stsBackchannelLogoutSession', true),
    consentRequired: flag('stsConsentRequired'),
    refuseEmailFactor: flag('stsRefuseEmailFactor'),
    servers: entry.all('stsServer'),
    requirePar: flag('stsRequirePar'),
    dpopBound: flag('stsDpopBound'),
    requireSignedRequest: flag('stsRequireSignedRequest'),
    claims: entry.all('stsClaim').flatMap((value) => claimRowOf(value) ?? []),
  };
}

function given<Name extends string, Value>(name: Name, value: Value | undefined) {
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value };
}
