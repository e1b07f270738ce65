import type { StreamReply, WebRealm } from '#web';
import type { Operation, Streamed } from './row.ts';

/** The answer of an operation that gives a stream: a file that is called as its realm is. */
export function streamed({ gives }: Operation, { id }: Pick<WebRealm, 'id'>, { stream }: Streamed): StreamReply {
  const { type, extension } = gives ?? { type: 'application/octet-stream', extension: 'bin' };
  return { kind: 'stream', type, headers: { 'Content-Disposition': `attachment; filename="${id}.${extension}"` }, body: stream };
}
