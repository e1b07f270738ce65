import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { type Chance, type Clock, token } from '#base';
import { constantTimeEqual, sha256 } from '#keys';
import type { DemoMail } from './demo-mailbox.ts';

export interface DemoSite extends AsyncDisposable {
  /** Of this site, without a slash at its end. */
  readonly origin: string;
}

interface SiteOptions {
  /** Of the authorization server that it signs people in with. */
  readonly issuer: () => string;
  readonly clientId: string;
  readonly mails: () => readonly DemoMail[];
  readonly chance: Chance;
  readonly clock: Clock;
}

/** A sign-in that is under way, in one browser. */
interface Begun {
  readonly verifier: string;
  readonly nonce: string;
  readonly untilMs: number;
}

const begunMax = 1000;
const signInMs = 600_000;
const stateOctets = 32;
const cookie = 'demo_state';

/**
 * The demo's own site, on this machine alone: an application that signs people in through OpenID Connect (authorization code with PKCE, as a public client), and
 * a page with the mails that the demo sent.
 */
export async function openDemoSite(options: SiteOptions): Promise<DemoSite> {
  const begun = new Map<string, Begun>();
  let origin = '';
  const server = createServer((request, response) => {
    answer(request, response, options, origin, begun).catch((error: unknown) => {
      show(
        response,
        502,
        'This did not work',
        `<p>${escaped(error instanceof Error ? error.message : String(error))}</p><p><a href="/">Begin again</a></p>`,
      );
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const address = server.address();
  origin = `http://localhost:${typeof address === 'object' && address !== null ? address.port : 0}`;
  return {
    origin,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: SiteOptions,
  origin: string,
  begun: Map<string, Begun>,
): Promise<void> {
  const url = new URL(request.url ?? '/', origin);
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /':
      show(response, 200, 'A demo application', home);
      return;
    case 'GET /mails':
      show(response, 200, 'Mails that the demo sent', mailsHtml(options.mails()));
      return;
    case 'GET /sign-in':
      await begin(response, options, origin, begun);
      return;
    case 'GET /callback':
      await comeBack(request, url, response, options, origin, begun);
      return;
  }
  show(response, 404, 'There is no such page', '<p><a href="/">Go to the beginning</a></p>');
}

const home = `<p>It knows nobody by itself: it sends you to Atrium, and is told who you are (OpenID Connect, authorization code with PKCE).</p>
<p><a class="button" href="/sign-in">Sign in with Atrium</a></p><p><a href="/mails">Mails that the demo sent</a></p>`;

interface Metadata {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly jwks_uri: string;
  readonly userinfo_endpoint: string;
  readonly end_session_endpoint: string;
}

/** OpenID Connect Discovery §4. */
async function discover({ issuer }: SiteOptions): Promise<Metadata> {
  const response = await fetch(`${issuer()}/.well-known/openid-configuration`);
  if (!response.ok) throw new Error(`discovery answered ${response.status}`);
  return (await response.json()) as Metadata;
}

async function begin(response: ServerResponse, options: SiteOptions, origin: string, begun: Map<string, Begun>): Promise<void> {
  const { authorization_endpoint: endpoint } = await discover(options);
  const [state, verifier, nonce] = [
    token(options.chance, stateOctets),
    token(options.chance, stateOctets),
    token(options.chance, stateOctets),
  ];
  if (begun.size >= begunMax) begun.clear();
  begun.set(state, { verifier, nonce, untilMs: options.clock.nowMs() + signInMs });
  const query = new URLSearchParams({
    ...{
      client_id: options.clientId,
      response_type: 'code',
      scope: 'openid profile email',
      redirect_uri: `${origin}/callback`,
      state,
      nonce,
    },
    // RFC 7636 §4.2.
    ...{ code_challenge: Buffer.from(sha256(verifier)).toString('base64url'), code_challenge_method: 'S256' },
  });
  response.writeHead(303, {
    Location: `${endpoint}?${query.toString()}`,
    'Set-Cookie': `${cookie}=${state}; HttpOnly; SameSite=Lax; Path=/`,
  });
  response.end();
}

async function comeBack(
  request: IncomingMessage,
  { searchParams: query }: URL,
  response: ServerResponse,
  options: SiteOptions,
  origin: string,
  begun: Map<string, Begun>,
): Promise<void> {
  const state = query.get('state') ?? '';
  const held = new RegExp(`(?:^|; )${cookie}=([\\w-]+)`).exec(request.headers.cookie ?? '')?.[1] ?? '';
  const waiting = begun.get(state);
  begun.delete(state);
  if (waiting === undefined || waiting.untilMs < options.clock.nowMs() || !constantTimeEqual(Buffer.from(state), Buffer.from(held)))
    return show(response, 400, 'This sign-in was not begun here', '<p><a href="/">Begin again</a></p>');
  const error = query.get('error');
  if (error !== null)
    return show(
      response,
      200,
      'You are not signed in',
      `<p>Atrium says <code>${escaped(error)}</code>. ${escaped(query.get('error_description') ?? '')}</p><p><a href="/">Begin again</a></p>`,
    );
  const { claims, signOut } = await exchange(options, origin, query.get('code') ?? '', waiting);
  const rows = Object.entries(claims).map(
    ([name, value]) => `<tr><th scope="row">${escaped(name)}</th><td>${escaped(JSON.stringify(value))}</td></tr>`,
  );
  show(
    response,
    200,
    `Hello, ${escaped(String(claims['name'] ?? claims.sub ?? ''))}`,
    `<p>This is what Atrium told this application of you:</p><table>${rows.join('')}</table>
<p><a class="button" href="${escaped(signOut)}">Sign out</a></p><p><a href="/">Begin again</a></p>`,
  );
}

interface SignedIn {
  readonly claims: JWTPayload;
  /** Where the person signs out of Atrium, too, and comes back from (OpenID Connect RP-Initiated Logout §2). */
  readonly signOut: string;
}

/** OpenID Connect Core §3.1.3 and §5.3: the code for tokens, and what the ID Token says once it is found to be good, with what is told of its person. */
async function exchange(options: SiteOptions, origin: string, code: string, { verifier, nonce }: Begun): Promise<SignedIn> {
  const { issuer, token_endpoint: endpoint, jwks_uri: keys, userinfo_endpoint: more, end_session_endpoint: end } = await discover(options);
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: `${origin}/callback`,
    client_id: options.clientId,
    code_verifier: verifier,
  });
  const response = await fetch(endpoint, { method: 'POST', body });
  const tokens = (await response.json()) as {
    readonly id_token?: string;
    readonly access_token?: string;
    readonly error_description?: string;
  };
  if (tokens.id_token === undefined) throw new Error(`no ID Token: ${tokens.error_description ?? response.status}`);
  const { payload } = await jwtVerify(tokens.id_token, createRemoteJWKSet(new URL(keys)), { issuer, audience: options.clientId });
  if (payload['nonce'] !== nonce) throw new Error('the ID Token is not of this sign-in');
  const asked = await fetch(more, { headers: { authorization: `Bearer ${tokens.access_token ?? ''}` } });
  const told = asked.ok ? ((await asked.json()) as JWTPayload) : {};
  // §5.3.2: of anybody else it is not taken.
  const claims = told.sub === payload.sub ? { ...told, ...payload } : payload;
  const leaving = new URLSearchParams({ id_token_hint: tokens.id_token, post_logout_redirect_uri: `${origin}/` });
  return { claims, signOut: `${end}?${leaving.toString()}` };
}

function mailsHtml(mails: readonly DemoMail[]): string {
  if (mails.length === 0) return '<p>None yet. Ask for a reset link on the sign-in screen, or confirm an address on your own pages.</p>';
  const articles = mails
    .map(({ atMs, to, subject, text }) => {
      const linked = escaped(text).replace(/https?:\/\/[^\s&<>]+/g, (url) => `<a href="${url}">${url}</a>`);
      return `<article><h2>${escaped(subject)}</h2><p>to ${escaped(to.join(', '))}, <time datetime="${new Date(atMs).toISOString()}">${new Date(atMs).toISOString().slice(11, 19)} UTC</time></p><pre>${linked}</pre></article>`;
    })
    .join('\n');
  return `${articles}<p><a href="/">Go to the demo application</a></p>`;
}

const style = `body{font:1rem/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem;color:#17211f;background:#f4f6f6;overflow-wrap:anywhere}
h1{line-height:1.2}a{color:#0b6060}.button{display:inline-block;padding:.7rem 1.2rem;border-radius:8px;background:#0b6060;color:#fff;text-decoration:none;font-weight:600}
article,table{display:block;background:#fff;border:1px solid #d3dbdb;border-radius:12px;padding:1rem;margin:1rem 0}pre{white-space:pre-wrap}th{text-align:left;padding:.3rem 1rem .3rem 0;vertical-align:top}
@media (prefers-color-scheme:dark){body{background:#0f1514;color:#e9efee}a{color:#6fd3c7}.button{background:#6fd3c7;color:#04211f}article,table{background:#182120;border-color:#33403e}}`;

function show(response: ServerResponse, status: number, title: string, main: string): void {
  if (response.headersSent) return;
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${style}</style></head><body><main><h1>${title}</h1>${main}</main></body></html>\n`;
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  };
  // Two steps: Restify, in the same process, puts a writeHead of its own in place that returns nothing.
  response.writeHead(status, headers);
  response.end(page);
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
