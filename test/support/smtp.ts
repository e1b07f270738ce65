import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { systemChance, systemClock } from '#base';
import { openServerCertificate } from '#keys';

/** A mail as the server got it. */
export interface Received {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body, as they came. */
  readonly raw: string;
  readonly subject: string;
  /** The plain text of it. */
  readonly text: string;
  readonly html: string;
  /** Who had logged in; empty for nobody. */
  readonly user: string;
  /** Whether it came under TLS. */
  readonly secure: boolean;
}

/** What the server does with a mail that was sent to it: `drop` cuts the connection, `hold` says nothing, a number refuses with it. */
export type Behaviour = 'take' | 'drop' | 'hold' | number;

export interface TestSmtp {
  readonly port: number;
  /** The authority that vouches for it. */
  readonly caFile: string;
  /** What came so far. */
  readonly received: readonly Received[];
  /** Passwords that were shown to it, right or wrong. */
  readonly shown: readonly string[];
  /** Connections so far. */
  connections(): number;
  /** Mails that the server keeps waiting for an answer. */
  held(): number;
  /** The next mail that nobody has asked for yet. */
  next(): Promise<Received>;
  /** From now on, at the named command. */
  behave(behaviour: Behaviour, at?: 'RCPT' | 'DATA'): void;
  stop(): Promise<void>;
}

export interface SmtpOptions {
  readonly tls?: 'starttls' | 'implicit' | 'none';
  readonly login?: { readonly user: string; readonly password: string };
}

/** A real SMTP server on a port of the system's choice, with a certificate for `localhost`; it ends with the test. */
export async function startSmtp(t: Pick<ExecutionContext, 'teardown'>, { tls = 'starttls', login }: SmtpOptions = {}): Promise<TestSmtp> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-smtp-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const certificate = await openServerCertificate({
    certFile: '',
    keyFile: '',
    folder,
    names: ['localhost'],
    clock: systemClock,
    chance: systemChance,
  });
  const received: Received[] = [];
  const shown: string[] = [];
  const asking: ((mail: Received) => void)[] = [];
  let given = 0;
  let connections = 0;
  let held = 0;
  let behaviour: Behaviour = 'take';
  let behavesAt: 'RCPT' | 'DATA' = 'DATA';
  const acts = (session: { readonly id: string }, done: (error?: Error | null) => void, take: () => void) => {
    if (behaviour === 'take') return take();
    if (behaviour === 'hold') return void held++;
    if (behaviour === 'drop') {
      for (const connection of server.connections) if (connection.id === session.id) connection._socket.destroy();
      return;
    }
    done(Object.assign(new Error('not this one'), { responseCode: behaviour }));
  };
  const options: SMTPServerOptions = {
    secure: tls === 'implicit',
    cert: certificate.cert,
    key: certificate.key,
    disabledCommands: [...(tls === 'none' ? ['STARTTLS'] : []), ...(login === undefined ? ['AUTH'] : [])],
    authOptional: login === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onConnect: (_, done) => {
      connections++;
      done();
    },
    onAuth: ({ username, password }, _, done) => {
      shown.push(password ?? '');
      if (username === login?.user && password === login?.password) done(null, { user: username ?? '' });
      else done(new Error('wrong'));
    },
    onRcptTo: (_, session, done) => {
      if (behavesAt === 'RCPT') acts(session, done, () => done());
      else done();
    },
    onData: (stream, session, done) => {
      void textOf(stream).then((raw) => {
        const take = () => {
          const { mailFrom, rcptTo } = session.envelope;
          const mail: Received = {
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            raw,
            ...readMail(raw),
            user: typeof session.user === 'string' ? session.user : '',
            secure: session.secure,
          };
          received.push(mail);
          asking.shift()?.(mail);
          done();
        };
        if (behavesAt === 'DATA') acts(session, done, take);
        else take();
      });
    },
  };
  const server = new SMTPServer(options);
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= new Promise((resolve) => {
      for (const connection of server.connections) connection._socket.destroy();
      server.close(() => resolve());
    });
    return stopped;
  };
  t.teardown(stop);
  return {
    port: (server.server.address() as AddressInfo).port,
    caFile: join(folder, 'ca.pem'),
    received,
    shown,
    connections: () => connections,
    held: () => held,
    next: () => {
      const mail = received[given++];
      return mail === undefined ? new Promise((resolve) => asking.push(resolve)) : Promise.resolve(mail);
    },
    behave: (now, at = 'DATA') => {
      behaviour = now;
      behavesAt = at;
    },
    stop,
  };
}

/** Reads a mail of two parts, as RFC 2046 §5.1.4 has it. */
function readMail(raw: string): Pick<Received, 'subject' | 'text' | 'html'> {
  const { headers, body } = split(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers)?.[1] ?? '';
  const parts = body.split(`--${boundary}`).slice(1, -1).map(split);
  const partOf = (type: string) => {
    const part = parts.find((one) => one.headers.toLowerCase().includes(`content-type: ${type}`));
    if (part === undefined) return '';
    return /quoted-printable/i.test(part.headers) ? unquoted(part.body) : part.body;
  };
  return {
    subject: /^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(headers)?.[1]?.replace(/\r\n/g, '') ?? '',
    text: partOf('text/plain'),
    html: partOf('text/html'),
  };
}

function split(part: string): { readonly headers: string; readonly body: string } {
  const at = part.indexOf('\r\n\r\n');
  return { headers: part.slice(0, at), body: part.slice(at + 4).replace(/\r\n$/, '') };
}

/** RFC 2045 §6.7. */
function unquoted(text: string): string {
  const octets = text.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(octets, 'latin1').toString('utf8');
}
