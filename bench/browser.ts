import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';

export interface PageAnswer {
  readonly status: number;
  readonly location: string;
  readonly body: string;
}

const host = 'localhost';
/** A browser asks for a name once. */
const { address } = await lookup(host);
/** Whatever arrives is copied out of it at once: none is made anew for each piece. */
const arriving = Buffer.allocUnsafe(1 << 16);

/** As little of a browser as signs somebody in: one connection, cookies, and no time lost. One request at a time. */
export class Browser implements Disposable {
  readonly #port: number;
  readonly #cookies = new Map<string, string>();
  #socket: Socket | undefined;
  #arrived = '';
  #waiting: { readonly resolve: (answer: PageAnswer) => void; readonly reject: (error: Error) => void } | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** A connection that the service has closed for resting is opened again. */
  #connected(): Socket {
    if (this.#socket !== undefined && !this.#socket.destroyed) return this.#socket;
    const onread = {
      buffer: arriving,
      callback: (octets: number) => {
        // Octets one by one: lengths are counted in them, and what is looked for is ASCII.
        this.#arrived += arriving.toString('latin1', 0, octets);
        this.#look();
        return true;
      },
    };
    const socket = connect({ port: this.#port, host: address, noDelay: true, onread });
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('the connection was closed')));
    this.#socket = socket;
    return socket;
  }

  get(target: string): Promise<PageAnswer> {
    return this.#ask(`GET ${target} HTTP/1.1\r\nHost: ${host}:${this.#port}\r\n${this.#cookieLine()}\r\n`);
  }

  post(target: string, form: Readonly<Record<string, string>>): Promise<PageAnswer> {
    const body = new URLSearchParams(form).toString();
    return this.#ask(
      `POST ${target} HTTP/1.1\r\nHost: ${host}:${this.#port}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n${this.#cookieLine()}\r\n${body}`,
    );
  }

  has(cookie: string): boolean {
    return this.#cookies.has(cookie);
  }

  #cookieLine(): string {
    if (this.#cookies.size === 0) return '';
    return `Cookie: ${[...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')}\r\n`;
  }

  #ask(request: string): Promise<PageAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#connected().write(request, 'latin1');
    });
  }

  #look(): void {
    const text = this.#arrived;
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = text.slice(0, end);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    if (text.length < end + 4 + length) return;
    this.#arrived = '';
    for (const [, name = '', value = ''] of head.matchAll(/^set-cookie: ([^=]+)=([^;\r]*)/gim)) this.#cookies.set(name, value);
    const answer = {
      status: Number(head.slice(9, 12)),
      location: /^location: (\S+)/im.exec(head)?.[1] ?? '',
      body: text.slice(end + 4, end + 4 + length),
    };
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(answer);
  }

  [Symbol.dispose](): void {
    this.#waiting = undefined;
    this.#socket?.destroy();
  }
}

/** The token of the form on a page. */
export function tokenOf({ body }: PageAnswer): string {
  return /name="csrf" value="([^"]*)"/.exec(body)?.[1] ?? '';
}
