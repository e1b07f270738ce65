import { createHash } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import * as oidc from 'openid-client';
import { addPerson, asAdministrator, type TestPerson } from '../flows/people.ts';
import { ask, cookieOf, hiddenOf, type RawAnswer } from '../flows/raw.ts';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';

/** A running Atrium with a person, and applications that sign people in through it. */
export interface OauthHouse {
  readonly atrium: TestAtrium;
  readonly base: string;
  readonly ada: TestPerson;
  /** Codes of the audit rows since a place in them. */
  codesSince(from: number): readonly string[];
  /** Moves the service's clock on. */
  advance(ms: number): void;
}

export const back = 'https://app.example.com/back';

export async function openHouse(settings: Readonly<Record<string, string>> = {}): Promise<OauthHouse> {
  let aheadMs = 0;
  const atrium = await startTestAtrium({
    clock: { nowMs: () => Date.now() + aheadMs },
    settings: { STS_SECURITY_RATE_PER_IDENTITY: '1000', STS_SECURITY_RATE_PER_ADDRESS: '10000', ...settings },
  });
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  return {
    atrium,
    base: atrium.addresses.http ?? '',
    ada,
    advance: (ms) => {
      aheadMs += ms;
    },
    codesSince: (from) => atrium.audit.slice(from).flatMap(({ errorCode }) => errorCode ?? []),
  };
}

export interface TestApplication {
  readonly clientId: string;
  readonly dn: string;
  readonly secret: string;
}

/** Adds an application over LDAP, as an operator would; with a secret unless it says that it has none. */
export async function addApplication(
  { atrium }: Pick<OauthHouse, 'atrium'>,
  clientId: string,
  more: Readonly<Record<string, string | string[]>> = {},
  suffix: string = atrium.suffix,
): Promise<TestApplication> {
  const dn = `cn=${clientId},ou=applications,${suffix}`;
  const secret = `Secret-of-${clientId}-1234`;
  await asAdministrator(atrium, (client) =>
    client.add(dn, {
      objectClass: ['stsApplication', 'stsOAuthClient'],
      cn: clientId,
      stsClientId: clientId,
      stsRedirectUri: back,
      ...(more['stsTokenEndpointAuthMethod'] === 'none' ? {} : { userPassword: secret }),
      ...more,
    }),
  );
  return { clientId, dn, secret };
}

/** The client as a library of its own sees it. */
export async function configure(
  issuer: string,
  { clientId, secret }: TestApplication,
  auth?: oidc.ClientAuth,
  metadata: Partial<oidc.ClientMetadata> = {},
): Promise<oidc.Configuration> {
  return oidc.discovery(new URL(issuer), clientId, { client_secret: secret, ...metadata }, auth ?? oidc.ClientSecretBasic(secret), {
    execute: [oidc.allowInsecureRequests],
    ...(new URL(issuer).pathname === '/' ? {} : {}),
  });
}

/** The cookies of a browser. */
export type Jar = Record<string, string>;

/** Goes to an address with a browser's cookies, and keeps those that it sets. Nothing is followed. */
export async function go(base: string, url: string, jar: Jar, form?: Readonly<Record<string, string>>): Promise<RawAnswer> {
  const { pathname, search } = new URL(url, base);
  const answer = await ask(base, pathname + search, { cookies: jar, ...(form === undefined ? {} : { method: 'POST', form }) });
  for (const line of answer.setCookies) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '') delete jar[name];
    else jar[name] = value;
  }
  return answer;
}

/** Signs somebody in at the screen to which an answer led, and follows back to what was interrupted: its answer. */
export async function signInAt(base: string, led: RawAnswer, person: Pick<TestPerson, 'uid' | 'password'>, jar: Jar): Promise<RawAnswer> {
  const page = await go(base, led.location, jar);
  const answer = await go(base, led.location, jar, { csrf: hiddenOf(page, 'csrf'), username: person.uid, password: person.password });
  if (cookieOf(answer, 'sts_session') === undefined) throw new Error(`no session: ${answer.status} ${answer.location}`);
  return go(base, answer.location, jar);
}

export interface Flow {
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
  readonly url: URL;
}

/** An authorization request with PKCE, state and nonce. */
export function request(config: oidc.Configuration, more: Readonly<Record<string, string>> = {}): Flow {
  const verifier = oidc.randomPKCECodeVerifier();
  const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: back,
    scope: 'openid',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...more,
  });
  return { verifier, state, nonce, url };
}

export function exchange(config: oidc.Configuration, { verifier, state, nonce }: Flow, location: string, options: oidc.DPoPOptions = {}) {
  return oidc.authorizationCodeGrant(
    config,
    new URL(location),
    { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true },
    undefined,
    options,
  );
}

/** From nothing to tokens: the request, the screen, the code, the exchange. */
export async function signIn(
  { base, ada }: Pick<OauthHouse, 'base' | 'ada'>,
  config: oidc.Configuration,
  more: Readonly<Record<string, string>> = {},
  jar: Jar = {},
) {
  const flow = request(config, more);
  const led = await go(base, flow.url.href, jar);
  const answer = led.location.includes('/authn/login') ? await signInAt(base, led, ada, jar) : led;
  return { flow, jar, answer, tokens: await exchange(config, flow, answer.location) };
}

/** What a request was refused with, by the words of the protocol. */
export async function refusalOf(t: ExecutionContext, promise: Promise<unknown>): Promise<string> {
  const thrown = await t.throwsAsync(promise);
  if (thrown instanceof oidc.WWWAuthenticateChallengeError) {
    const body = await thrown.response.clone().text();
    const said = /"error":\s*"(\w+)"/.exec(body)?.[1] ?? thrown.cause[0]?.parameters.error;
    return String(said);
  }
  return (thrown as { error?: string } | undefined)?.error ?? String(thrown);
}
