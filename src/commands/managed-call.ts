import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { askSecret } from './ask-secret.ts';
import type { Context } from './command.ts';
import { Absent, Failure, Misuse, Unreachable } from './exits.ts';
import type { Given } from './given.ts';
import { printable } from './table.ts';

/** One call of the management API. */
export interface Asking {
  readonly method: string;
  /** Of a realm: `/admin-api/sessions`. */
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly body?: object;
}

/** Members of what was answered. */
export type Answer = Readonly<Record<string, unknown>>;

/** A service whose management API may be asked. */
export interface Management extends AsyncDisposable {
  readonly realm: string;
  /** @throws Absent, Failure, Unreachable with the service's words */
  ask(asking: Asking): Promise<Answer>;
}

/** Octets of an answer; a page of the largest entries is less. */
const octetsMax = 256 * 1024 * 1024;
const answerMs = 60_000;

/**
 * The service of this folder, over the operators' socket, or the one at `--url`, with a token.
 *
 * @throws Misuse, Unreachable, Failure
 */
export async function openManagement(scope: string, given: Given, context: Context): Promise<Management> {
  const realm = given.need('realm');
  const prefix = realm === 'default' ? '' : `/realm/${encodeURIComponent(realm)}`;
  const url = given.text('url');
  const service = url === undefined ? await localService(given, context) : await distantService(readUrl(url));
  const headers = url === undefined ? {} : { Authorization: `Bearer ${await tokenOf(service, prefix, scope, given, context)}` };
  const etag = given.has('etag') ? given.text('etag') : undefined;
  const key = keyOf(given);
  return {
    realm,
    ask: async ({ method, path, query, body }) => {
      const target = `${prefix}${path}${query.length === 0 ? '' : `?${new URLSearchParams(query.map(([name, value]) => [name, value]))}`}`;
      const answered = await service.send(method, target, {
        headers: {
          ...headers,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(etag === undefined || method === 'GET' ? {} : { 'If-Match': `"${etag}"` }),
          ...(key === undefined || method === 'GET' ? {} : { 'Idempotency-Key': `"${key}"` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      // Of a realm that is not there no path is: what describes the API is at each that is.
      if (
        answered.status === 404 &&
        prefix !== '' &&
        (await service.send('GET', `${prefix}/admin-api/openapi.json`, { headers: {} })).status === 404
      )
        throw new Absent(`there is no realm ${JSON.stringify(realm)}. See: atrium realm list`);
      return answerOf(answered);
    },
    [Symbol.asyncDispose]: async () => service.close(),
  };
}

/** @throws Misuse for what is no string of a header (RFC 8941 §3.3.3) */
function keyOf(given: Given): string | undefined {
  const key = given.has('idempotency-key') ? given.text('idempotency-key') : undefined;
  if (key === undefined || /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,255}$/.test(key)) return key;
  throw new Misuse('--idempotency-key is up to 255 characters of ASCII without " and \\');
}

interface Answered {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Service {
  /** As people know it. */
  readonly address: string;
  send(method: string, target: string, sent: Sent): Promise<Answered>;
  close(): void;
}

async function localService(given: Given, context: Context): Promise<Service> {
  for (const name of ['token-file', 'client', 'secret-file']) if (given.flag(name)) throw new Misuse(`--${name} is for a service at --url`);
  const located = context.locate();
  if (located.kind === 'refused') throw new Unreachable(located.lines.join('; '));
  const { managementSocket } = located;
  if (managementSocket === undefined)
    throw new Unreachable('this service has no operators’ socket (STS_LDAP_SOCKET is empty). Ask it with --url');
  const { Agent, request } = await import('node:http');
  const agent = new Agent({ keepAlive: true });
  return serviceAt('the service of this folder', { socketPath: managementSocket, host: 'localhost', agent }, request, () =>
    agent.destroy(),
  );
}

async function distantService(url: URL): Promise<Service> {
  const { Agent, request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const agent = new Agent({ keepAlive: true });
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return serviceAt(url.origin, { host, port: url.port, agent }, request, () => agent.destroy());
}

/** @throws Misuse for what is no service's address, or would show a token to whoever listens on the way */
function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '' || url.username !== '')
    throw new Misuse(`--url is the address of a service such as https://id.example.com, not ${JSON.stringify(text)}`);
  if (url.protocol === 'http:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname))
    throw new Misuse('--url begins with https: a token sent without it could be read on the way');
  return url;
}

type Request = (options: RequestOptions, heard: (response: IncomingMessage) => void) => ClientRequest;

function serviceAt(address: string, options: RequestOptions, request: Request, close: () => void): Service {
  const send = (method: string, path: string, { headers, body }: Sent) =>
    new Promise<Answered>((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException) => reject(new Unreachable(unreachable(address, error.code ?? error.message)));
      const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
      const sending = request({ ...options, method, path, headers: { ...headers, ...length } }, (response) => {
        read(response).then(
          (text) => resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text }),
          failed,
        );
      });
      sending.setTimeout(answerMs, () => sending.destroy(new Error(`no answer in ${answerMs / 1000} seconds`)));
      sending.on('error', failed);
      sending.end(body);
    });
  return { address, send, close };
}

function unreachable(address: string, why: string): string {
  const known = why === 'ENOENT' || why === 'ECONNREFUSED';
  if (address.startsWith('http')) return `no service answers at ${address} (${why})`;
  return known
    ? 'no service answers here, and this is asked of a running one. Start it with: atrium serve; or ask another one with --url'
    : `the service of this folder cannot be asked (${why}): who asks must be the user that runs it`;
}

async function read(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let octets = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    octets += piece.length;
    if (octets > octetsMax) throw new Error(`an answer of more than ${octetsMax} octets`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** @throws Absent, Failure */
function answerOf({ status, type, text }: Answered): Answer {
  const answer = type.startsWith('application/json') ? parsed(text) : undefined;
  if (answer === undefined) throw new Failure(`what answers is no management API of Atrium (status ${status})`);
  if (status < 400) return answer;
  const { errors = [], reference } = answer as { errors?: readonly { field?: string; message?: string }[]; reference?: string };
  const words = errors.map(({ field, message = '' }) => (field === undefined ? message : `${field}: ${message}`)).join('; ');
  const line = printable(`${words.replace(/[.]$/, '')}${advice(status)}${reference === undefined ? '' : ` (reference ${reference})`}`);
  throw status === 404 ? new Absent(line) : new Failure(line);
}

/** What to do next, where the words of the service do not say it. */
function advice(status: number): string {
  switch (status) {
    case 401:
      return '. Have a new token issued, for this realm and this API: docs/management-api.md';
    case 412:
      return '. Read it again, and use the etag of what was read';
    case 503:
      return '. Try again in a moment';
  }
  return '';
}

function parsed(text: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Answer) : undefined;
  } catch {
    return undefined;
  }
}

/** The token that was given, or one that is issued to the client that was named (RFC 6749 §4.4, RFC 8707). */
async function tokenOf(service: Service, prefix: string, scope: string, given: Given, context: Context): Promise<string> {
  const [tokenFile, client] = [given.text('token-file'), given.text('client')];
  if ((tokenFile === undefined) === (client === undefined)) throw new Misuse('with --url stands --token-file FILE, or --client ID');
  if (tokenFile !== undefined) return await secretIn(tokenFile, 'a token');
  const secretFile = given.text('secret-file');
  const secret =
    secretFile === undefined ? await askSecret(`Secret of ${client}`, context) : await secretIn(secretFile, 'the secret of a client');
  const form = { grant_type: 'client_credentials', resource: `${service.address}${prefix}/admin-api`, scope };
  // RFC 6749 §2.3.1: both are form-encoded before they are joined.
  const shown = [client ?? '', secret].map((text) => new URLSearchParams({ '': text }).toString().slice(1)).join(':');
  const { status, text } = await service.send('POST', `${prefix}/oauth2/token`, {
    headers: { Authorization: `Basic ${Buffer.from(shown).toString('base64')}`, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
  const answer = parsed(text) ?? {};
  const token = answer['access_token'];
  if (status === 200 && typeof token === 'string') return token;
  const why = [answer['error'], answer['error_description']].filter((each) => typeof each === 'string').join(': ');
  throw new Failure(
    printable(`no token is issued to ${client}: ${why === '' ? `status ${status}` : why}. docs/management-api.md says what a client needs`),
  );
}

/** The first line of a file. @throws Misuse */
async function secretIn(file: string, what: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  try {
    const line = (await readFile(file, 'utf8')).split(/\r?\n/, 1)[0]?.trim() ?? '';
    if (/^[\x21-\x7e]+$/.test(line) || (line !== '' && what !== 'a token')) return line;
  } catch (error) {
    throw new Misuse(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}): ${what} is to stand in it`);
  }
  throw new Misuse(`${file} does not hold ${what} in its first line`);
}
