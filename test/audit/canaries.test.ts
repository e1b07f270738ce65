import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import { Attribute, Change, Client } from 'ldapts';
import type { Audit, AuditRow } from '#audit';
import { startAtrium } from '../../src/main.ts';

const root = join(import.meta.dirname, '../..');
const suffix = 'dc=example,dc=com';
const admin = `uid=admin,ou=people,${suffix}`;

/** Texts that occur nowhere else, each named for the field it is sent through. */
function canaries() {
  const sent = new Map<string, string>();
  return {
    sent,
    make: (field: string): string => {
      const text = `Canary-${field}-${crypto.randomUUID()}`;
      sent.set(field, text);
      return text;
    },
  };
}
type Make = (field: string) => string;

async function start(t: ExecutionContext, make: Make) {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-canary-'));
  const logStream = new PassThrough({ encoding: 'utf8' });
  let log = '';
  logStream.on('data', (text: string) => {
    log += text;
  });
  let audit: Audit | undefined;
  const password = make('admin-password');
  const started = await startAtrium({
    root,
    environment: {
      STS_GLOBAL_DATA_DIR: folder,
      STS_PERSISTENCE_MODE: 'memory',
      STS_LDAP_HOST: 'localhost',
      STS_LDAP_PORT: '0',
      STS_LDAP_TLS_PORT: '',
      STS_HTTP_HOST: 'localhost',
      STS_HTTP_PORT: '0',
      STS_HTTP_TLS_PORT: '',
      STS_KEYS_KEK: make('key-encryption-key'),
      STS_ADMIN_BOOTSTRAP_PASSWORD: password,
      STS_LOG_LEVEL: 'debug',
      STS_LOG_FORMAT: 'json',
    },
    logStream,
    heard: (opened) => {
      audit = opened;
    },
  });
  if (started.kind === 'refused' || audit === undefined)
    throw new Error(started.kind === 'refused' ? started.lines.join('\n') : 'no audit trail');
  const { service } = started;
  const rows: AuditRow[] = [];
  audit.subscribe((row) => rows.push(row));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const { ldap = '', http = '' } = service.addresses;
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= service.stop();
    return stopped;
  };
  t.teardown(stop);
  return { ldap, http, password, rows, log: () => log, stop };
}

/** What an attempt answered, as a client can read it. */
async function outcome(attempt: Promise<unknown>): Promise<string> {
  try {
    return `answered ${JSON.stringify(await attempt)}`;
  } catch (error) {
    return `refused ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Secrets through every field of LDAP that may hold one. */
async function throughLdap(url: string, password: string, make: Make): Promise<string[]> {
  const person = `uid=canary,ou=people,${suffix}`;
  const entry = (given: string) => ({ objectClass: ['inetOrgPerson'], uid: 'canary', cn: 'Canary', sn: 'Canary', userPassword: given });
  const stranger = new Client({ url });
  const client = new Client({ url });
  const said = [
    await outcome(stranger.bind(admin, make('ldap-password-wrong'))),
    await outcome(stranger.bind(`uid=nobody,ou=people,${suffix}`, make('ldap-password-unknown'))),
    await outcome(stranger.bind('no name at all', make('ldap-password-bad-name'))),
    await outcome(client.bind(admin, password)),
    await outcome(client.add(person, entry(make('ldap-add-password')))),
    await outcome(client.add(person, entry(make('ldap-add-password-again')))),
    await outcome(client.add(`uid=b,ou=people,${suffix}`, { ...entry(make('ldap-add-password-refused')), noSuchAttribute: 'x' })),
    await outcome(client.search(suffix, { filter: `(userPassword=${make('ldap-filter-password')})` })),
    await outcome(client.search(suffix, { filter: `(cn=${make('ldap-filter-value')})` })),
    await outcome(client.search(suffix, { filter: '(uid=canary)', attributes: ['*', '+', 'userPassword'] })),
    await outcome(client.compare(person, 'userPassword', make('ldap-compare-password'))),
    await outcome(client.modify(person, [replace('userPassword', make('ldap-modify-password'))])),
    await outcome(client.modify(person, [replace('userPassword', make('ldap-modify-refused')), replace('noSuchAttribute', 'x')])),
    await outcome(client.modify(`uid=nobody,ou=people,${suffix}`, [replace('userPassword', make('ldap-modify-nobody'))])),
    await outcome(client.exop('1.3.6.1.4.1.4203.1.11.1', make('ldap-extended-value'))),
    await outcome(garbage(url, `0\x20${make('ldap-garbage')}`)),
  ];
  await outcome(stranger.unbind());
  await outcome(client.unbind());
  return said;
}

function replace(type: string, value: string): Change {
  return new Change({ operation: 'replace', modification: new Attribute({ type, values: [value] }) });
}

/** Octets that are no LDAP message. */
function garbage(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.end(text));
    socket.setEncoding('latin1').on('data', (piece: string) => {
      answer += piece;
    });
    socket.on('error', () => undefined).on('close', () => resolve(answer));
  });
}

/** Secrets through every field of HTTP that may hold one. The browser's own cookies and form are real. */
async function throughHttp(http: string, password: string, make: Make): Promise<string[]> {
  const said: string[] = [];
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(new URL(path, http), { redirect: 'manual', ...init });
    const text = await answer.text();
    said.push(`${answer.status} ${JSON.stringify([...answer.headers])} ${text}`);
    return { answer, text };
  };
  const headers = () => ({
    cookie: `sts_session=${make('http-session-cookie')}; sts_signin=${make('http-sign-in-cookie')}; other=${make('http-other-cookie')}`,
    authorization: `Basic ${make('http-authorization')}`,
    'x-forwarded-for': make('http-forwarded-for'),
    'user-agent': make('http-user-agent'),
    referer: `http://example.net/?token=${make('http-referer')}`,
  });
  await ask(`/portal?code=${make('http-query-portal')}`, { headers: headers() });
  await ask(`/no-such-page?password=${make('http-query-unknown')}`, { headers: headers() });
  await ask(`/authn/login?authn=${make('http-pending-id')}&password=${make('http-query-login')}`, { headers: headers() });
  await ask('/authn/login', { method: 'POST', headers: headers(), body: make('http-body-plain') });
  await ask('/authn/login', {
    method: 'POST',
    headers: headers(),
    body: new URLSearchParams({ [make('http-field-name')]: make('http-field-value') }),
  });

  const { answer } = await ask('/portal');
  const login = answer.headers.get('location') ?? '/';
  const screen = await ask(login);
  const cookie = (screen.answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const hidden = Object.fromEntries(
    [...screen.text.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => [attribute(input, 'name'), attribute(input, 'value')]),
  );
  const post = (fields: Record<string, string>) =>
    ask(login, { method: 'POST', headers: { cookie }, body: new URLSearchParams({ ...hidden, ...fields }) });
  await post({ username: 'admin', password: make('http-password-wrong') });
  await post({ username: 'nobody', password: make('http-password-unknown') });
  await post({
    username: 'admin',
    password: make('http-password-stale'),
    csrf: make('http-csrf'),
    [Object.keys(hidden)[0] ?? 'x']: make('http-hidden-field'),
  });
  said.push((await post({ username: make('http-name'), password: make('http-password-of-name') })).text.replaceAll(/value="[^"]*"/g, ''));
  const last = said.length;
  await post({ username: 'admin', password });
  // The screen shows the typed name again to whoever typed it, and a session's cookie goes to its browser: neither is an error text.
  return said.filter((_, index) => index !== last - 2 && index !== last);
}

function attribute(input: string, name: string): string {
  return new RegExp(`${name}="([^"]*)"`).exec(input)?.[1] ?? '';
}

/** Operators are told which name a sign-in gave: a name is no secret. No answer has it outside the form that shows it again. */
const toldToOperators = new Set(['http-name']);

test('secrets reach neither the audit trail nor the log nor an error text, through whatever field of whatever door they come', async (t) => {
  const { sent, make } = canaries();
  const atrium = await start(t, make);
  const said = [...(await throughLdap(atrium.ldap, atrium.password, make)), ...(await throughHttp(atrium.http, atrium.password, make))];
  await atrium.stop();
  t.true(sent.size > 30);
  t.true(atrium.rows.length > 10, 'the audit trail has rows to look at');
  t.true(atrium.log().length > 1000, 'the log has lines to look at');

  const audit = JSON.stringify(atrium.rows);
  const answers = said.join('\n');
  for (const [field, text] of sent) {
    const encoded = [text, Buffer.from(text).toString('base64'), encodeURIComponent(text)];
    for (const form of encoded) {
      t.false(answers.includes(form), `${field} stands in an answer: ${said.find((answer) => answer.includes(form))?.slice(0, 300)}`);
      if (toldToOperators.has(field)) continue;
      t.false(
        audit.includes(form),
        `${field} stands in the audit trail: ${atrium.rows.find((row) => JSON.stringify(row).includes(form))?.summary}`,
      );
      t.false(atrium.log().includes(form), `${field} stands in the log`);
    }
  }
});
