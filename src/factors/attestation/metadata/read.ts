import { Worker } from 'node:worker_threads';
import type { BlobAsked, BlobRead } from './blob.ts';

/** A real blob of 8 MB takes a tenth of a second, and most of that is the start of the thread. */
const timeoutMs = 30_000;
const heapMiB = 768;

/** Has a blob read in a thread of its own: megabytes of JSON would hold everybody else up. */
export function readBlobBeside(asked: BlobAsked): Promise<BlobRead> {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    name: 'metadata',
    workerData: asked,
    resourceLimits: { maxOldGenerationSizeMb: heapMiB },
  });
  return new Promise((resolve) => {
    const end = (read: BlobRead) => {
      clearTimeout(timer);
      resolve(read);
      void worker.terminate();
    };
    const timer = setTimeout(() => end({ kind: 'bad', why: 'it took too long to read' }), timeoutMs);
    worker.on('message', (read: BlobRead) => end(read));
    worker.on('error', (error) => end({ kind: 'bad', why: error instanceof Error ? error.message : String(error) }));
    worker.on('exit', () => end({ kind: 'bad', why: 'the thread that read it has ended' }));
  });
}
