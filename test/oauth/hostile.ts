import { createHash, randomUUID } from 'node:crypto';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { ExecutionContext } from 'ava';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import type * as oidc from 'openid-client';
import { addApplication, back, configure, type Jar, type OauthHouse, openHouse, request, signIn, type TestApplication } from './house.ts';

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
}

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What is sent; the status, and the error in the protocol's words or what else the answer has to show; the codes of the audit trail. */
export type Case = readonly [rule: string, sent: Sent, status: number, says: string | RegExp, ...codes: string[]];

export let house: OauthHouse;
export let web: TestApplication;
export let config: oidc.Configuration;
export let jar: Jar;
export let tokens: Awaited<ReturnType<typeof signIn>>['tokens'];
export let signed: (claims: JWTPayload, head?: object) => Promise<string>;
export const secret = 'Colon:and%percent+1234';
export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
export const isForm = { 'content-type': 'application/x-www-form-urlencoded' };
export const nowS = () => Math.floor(Date.now() / 1000);

/** Opens the house, with applications of every kind and somebody who has signed in to one. */
export async function openHostile(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  house = await openHouse(settings);
  web = await addApplication(house, 'web-app', { stsPostLogoutRedirectUri: 'https://app.example.com/out' });
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const stsJwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }] });
  const grants = ['authorization_code', 'refresh_token', 'client_credentials', 'urn:ietf:params:oauth:grant-type:device_code'];
  await addApplication(house, 'signs', { stsTokenEndpointAuthMethod: 'private_key_jwt', stsJwks, stsGrantType: grants });
  await addApplication(house, 'acts', { userPassword: secret, stsGrantType: grants });
  await addApplication(house, 'native', {
    stsTokenEndpointAuthMethod: 'none',
    stsRedirectUri: ['http://127.0.0.1/cb', 'com.example.app:/cb'],
  });
  signed = (claims, head = {}) => new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k1', ...head }).sign(privateKey);
  config = await configure(house.base, web);
  ({ jar, tokens } = await signIn(house, config));
}

export function send({ method = 'GET', path, headers = {}, body = '' }: Sent): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(house.base);
    const length = method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const call = httpRequest({ hostname, port, path, method, headers: { ...length, ...headers } as Record<string, string> });
    call.on('error', reject).on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }));
    });
    call.end(body);
  });
}

export const query = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields).toString();
export const post = (path: string, body: Sent['body'] = '', headers: Sent['headers'] = {}): Sent => ({
  method: 'POST',
  path,
  headers: { ...isForm, ...headers },
  body,
});
export const basic = (id: string, given: string) => ({ authorization: `Basic ${Buffer.from(`${id}:${given}`).toString('base64')}` });
export const acts = () => basic('acts', encodeURIComponent(secret));
export const token = (body: Sent['body'], headers: Sent['headers'] = acts()) => post('/oauth2/token', body, headers);
export const cookie = () => ({
  cookie: Object.entries(jar)
    .map(([name, value]) => `${name}=${value}`)
    .join('; '),
});
/** An authorization request of somebody who is signed in. */
export const asking = (more: Readonly<Record<string, string>> = {}, leftOut: readonly string[] = [], behind = ''): Sent => {
  const { url } = request(config, more);
  for (const name of leftOut) url.searchParams.delete(name);
  return { path: url.pathname + url.search + behind, headers: cookie() };
};
export const byAssertion = async (changed: JWTPayload = {}, head: object = {}) =>
  query({
    grant_type: 'client_credentials',
    client_assertion_type: assertionType,
    client_assertion: await signed(
      { iss: 'signs', sub: 'signs', aud: house.base, jti: randomUUID(), exp: nowS() + 60, ...changed } as JWTPayload,
      head,
    ),
  });
export const requestObject = (changed: object = {}) =>
  signed({
    ...{ client_id: 'signs', redirect_uri: back, response_type: 'code', scope: 'openid', iss: 'signs', aud: house.base, exp: nowS() + 60 },
    ...{ code_challenge: createHash('sha256').update('x'.repeat(43)).digest('base64url'), code_challenge_method: 'S256' },
    ...changed,
  } as JWTPayload);
export const bySigned = async (changed: object): Promise<Sent> => ({
  path: `/oauth2/authorize?${query({ client_id: 'signs', request: await requestObject(changed) })}`,
  headers: cookie(),
});
export const unsigned = (claims: object) =>
  `${[{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;

/** The error that an answer names: in JSON, on the way back to the application, or on a page. */
export function errorOf({ headers, body }: Answered): string {
  const { search = '', hash = '' } = URL.parse(headers.location ?? '', house.base) ?? {};
  const named = new URLSearchParams(`${search.slice(1)}&${hash.slice(1)}`);
  return /"error":\s*"(\w+)"/.exec(body)?.[1] ?? named.get('error') ?? (named.has('code') ? 'code' : body.slice(0, 20_000));
}

export async function judge(t: ExecutionContext, cases: readonly Case[]): Promise<void> {
  for (const [rule, sent, status, says, ...codes] of cases) {
    const from = house.atrium.audit.length;
    const answer = await send(sent);
    const told = errorOf(answer);
    t.is(answer.status, status, `${rule}: ${told.slice(0, 300)}`);
    if (typeof says === 'string') t.is(told, says, rule);
    else t.regex(told || answer.body, says, rule);
    const seen = house.codesSince(from).filter((code) => !code.startsWith('STS-AUTHN'));
    t.deepEqual(seen, codes, rule);
    t.notRegex(
      answer.body,
      /STS-[A-Z]+-\d|<script>alert|\n {4}at /,
      `${rule}: no code, nothing that was sent as markup, no frame of a stack`,
    );
    t.is(answer.headers['cache-control'], 'no-store', rule);
    t.notRegex(answer.headers.location ?? '', /^[^?]*evil/, `${rule}: nobody is led to an address that is not registered`);
    t.is(answer.headers['access-control-allow-origin'], undefined, rule);
  }
}
