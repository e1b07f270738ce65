import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { concat } from '#base';
import { decodeMessage, encodeMessage, type Message, type Request, type Response, readFrame } from '#ldap';

/** Answers one request as the test wants: with responses, with octets of its own, or not at all. */
export type Answering = (message: Message<Request>, send: (...ops: Response[]) => void, socket: Socket) => void;

export const success = { code: 0, matchedDN: '', diagnostic: '' };

/** A peer that speaks LDAP as badly as a test needs it; what it says of the web layer's secret is `secretCode`. */
export async function rawDirectory(
  t: ExecutionContext,
  answering: Answering,
  secretCode = 0,
): Promise<{ socketPath: string; requests: Message<Request>[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-'));
  const socketPath = join(folder, 'web');
  const requests: Message<Request>[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    let held: Uint8Array = new Uint8Array(0);
    socket.on('data', (chunk: Buffer) => {
      held = concat([held, chunk]);
      for (;;) {
        const frame = readFrame(held, 0, { messageOctetsMax: 1_000_000 });
        if (frame.kind !== 'whole') return;
        const decoded = decodeMessage(held.subarray(0, frame.next), { depthMax: 50 });
        held = held.subarray(frame.next);
        if (decoded.kind === 'bad') return void socket.destroy();
        const message = decoded.message as Message<Request>;
        requests.push(message);
        const send = (...ops: Response[]) => {
          socket.write(concat(ops.map((op) => encodeMessage({ messageId: message.messageId, op, controls: [] }))));
        };
        if (message.op.kind === 'extendedRequest' && message.op.oid.endsWith('.6.1'))
          send({ kind: 'extendedResponse', result: { ...success, code: secretCode } });
        else answering(message, send, socket);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });
  return { socketPath, requests };
}
