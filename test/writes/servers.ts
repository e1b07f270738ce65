import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { utf8 } from '#base';
import { type Control, encodeMessage, formatLdifRecord, type LdifContent, type Message, type Request, type Response } from '#ldap';
import { freePort, runProgram, startServer, stopProgram } from '../../bench/process.ts';
import { connectRaw } from '../support/raw-ldap.ts';

export const suffix = 'dc=example,dc=com';

/** One server under comparison, asked by a connection that is bound as its administrator. */
export interface Asked {
  ask(op: Request, controls?: readonly Control[]): Promise<Answered>;
  /** The DN that a bind named. */
  bind(dn: string, password: string): Promise<number>;
  close(): void;
}

export interface Answered {
  readonly messageId: number;
  readonly code: number;
  readonly matchedDN: string;
  readonly diagnostic: string;
  readonly last: Message<Response>;
  /** What came before the final answer, entries as a rule. */
  readonly before: readonly Message[];
}

/** Connects to a port of this machine. Many may be asked at once: who works on several answers in whatever order they are done. */
export async function connect(port: number): Promise<Asked> {
  const client = await connectRaw({ host: 'localhost', port });
  const waiting = new Map<number, { readonly before: Message[]; readonly done: (last: Message | undefined) => void }>();
  let lastId = 0;
  let isOver = false;
  const pump = async () => {
    for (let message = await client.next(); message !== undefined; message = await client.next()) {
      const asked = waiting.get(message.messageId);
      if (asked !== undefined && 'result' in message.op) {
        waiting.delete(message.messageId);
        asked.done(message);
      } else for (const { before } of asked === undefined ? waiting.values() : [asked]) before.push(message);
    }
  };
  const end = () => {
    isOver = true;
    for (const { done } of waiting.values()) done(undefined);
  };
  void pump().then(end, end);
  const ask: Asked['ask'] = async (op, controls = []) => {
    const messageId = ++lastId;
    const before: Message[] = [];
    const { promise, resolve: done } = Promise.withResolvers<Message | undefined>();
    waiting.set(messageId, { before, done });
    client.write(encodeMessage({ messageId, op, controls }));
    if (isOver) done(undefined);
    const last = await promise;
    if (last === undefined || !('result' in last.op)) throw new Error('the connection ended without an answer');
    const { code, matchedDN, diagnostic } = last.op.result;
    return { messageId, code, matchedDN, diagnostic, last: { ...last, op: last.op }, before };
  };
  return {
    ask,
    bind: async (name, password) => {
      const { code } = await ask({ kind: 'bindRequest', version: 3, name, authentication: { kind: 'simple', password: utf8(password) } });
      return code;
    },
    close: () => client.socket.destroy(),
  };
}

/** Debian's slapd on these entries, with an administrator who may manage all of it. */
export async function startSlapd(program: string, admin: string, password: string, content: readonly LdifContent[]) {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-slapd-'));
  const database = join(folder, 'slapd');
  mkdirSync(database);
  const config = join(folder, 'slapd.conf');
  writeFileSync(config, configuration(database, admin, password));
  const file = join(folder, 'content.ldif');
  writeFileSync(file, content.map((record) => formatLdifRecord(record)).join(''));
  await runProgram('/usr/sbin/slapadd', ['-q', '-f', config, '-l', file]);
  const port = await freePort();
  const { child } = await startServer(program, ['-f', config, '-h', `ldap://127.0.0.1:${port}`, '-d', '0'], port, process.env);
  return {
    port,
    stop: async () => {
      await stopProgram(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(database: string, admin: string, password: string): string {
  return [
    ...['core', 'cosine', 'inetorgperson', 'nis'].map((name) => `include /etc/ldap/schema/${name}.schema`),
    'modulepath /usr/lib/ldap',
    'moduleload back_mdb',
    'loglevel none',
    'attributeoptions lang-',
    'database mdb',
    `suffix "${suffix}"`,
    `rootdn "${admin}"`,
    `rootpw ${password}`,
    `directory ${database}`,
    'maxsize 1073741824',
    'dbnosync',
    'index objectClass eq',
    'access to attrs=userPassword by self write by anonymous auth by * none',
    'access to * by self write by users read by * none',
    '',
  ].join('\n');
}
