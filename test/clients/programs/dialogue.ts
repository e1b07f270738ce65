import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { until } from './steps.ts';

/** A talk in lines, as IMAP and SMTP have it. */
export interface Dialogue extends Disposable {
  /** Says a line and reads on until a line fits. @returns all lines up to that one @throws Error when the other side hangs up before */
  say(line: string, answer: RegExp): Promise<string[]>;
  /** Reads on until a line fits. */
  hear(answer: RegExp): Promise<string[]>;
  /** Goes on inside TLS. */
  secure(): Promise<void>;
}

const silenceMaxMs = 60_000;

/** Connects to a port of this machine, as soon as somebody listens there. */
export async function openDialogue(port: number, secured: boolean): Promise<Dialogue> {
  let socket: Socket = await until(`a listener on port ${port}`, () => connected(port));
  let rest = '';
  let wake: (() => void) | undefined;
  const follow = (next: Socket) => {
    socket = next;
    // A test that waits for nothing shall end.
    socket.setTimeout(silenceMaxMs, () => socket.destroy());
    socket.on('error', () => undefined).on('close', () => wake?.());
    socket.setEncoding('latin1').on('data', (text: string) => {
      rest += text;
      wake?.();
    });
  };
  const secure = async () => {
    socket.removeAllListeners('data');
    const inner = connectTls({ socket, rejectUnauthorized: false });
    await new Promise<void>((resolve, reject) => inner.once('secureConnect', resolve).once('error', reject));
    follow(inner);
  };
  const hear = async (answer: RegExp): Promise<string[]> => {
    const lines: string[] = [];
    for (;;) {
      const end = rest.indexOf('\n');
      if (end >= 0) {
        const line = rest.slice(0, end).trimEnd();
        rest = rest.slice(end + 1);
        lines.push(line);
        if (answer.test(line)) return lines;
      } else if (socket.destroyed) throw new Error(`hung up after: ${lines.join(' | ')}`);
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  };
  if (secured) await secure();
  else follow(socket);
  return {
    hear,
    secure,
    say: (line, answer) => {
      socket.write(`${line}\r\n`);
      return hear(answer);
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectPlain(port, '127.0.0.1');
    socket.once('connect', () => resolve(socket)).once('error', reject);
  });
}
