import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import type { ExecutionContext } from 'ava';
import { type AuditRow, createAudit, createLog } from '#audit';
import { systemChance, systemClock } from '#base';
import type { RouteRow, SettingValues } from '#catalogue';
import type { Mode } from '#policy';
import {
  bindRoutes,
  createCsrf,
  type Handler,
  html,
  startWeb,
  type Web,
  type WebOptions,
  type WebRealm,
  type WebRealms,
  type webSettings,
} from '#web';
import { observe, observeLog } from '../support/observed.ts';

export const csrf = createCsrf(new Uint8Array(32).fill(7));

/** The default realm in a mode, and the others that a test has; it may change them. */
export function realmsOf(mode: Mode, others: ReadonlyMap<string, WebRealm> = new Map()): WebRealms {
  return {
    standing: { id: 'default', name: 'example.com', suffix: 'dc=example,dc=com', mode, prefix: '', removing: false },
    find: async (id) => others.get(id),
  };
}

/** Settings in force in these tests: short waits, ports that the system chooses, no https unless a test asks for it. */
export const standing: SettingValues<typeof webSettings> = {
  'http.host': '127.0.0.1',
  'http.port': 0,
  'http.tlsPort': undefined,
  'http.besidePort': undefined,
  'http.besideTlsPort': undefined,
  'global.publicBaseUrl': '',
  'global.corsOrigins': [],
  'http.bodyOctetsMax': 5_242_880,
  'http.formFieldsMax': 1000,
  'http.jsonDepthMax': 32,
  'http.headerOctetsMax': 16_384,
  'http.headersTimeoutS': 20,
  'http.requestTimeoutS': 60,
  'http.keepAliveTimeoutS': 5,
  'http.stopWaitS': 1,
  'http.connectionsMax': 100,
};

const route = (method: 'GET' | 'POST', path: string): RouteRow => ({ method, path, purpose: 'a test', source: 'a test', coverage: 'full' });

const rows = {
  hello: route('GET', '/hello'),
  throws: route('GET', '/throws'),
  rejects: route('GET', '/rejects'),
  nothing: route('GET', '/nothing'),
  lost: route('GET', '/lost'),
  away: route('GET', '/away'),
  cookie: route('GET', '/cookie'),
  root: route('GET', '/'),
  where: route('GET', '/where'),
  home: route('GET', '/home'),
  form: route('POST', '/form'),
};

const page = (main: ReturnType<typeof html>) => ({ kind: 'page', page: { title: 'Test', layout: 'card', main } }) as const;

export const handlers = {
  hello: () => page(html`<h1>Hello</h1>`),
  throws: () => {
    throw new Error('canary-thrown');
  },
  rejects: () => Promise.reject(new Error('canary-rejected')),
  nothing: () => undefined as never,
  lost: () => ({ ...page(html`<h1>Lost</h1>`), status: 418 }),
  away: () => ({ kind: 'redirect', status: 303, to: '//evil.example/' }),
  cookie: (request) => ({ ...page(html`<h1>${request.cookies('a').join('|')}</h1>`), cookies: [{ name: 'a', value: 'b', path: '/' }] }),
  root: () => page(html`<h1>Root</h1>`),
  where: ({ realm, path, target }) => page(html`<h1>${realm.id} ${path} ${target}</h1>`),
  home: () => ({ kind: 'redirect', status: 303, to: '/where?a=b', cookies: [{ name: 'a', value: 'c', path: '/where' }] }),
  form: async (request) => {
    const { form, refused } = await request.openForm(() => 'me');
    return page(html`<h1>${refused === undefined ? 'taken' : 'refused'} ${form.get('name') ?? ''}</h1>`);
  },
} as const satisfies Record<keyof typeof rows, Handler>;

export interface House {
  readonly web: Web;
  readonly port: number;
  readonly audit: AuditRow[];
  readonly log: string[];
}

/** Starts the real web with a few routes, and ends it with the test. */
export async function open(
  t: ExecutionContext,
  more: Partial<Omit<WebOptions, 'settings'>> & { settings?: Partial<WebOptions['settings']> } = {},
): Promise<House> {
  const stream = new PassThrough();
  const lines: string[] = [];
  stream.on('data', (chunk: Buffer) => {
    lines.push(String(chunk));
    observeLog(String(chunk));
  });
  const log = createLog({ json: true, level: 'debug', stream, clock: systemClock });
  const kept: AuditRow[] = [];
  const audit = createAudit({
    sink: { append: async () => undefined, query: async () => [], counts: async () => new Map() },
    log,
    clock: systemClock,
  });
  audit.subscribe((row) => {
    kept.push(row);
    observe(row.errorCode);
  });
  const web = await startWeb({
    realms: realmsOf('product'),
    routes: bindRoutes(rows, handlers),
    csrf,
    audit,
    log,
    chance: systemChance,
    ...more,
    settings: { ...standing, ...more.settings },
  });
  t.teardown(() => web.stop());
  const port = Number(new URL(web.addresses.http ?? web.addresses.https ?? '').port);
  return { web, port, audit: kept, log: lines };
}

export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Sends octets as they are and reads until the other side closes, or has sent a whole answer.
 *
 * @param end         closes our side after the last octet: what is missing then will never come
 * @param writeFirst  reads nothing before all is written, as simple clients do
 */
export function send(
  port: number,
  parts: string | Uint8Array | readonly (string | Uint8Array)[],
  { end = false, writeFirst = false } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let got = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      got = Buffer.concat([got, chunk]);
      const answer = parse(got);
      if (answer !== undefined) {
        resolve(answer);
        socket.destroy();
      }
    });
    socket.on('error', (error) => (got.length > 0 ? undefined : reject(error)));
    socket.on('close', () => reject(new Error(`closed after ${got.length} octets`)));
    if (writeFirst) socket.pause();
    const all = typeof parts === 'string' || parts instanceof Uint8Array ? [parts] : parts;
    all.forEach((part, i) => {
      socket.write(part, () => {
        if (i === all.length - 1) socket.resume();
      });
    });
    if (end) socket.end();
  });
}

function parse(got: Buffer): Answer | undefined {
  const at = got.indexOf('\r\n\r\n');
  if (at < 0) return undefined;
  const [first = '', ...lines] = got.subarray(0, at).toString('latin1').split('\r\n');
  const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]));
  const length = Number(headers.get('content-length') ?? 0);
  const body = got.subarray(at + 4);
  return body.length < length ? undefined : { status: Number(first.split(' ')[1]), headers, body: body.toString('utf8') };
}

export function get(port: number, target: string, headers: readonly string[] = []): Promise<Answer> {
  return send(port, `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`);
}

/** A POST of a form, with the headers given and the length of the body unless one is given. */
export function post(
  port: number,
  body: string | Uint8Array,
  headers: readonly string[] = [],
  options: { end?: boolean } = {},
): Promise<Answer> {
  const octets = typeof body === 'string' ? Buffer.from(body) : body;
  const all = [
    ...(headers.some((line) => /^content-type:/i.test(line)) ? [] : ['Content-Type: application/x-www-form-urlencoded']),
    ...(headers.some((line) => /^(content-length|transfer-encoding):/i.test(line)) ? [] : [`Content-Length: ${octets.length}`]),
    ...headers,
  ];
  return send(port, [`POST /form HTTP/1.1\r\nHost: localhost\r\n${all.map((line) => `${line}\r\n`).join('')}\r\n`, octets], options);
}

export const codes = ({ audit }: House) => audit.map(({ errorCode }) => errorCode);
