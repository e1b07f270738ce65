import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import { type Control, decodeMessage, formatFilter, type Message, type Request, type Response, readFrame, type SearchRequest } from '#ldap';

/** One request of a program, and how it was answered. */
export interface Recorded {
  /** Who had signed in on the connection; empty for nobody. */
  readonly as: string;
  readonly controls: readonly { readonly oid: string; readonly critical: boolean; readonly value?: string }[];
  readonly bind?: { readonly name: string; readonly password: string };
  readonly search?: Omit<SearchRequest, 'kind' | 'filter' | 'timeLimitS' | 'typesOnly'> & { readonly filter: string };
  readonly compare?: { readonly entry: string; readonly description: string; readonly value: string };
  readonly code: number;
  /** The names of the entries that were found. */
  readonly entries?: readonly string[];
}

export interface Relay extends Disposable {
  /** What was asked so far, each request once. */
  recorded(): Recorded[];
}

const anything = { messageOctetsMax: 2 ** 30 };

/**
 * Stands between programs and a directory, and writes down what is asked: programs come to it by TLS, the directory is asked in clear.
 *
 * @param port       where programs come to
 * @param directory  the port of the directory on this machine
 * @param tls        files of the certificate and its key
 */
export async function startRelay(
  port: number,
  directory: number,
  tls: { readonly certFile: string; readonly keyFile: string },
): Promise<Relay> {
  const seen = new Map<string, Recorded>();
  const note = (recorded: Recorded) => seen.set(JSON.stringify(recorded), recorded);
  const server = createServer({ cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) }, (program) => {
    const behind = connect(directory, '127.0.0.1');
    relay(program, behind, note);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { recorded: () => [...seen.values()], [Symbol.dispose]: () => void server.close() };
}

function relay(program: Socket, behind: Socket, note: (recorded: Recorded) => void): void {
  const open = new Map<number, { readonly message: Message; readonly entries: string[] }>();
  let as = '';
  const fromProgram = reader((message) => open.set(message.messageId, { message, entries: [] }));
  const fromDirectory = reader(({ messageId, op }) => {
    const asked = open.get(messageId);
    if (asked === undefined) return;
    if (op.kind === 'searchResultEntry') asked.entries.push(op.object);
    if (!('result' in op)) return;
    open.delete(messageId);
    const recorded = recordOf(as, asked.message.op, asked.message.controls, op, asked.entries);
    if (recorded !== undefined) note(recorded);
    if (recorded?.bind !== undefined) as = op.result.code === 0 ? recorded.bind.name : '';
  });
  for (const [from, to, hear] of [[program, behind, fromProgram] as const, [behind, program, fromDirectory] as const]) {
    from.on('error', () => to.destroy()).on('close', () => to.destroy());
    from.on('data', (chunk: Buffer) => {
      hear(chunk);
      to.write(chunk);
    });
  }
}

function recordOf(
  as: string,
  op: Request | Response,
  controls: readonly Control[],
  { result }: Extract<Response, { result: unknown }>,
  entries: readonly string[],
): Recorded | undefined {
  const { code } = result;
  const told = {
    as,
    controls: controls.map(({ oid, critical, value }) => ({
      oid,
      critical,
      ...(value === undefined ? {} : { value: Buffer.from(value).toString('base64') }),
    })),
    code,
  };
  if (op.kind === 'bindRequest' && op.authentication.kind === 'simple')
    return { ...told, bind: { name: op.name, password: Buffer.from(op.authentication.password).toString() } };
  if (op.kind === 'compareRequest')
    return { ...told, compare: { entry: op.entry, description: op.description, value: Buffer.from(op.value).toString() } };
  if (op.kind !== 'searchRequest') return undefined;
  const { baseObject, scope, derefAliases, sizeLimit, attributes } = op;
  const search = { baseObject, scope, derefAliases, sizeLimit, attributes, filter: formatFilter(op.filter) };
  return { ...told, search, entries: entries.toSorted() };
}

/** Puts octets together to messages. */
function reader(heard: (message: Message) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let frame = readFrame(rest, 0, anything); frame.kind === 'whole'; frame = readFrame(rest, 0, anything)) {
      const decoded = decodeMessage(rest.subarray(0, frame.next), { depthMax: 100 });
      if (decoded.kind === 'bad') throw new Error(`no message: ${decoded.why}`);
      rest = rest.subarray(frame.next);
      heard(decoded.message);
    }
  };
}
