// A server that does nothing: every request gets the same entry at once. What the load generator reaches against it is the
// most that it could ever report of a real one.
import { createServer } from 'node:net';
import { utf8 } from '#base';
import { encodeMessage, operationTags, readFrame } from '#ldap';

/** What it tells its parent once it listens. */
export interface Listening {
  readonly port: number;
}

const entry = encodeMessage({
  messageId: 1,
  op: {
    kind: 'searchResultEntry',
    object: 'uid=u0000000,ou=people,dc=example,dc=com',
    attributes: Array.from({ length: 22 }, (_, i) => ({ description: `attribute${i}`, values: [utf8('a value of usual length')] })),
  },
  controls: [],
}).subarray(4 + 3);
const success = [0x0a, 1, 0, 4, 0, 4, 0];
const limits = { messageOctetsMax: 2 ** 20 };

const server = createServer({ noDelay: true }, (socket) => {
  let rest = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    const answers: Uint8Array[] = [];
    let at = 0;
    for (let frame = readFrame(rest, at, limits); frame.kind === 'whole'; frame = readFrame(rest, at, limits)) {
      answer(rest, at, answers);
      at = frame.next;
    }
    rest = rest.subarray(at);
    socket.write(Buffer.concat(answers));
  });
});

/** Every length up to 64 KiB is written in the long form of two octets, which is valid BER, so that nothing is to be worked out. */
function answer(bytes: Buffer, start: number, answers: Uint8Array[]): void {
  const first = bytes[start + 1] ?? 0;
  const idAt = start + 2 + (first < 0x80 ? 0 : first & 0x7f);
  const id = bytes.subarray(idAt, idAt + 2 + (bytes[idAt + 1] ?? 0));
  const asked = bytes[idAt + id.length];
  if (asked === operationTags.searchRequest) answers.push(header(id.length + entry.length), id, entry);
  const tag = asked === operationTags.bindRequest ? operationTags.bindResponse : operationTags.searchResultDone;
  answers.push(header(id.length + 2 + success.length), id, Uint8Array.of(tag, success.length, ...success));
}

function header(length: number): Uint8Array {
  return Uint8Array.of(0x30, 0x82, length >> 8, length & 0xff);
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.({ port: address.port } satisfies Listening);
});
process.once('disconnect', () => process.exit());
