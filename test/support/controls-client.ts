import { type Control, encodeMessage, type Request, type SearchRequest } from '#ldap';
import { connectRaw } from './raw-ldap.ts';

/** What a request with controls is answered with. */
export interface Exchanged {
  readonly code: number;
  readonly dns: readonly string[];
  /** Each attribute of each entry with the number of its values. */
  readonly attributes: readonly string[];
  /** With the final answer. */
  readonly controls: readonly Control[];
}

/** A connection that sends one request after the other, with controls. */
export interface ControlsClient {
  search(request: SearchRequest & Request, ...controls: readonly Control[]): Promise<Exchanged>;
  close(): void;
}

/** Connects over TCP and binds. @throws Error when the bind is not taken */
export async function connectForControls(url: string, name: string, password: string): Promise<ControlsClient> {
  const { hostname: host, port } = new URL(url);
  const client = await connectRaw({ host, port: Number(port) });
  let messageId = 0;
  const exchange = async (op: Request, controls: readonly Control[] = []): Promise<Exchanged> => {
    client.write(encodeMessage({ messageId: ++messageId, op, controls }));
    const dns: string[] = [];
    const attributes: string[] = [];
    for (let message = await client.next(); message !== undefined; message = await client.next()) {
      const { op: answer } = message;
      if (answer.kind === 'searchResultEntry') {
        dns.push(answer.object);
        attributes.push(...answer.attributes.map(({ description, values }) => `${description} ${values.length}`));
      } else if ('result' in answer) return { code: answer.result.code, dns, attributes, controls: message.controls };
    }
    throw new Error('the connection is over');
  };
  const authentication = { kind: 'simple', password: Buffer.from(password) } as const;
  const { code } = await exchange({ kind: 'bindRequest', version: 3, name, authentication });
  if (code !== 0) throw new Error(`the bind was not taken: ${code}`);
  return { search: (op, ...controls) => exchange(op, controls), close: () => client.socket.destroy() };
}
