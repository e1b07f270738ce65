import { signingAlgorithms } from '#keys';
import type { PolicyFault } from './authn-policy.ts';
import { type ClaimRow, claimRowOf, reservedClaims } from './claim-row.ts';
import type { Mode } from './mode.ts';

/** What an application may be given tokens for. The implicit grant and that of passwords do not exist (RFC 9700 §2.1.2, §2.4). */
export const grantTypes = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'urn:ietf:params:oauth:grant-type:device_code',
] as const;
/** Those of them in which a person signs in. */
export const signInGrants: readonly GrantType[] = ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'];
export type GrantType = (typeof grantTypes)[number];

/** How an application shows who it is at the token endpoint. A secret is judged and never read, so that nothing can be keyed by it (`client_secret_jwt`). */
export const clientAuthMethods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;
export type ClientAuthMethod = (typeof clientAuthMethods)[number];

/** The entry's values of an attribute, by its name in lower case. */
type Values = (attribute: string) => readonly string[];

const responseTypes = ['code'];
/** Classes of authentication that a sign-in can reach. */
const acrWords = ['1', 'mfa', 'hwk', 'phr', 'phrh'];

/**
 * What nobody can have meant with the entry of an application, for the directory to refuse when it is written.
 *
 * @returns the first fault; `undefined` where there is none
 * @see RFC 6749, RFC 8252 §7, RFC 9700 §2.1
 */
export function faultOfApplication(values: Values, mode: Mode): PolicyFault | undefined {
  return (
    faultOfEach('stsClientId', values, faultOfClientId) ??
    faultOfEach('stsGrantType', values, among(grantTypes)) ??
    faultOfEach('stsResponseType', values, among(responseTypes)) ??
    faultOfEach('stsTokenEndpointAuthMethod', values, among(clientAuthMethods)) ??
    faultOfEach('stsIdTokenAlgorithm', values, among(signingAlgorithms)) ??
    faultOfEach('stsAuthorizationResponseAlgorithm', values, among(signingAlgorithms)) ??
    faultOfEach('stsRequiredAcr', values, among(acrWords)) ??
    faultOfEach('stsRedirectUri', values, (value) => faultOfRedirectUri(value, mode)) ??
    faultOfEach('stsPostLogoutRedirectUri', values, (value) => faultOfRedirectUri(value, mode)) ??
    faultOfEach('stsBackchannelLogoutUri', values, (value) => faultOfEndpoint(value, mode)) ??
    faultOfEach('stsJwksUri', values, (value) => faultOfEndpoint(value, mode)) ??
    faultOfEach('appCorsOrigin', values, (value) => faultOfOrigin(value, mode)) ??
    faultOfEach('stsAllowedScope', values, faultOfScope) ??
    faultOfEach('stsAllowedResource', values, faultOfResource) ??
    faultOfEach('stsServer', values, faultOfServer) ??
    faultOfEach('stsJwks', values, faultOfKeys) ??
    faultOfEach('stsClaim', values, faultOfClaim) ??
    faultOfWhole(values)
  );
}

/** How an application shows who it is. One that does not say shows a secret (RFC 7591 §2): who takes the secret away does not open the door. */
export function clientAuthMethodOf(said: string | undefined): ClientAuthMethod {
  return clientAuthMethods.find((each) => each === said) ?? 'client_secret_basic';
}

/** RFC 9700 §4.15: in a token of its own an application's id is its `sub`, which must not be read as a person's. */
function faultOfClientId(value: string): string | undefined {
  if (!/^[!-~]{1,128}$/.test(value)) return 'it is 1 to 128 visible ASCII characters';
  return /^urn:uuid:/i.test(value) ? 'what people are called in tokens begins with urn:uuid:' : undefined;
}

/** What an application may do; by default what people sign in to does. */
export function grantTypesOf(said: readonly string[]): readonly GrantType[] {
  return said.length === 0 ? ['authorization_code', 'refresh_token'] : grantTypes.filter((each) => said.includes(each));
}

/** Addresses that are those of this machine (RFC 8252 §7.3). */
const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What is wrong with an address to which a browser is sent back, in words. */
export function faultOfRedirectUri(value: string, mode: Mode): string | undefined {
  const url = URL.canParse(value) && new URL(value);
  if (!url) return `${shown(value)} is no absolute address`;
  // RFC 6749 §3.1.2, RFC 9700 §2.1: compared character by character, so that nothing in it may stand for something else.
  if (value.includes('#')) return `${shown(value)} has a fragment`;
  if (url.username !== '' || url.password !== '') return `${shown(value)} has a name or a password in it`;
  if (value.includes('*')) return `${shown(value)}: an address is meant as it is written, so that a * stands for nothing`;
  if (url.protocol === 'https:') return undefined;
  if (url.protocol === 'http:') {
    if (mode === 'development' || loopbackHosts.has(url.hostname)) return undefined;
    return `${shown(value)}: it is https, or http of this machine (127.0.0.1, [::1], localhost)`;
  }
  // RFC 8252 §7.1: a scheme of one's own is a domain of one's own backwards. javascript: and data: are none.
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol)
    ? undefined
    : `${shown(value)}: a scheme of one's own is named after a domain, as com.example.app:/back`;
}

/** An address that this service calls by itself. */
function faultOfEndpoint(value: string, mode: Mode): string | undefined {
  const url = URL.canParse(value) && new URL(value);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return `${shown(value)} is no https address`;
  if (value.includes('#')) return `${shown(value)} has a fragment`;
  if (url.username !== '' || url.password !== '') return `${shown(value)} has a name or a password in it`;
  const isFit = url.protocol === 'https:' || mode === 'development' || loopbackHosts.has(url.hostname);
  return isFit ? undefined : `${shown(value)}: it is https, or http of this machine`;
}

function faultOfOrigin(value: string, mode: Mode): string | undefined {
  const url = URL.canParse(value) && new URL(value);
  if (!url || url.origin !== value) return `${shown(value)} is no origin: scheme, host and port alone, as https://app.example.com`;
  const isFit = url.protocol === 'https:' || (url.protocol === 'http:' && (mode === 'development' || loopbackHosts.has(url.hostname)));
  return isFit ? undefined : `${shown(value)}: it is https, or http of this machine`;
}

/** RFC 6749 §3.3: scope-token. */
function faultOfScope(value: string): string | undefined {
  return /^[!#-[\]-~]{1,128}$/.test(value) ? undefined : `${shown(value)} is not one scope: a value names one, without spaces`;
}

/** RFC 8707 §2. */
function faultOfResource(value: string): string | undefined {
  if (!URL.canParse(value)) return `${shown(value)} is no absolute URI`;
  return value.includes('#') ? `${shown(value)} has a fragment` : undefined;
}

function faultOfServer(value: string): string | undefined {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(value)
    ? undefined
    : `${shown(value)} is no name of an authorization server: letters, digits, dots, hyphens and underscores, 63 at most`;
}

/** Members of a JWK that are secret (RFC 7518 §6, RFC 8037, RFC 9964). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];
const keysMax = 32;

/** RFC 7517 §5. */
function faultOfKeys(value: string): string | undefined {
  const read = readKeySet(value);
  if (read === undefined) return 'it is JSON as RFC 7517 §5 has it: {"keys":[…]}';
  if (read.length === 0 || read.length > keysMax) return `it has 1 to ${keysMax} keys`;
  if (read.some((key) => typeof key['kty'] !== 'string')) return 'a key of it does not say what it is (kty)';
  // Whoever reads the entry would have it.
  return read.some((key) => privateMembers.some((member) => member in key))
    ? 'it holds a private key: only the public ones belong here'
    : undefined;
}

/** The keys of a JSON Web Key Set; `undefined` for what is none. */
export function readKeySet(value: string): readonly Readonly<Record<string, unknown>>[] | undefined {
  try {
    const read: unknown = JSON.parse(value);
    if (typeof read !== 'object' || read === null || !('keys' in read) || !Array.isArray(read.keys)) return undefined;
    const keys: unknown[] = read.keys;
    return keys.every((key) => typeof key === 'object' && key !== null && !Array.isArray(key))
      ? (keys as Readonly<Record<string, unknown>>[])
      : undefined;
  } catch {
    return undefined;
  }
}

/** What a scope tells of people: entries of a realm have the same rows as applications. */
export function faultOfClaim(value: string): string | undefined {
  const row: ClaimRow | undefined = claimRowOf(value);
  if (row === undefined) return `${shown(value)} is not a scope, a claim and an attribute with a space between each`;
  return reservedClaims.has(row.claim) ? `${row.claim} is said by this service itself` : undefined;
}

/** What does not go together. */
function faultOfWhole(values: Values): PolicyFault | undefined {
  const grants = grantTypesOf(values('stsgranttype'));
  const method = clientAuthMethodOf(values('ststokenendpointauthmethod')[0]);
  const [keys, keysUri, redirects] = [values('stsjwks'), values('stsjwksuri'), values('stsredirecturi')];
  if (grants.includes('authorization_code') && redirects.length === 0)
    return { attribute: 'stsRedirectUri', why: 'who signs people in (authorization_code) names an address to send them back to' };
  if (grants.includes('refresh_token') && grants.length === 1)
    return { attribute: 'stsGrantType', why: 'refresh_token alone gives nothing: name the grant that the first token comes by' };
  if (grants.includes('client_credentials') && method === 'none')
    return { attribute: 'stsGrantType', why: 'client_credentials is for an application that can show who it is, by a secret or a key' };
  if (method === 'private_key_jwt' && keys.length === 0 && keysUri.length === 0)
    return { attribute: 'stsTokenEndpointAuthMethod', why: 'private_key_jwt takes stsJwks or stsJwksUri' };
  if (keys.length > 0 && keysUri.length > 0) return { attribute: 'stsJwksUri', why: 'its keys are named in one place, here or in stsJwks' };
  if (values('stsrequiresignedrequest')[0]?.toUpperCase() === 'TRUE' && keys.length === 0 && keysUri.length === 0)
    return { attribute: 'stsRequireSignedRequest', why: 'signed requests take stsJwks or stsJwksUri' };
  const own = method === 'none' ? undefined : redirects.find((each) => !/^https?:/i.test(each));
  if (own !== undefined)
    return { attribute: 'stsRedirectUri', why: `${shown(own)}: a scheme of one's own is for an application without a secret (none)` };
  return undefined;
}

function faultOfEach(attribute: string, values: Values, fault: (value: string) => string | undefined): PolicyFault | undefined {
  const all = values(attribute.toLowerCase());
  if (all.length > valuesMax) return { attribute, why: `it has ${valuesMax} values at most` };
  for (const value of all) {
    const why = fault(value);
    if (why !== undefined) return { attribute, why };
  }
  return undefined;
}

const valuesMax = 100;

function among(words: readonly string[]) {
  return (value: string) => (words.includes(value) ? undefined : `${shown(value)} is none of ${words.join(', ')}`);
}

const shownLengthMax = 80;

/** A word that came from outside, short and on one line. */
function shown(word: string): string {
  const line = word.replace(/\p{Cc}/gu, '?');
  return line.length > shownLengthMax ? `${line.slice(0, shownLengthMax)}…` : line === '' ? 'empty' : line;
}
