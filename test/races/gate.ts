import { connect, type Socket } from 'node:net';

/** A form on its way to one of the web processes. */
export interface Post {
  readonly base: string;
  readonly target: string;
  readonly cookies: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
}

/** What came of one of two, with the moments in which it was asked whole and first answered, in milliseconds of one clock. */
export interface Raced {
  readonly status: number;
  /** It set a cookie with a session. */
  readonly isIn: boolean;
  readonly text: string;
  readonly askedMs: number;
  readonly answeredMs: number;
}

interface Held {
  readonly release: () => number;
  readonly answer: Promise<Omit<Raced, 'askedMs'>>;
}

const answerMaxMs = 30_000;

/**
 * Sends two forms whole but for their last octet, and then the two last octets, one right behind the other: neither process can begin before both have
 * been asked, unless it answers within the moment between two writes.
 *
 * @param order  which of the two is released first
 */
export async function race(posts: readonly [Post, Post], order: readonly [0 | 1, 0 | 1]): Promise<readonly [Raced, Raced]> {
  const held = await Promise.all([hold(posts[0]), hold(posts[1])]);
  const askedMs = [0, 0];
  for (const at of order) askedMs[at] = held[at].release();
  const [first, second] = await Promise.all([held[0].answer, held[1].answer]);
  return [
    { ...first, askedMs: askedMs[0] as number },
    { ...second, askedMs: askedMs[1] as number },
  ];
}

/** Whether both had been asked before either was answered. */
export function wasTogether([a, b]: readonly [Raced, Raced]): boolean {
  return Math.max(a.askedMs, b.askedMs) < Math.min(a.answeredMs, b.answeredMs);
}

/** Connects, and sends all but the last octet. */
async function hold({ base, target, cookies, form }: Post): Promise<Held> {
  const { hostname, port } = new URL(base);
  const body = new URLSearchParams(form).toString();
  const cookie = Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ');
  const head = [
    `POST ${target} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
    `Cookie: ${cookie}`,
    'Connection: close',
  ];
  const whole = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    // Called back when the system has taken it.
    socket.once('connect', () => socket.write(whole.subarray(0, -1), () => resolve()));
  });
  const answer = answerOf(socket);
  return {
    answer,
    release: () => {
      socket.write(whole.subarray(-1));
      return performance.now();
    },
  };
}

function answerOf(socket: Socket): Promise<Omit<Raced, 'askedMs'>> {
  return new Promise((resolve, reject) => {
    let answeredMs: number | undefined;
    let text = '';
    socket.setTimeout(answerMaxMs, () => socket.destroy(new Error('no answer')));
    socket.on('data', (chunk: Buffer) => {
      answeredMs ??= performance.now();
      text += chunk.toString();
    });
    socket.once('error', reject);
    socket.once('close', () => {
      if (answeredMs === undefined) return reject(new Error('the connection ended without an answer'));
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
      resolve({ status, isIn: status === 303 && /^set-cookie: sts_session=[^;\r]+/im.test(text), text, answeredMs });
    });
  });
}
