import { once } from 'node:events';

/** Writes, and waits while the reader at the other end is slow: output of any length takes little memory. */
export async function write(stream: NodeJS.WriteStream | NodeJS.WritableStream, text: string | Uint8Array): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain');
}
