import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from '#base';
import { type Control, encodeMessage, type Message, type PartialAttribute, type Request, type Response } from '#ldap';
import { type Answers, type Shown, schema, searchOf } from '../directory/driver.ts';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { connectRaw, type RawClient } from '../support/raw-ldap.ts';
import type { Passwords } from './outcome.ts';
import { type Asking, performWith, proxied, refill, type Service } from './perform.ts';
import type { Asker, PlainEntry, PlainWorld } from './plain.ts';
import { defaultSuffix } from './words.ts';

/**
 * A whole Atrium, asked over its sockets: by anybody over TCP and TLS, and as operator.
 *
 * @param workers  threads that serve LDAP beside the main one
 */
export async function startService(anonymousRead: PlainWorld['anonymousRead'], workers: number): Promise<Service & AsyncDisposable> {
  const settings = {
    STS_REALMS_DEFAULT_SUFFIX: defaultSuffix,
    STS_LDAP_ANONYMOUS_READ: anonymousRead,
    STS_LDAP_WORKERS: String(workers),
    STS_LDAP_HOST: '127.0.0.1',
  };
  const atrium = await startTestAtrium({ settings });
  const operator = await open(atrium, { kind: 'operators', cameInBy: 'operators', ...local, secure: true }, new Map());
  let last: { readonly key: string; readonly asking: Opened } | undefined;
  return {
    fill: async (world, passwords) => await refill(operator.ask, (await storedBy(operator)).keys(), world, passwords),
    async ask(asker, ask, passwords) {
      const key = JSON.stringify(asker);
      if (last?.key !== key) {
        last?.asking.close();
        last = { key, asking: await open(atrium, asker, passwords) };
      }
      const { asking } = last;
      // A bind makes somebody else of a connection.
      // When a search that goes on has shown what is there is not told over a socket: content synchronisation shows the same, and ends.
      if (ask.op !== 'bind')
        return await performWith(asking, ask.op === 'search' && ask.follow !== undefined ? { ...ask, follow: 'sync' } : ask);
      using own = await open(atrium, { ...asker, kind: 'anonymous' }, passwords);
      return await performWith(own, ask);
    },
    stored: () => storedBy(operator),
    state: async () =>
      (await operator.ask({ ...searchOf(defaultSuffix, '(objectClass=*)'), scope: 'base', attributes: ['contextCSN'] })).entries[0]
        ?.all('contextCSN')
        .join(),
    async [Symbol.asyncDispose]() {
      last?.asking.close();
      operator.close();
      await atrium[Symbol.asyncDispose]();
    },
  };
}

export const local = { address: '127.0.0.1', loopback: true } as const;

interface Opened extends Asking, Disposable {
  close(): void;
}

/** A connection as somebody. @throws Error when they cannot come in */
async function open({ addresses, dataDir }: TestAtrium, asker: Asker, passwords: Passwords): Promise<Opened> {
  const { kind, cameInBy, secure, dn, through } = asker;
  const url = new URL(addresses[secure ? 'ldaps' : 'ldap'] ?? '');
  const ca = secure && cameInBy !== 'operators' ? readFileSync(join(dataDir, 'tls', 'ca.pem'), 'utf8') : undefined;
  const socket = decodeURIComponent((addresses['operators'] ?? '').replace('ldapi://', ''));
  const raw = await connectRaw(cameInBy === 'operators' ? { path: socket } : { host: url.hostname, port: Number(url.port) }, ca);
  const ask = askingOf(raw);
  const controls = through === undefined && (cameInBy !== 'operators' || kind === 'operators') ? [] : [proxied(dn ?? '')];
  const close = () => void raw.socket.destroy();
  const opened: Opened = { ask, controls, close, [Symbol.dispose]: close };
  if (cameInBy === undefined) return opened;
  const name = through ?? dn ?? '';
  const password = Buffer.from(passwords.get(name) ?? '');
  const authentication =
    cameInBy === 'operators' ? ({ kind: 'sasl', mechanism: 'EXTERNAL' } as const) : ({ kind: 'simple', password } as const);
  const { code, result } = await ask({ kind: 'bindRequest', version: 3, name: cameInBy === 'operators' ? '' : name, authentication });
  if (code !== 0) throw new Error(`${name} cannot come in: ${code} ${result.diagnostic}`);
  return opened;
}

function askingOf(raw: RawClient): Asking['ask'] {
  let messageId = 0;
  return async (op: Request, controls: readonly Control[] = []) => {
    raw.write(encodeMessage({ messageId: ++messageId, op, controls }));
    const entries: Shown[] = [];
    for (let message = await raw.next(); message !== undefined; message = await raw.next()) {
      const answer = message.op as Response;
      if (answer.kind === 'searchResultEntry') entries.push(shownOf(answer.object, answer.attributes, message));
      else if ('result' in answer) {
        const { result } = answer;
        return {
          code: result.code,
          result,
          entries,
          dns: entries.map(({ dn }) => dn),
          last: answer,
          references: [],
          controls: message.controls,
        } satisfies Answers;
      }
    }
    throw new Error('the service closed the connection');
  };
}

function shownOf(dn: string, attributes: readonly PartialAttribute[], { controls }: Message): Shown {
  const all = (name: string) =>
    (attributes.find(({ description }) => description === name)?.values ?? []).map((value) => text(value) ?? 'octets');
  return { dn, attributes, controls, names: attributes.map(({ description }) => description), all };
}

/** What is worked out for an answer is not stored. */
const computed = ['entryDN', 'subschemaSubentry', 'hasSubordinates', 'memberOf', 'contextCSN'];

async function storedBy(operator: Asking): Promise<ReadonlyMap<string, PlainEntry>> {
  const { entries } = await operator.ask({ ...searchOf(defaultSuffix, '(objectClass=*)'), attributes: ['*', '+'] });
  const plain = entries.map(({ dn, attributes }): PlainEntry => {
    const kept = attributes.filter(({ description }) => schema.attributeType(description) !== undefined && !computed.includes(description));
    const values = kept.map((each) => [each.description, each.values.map((value) => text(value) ?? 'octets')] as const);
    return { dn: dn.toLowerCase(), attributes: Object.fromEntries(values) };
  });
  return new Map(plain.map((entry) => [entry.dn, entry]));
}
