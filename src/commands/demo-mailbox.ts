import { createServer, type Socket } from 'node:net';

/** A mail that the demo's mail server was handed. */
export interface DemoMail {
  readonly atMs: number;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
}

export interface DemoMailbox extends AsyncDisposable {
  readonly port: number;
  /** The newest first. */
  list(): readonly DemoMail[];
}

const mailsMax = 200;
const octetsMax = 1_048_576;
const lineMax = 4096;
const connectionsMax = 20;

/**
 * A mail server that keeps what it is handed and sends nothing on, on this machine alone: enough of SMTP (RFC 5321) for the demo's own mails.
 */
export async function openMailbox(nowMs: () => number): Promise<DemoMailbox> {
  const mails: DemoMail[] = [];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    converse(socket, (to, raw) => {
      mails.unshift({ atMs: nowMs(), to, ...readMail(raw) });
      mails.length = Math.min(mails.length, mailsMax);
    });
  });
  server.maxConnections = connectionsMax;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    list: () => mails,
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** One connection, a line at a time. */
function converse(socket: Socket, take: (to: readonly string[], raw: string) => void): void {
  let waiting = '';
  let to: string[] = [];
  let data: string[] | undefined;
  let octets = 0;
  const say = (line: string) => socket.write(`${line}\r\n`);
  const command = (line: string) => {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'EHLO' || verb === 'HELO') return say('250 demo');
    if (verb === 'RCPT') to.push(/<([^>]*)>/.exec(line)?.[1] ?? '');
    if (verb === 'RSET' || verb === 'MAIL') to = [];
    if (verb === 'QUIT') return socket.end('221 bye\r\n');
    if (verb !== 'DATA') return say('250 ok');
    [data, octets] = [[], 0];
    return say('354 go on');
  };
  const line = (text: string) => {
    if (data === undefined) return command(text);
    octets += text.length;
    if (octets > octetsMax) return socket.destroy();
    // RFC 5321 §4.5.2: a dot alone ends it, one before others was put there.
    if (text !== '.') return data.push(text.startsWith('.') ? text.slice(1) : text);
    take(to, data.join('\n'));
    data = undefined;
    return say('250 kept');
  };
  socket.setEncoding('utf8');
  say('220 demo');
  socket.on('data', (chunk: string) => {
    waiting += chunk;
    for (let end = waiting.indexOf('\r\n'); end >= 0; end = waiting.indexOf('\r\n')) {
      const text = waiting.slice(0, end);
      waiting = waiting.slice(end + 2);
      line(text);
    }
    if (waiting.length > lineMax) socket.destroy();
  });
}

/** The subject and the plain text of a mail: the first part of several, as our letters have it. */
function readMail(raw: string): { readonly subject: string; readonly text: string } {
  const split = raw.indexOf('\n\n');
  const head = raw.slice(0, split).replace(/\n[ \t]+/g, ' ');
  const header = (name: string) => new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1] ?? '';
  const boundary = /boundary="?([^";]+)/i.exec(header('content-type'))?.[1];
  const body = raw.slice(split + 2);
  if (boundary === undefined) return { subject: words(header('subject')), text: decoded(body, header('content-transfer-encoding')) };
  const part = body.split(`--${boundary}`)[1] ?? '';
  const at = part.indexOf('\n\n');
  const encoding = /^content-transfer-encoding: *(.*)$/im.exec(part.slice(0, at))?.[1] ?? '';
  return { subject: words(header('subject')), text: decoded(part.slice(at + 2), encoding) };
}

function decoded(body: string, encoding: string): string {
  if (/base64/i.test(encoding)) return Buffer.from(body, 'base64').toString('utf8');
  if (!/quoted-printable/i.test(encoding)) return body.trim();
  return unquoted(body.replace(/=\n/g, '')).trim();
}

/** RFC 2045 §6.7. */
function unquoted(text: string): string {
  const octets = text
    .split(/(=[0-9A-F]{2})/)
    .map((part) => (/^=[0-9A-F]{2}$/.test(part) ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part)));
  return Buffer.concat(octets).toString('utf8');
}

/** Encoded words of a header (RFC 2047). */
function words(header: string): string {
  return header.replace(/=\?utf-8\?([bq])\?([^?]*)\?=\s*/gi, (_, kind: string, given: string) =>
    kind.toLowerCase() === 'b' ? Buffer.from(given, 'base64').toString('utf8') : unquoted(given.replaceAll('_', ' ')),
  );
}
