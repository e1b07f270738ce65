import type { MessagePort } from 'node:worker_threads';
import { isDiskError, reasonOf } from '../reasons.ts';
import type { Indexer, LargeRules } from '../types.ts';
import { type Build, type BuildOrder, openBuild } from './build.ts';
import { unpack } from './parcel.ts';

/** What the thread that builds is told. */
export type ToBuilder =
  | { readonly kind: 'begin'; readonly order: BuildOrder }
  | { readonly kind: 'entries'; readonly parcel: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'finish' };

/** What it answers; `why` of a disk that refuses is a code. */
export type FromBuilder =
  | { readonly kind: 'taken'; readonly buffer: ArrayBuffer }
  | { readonly kind: 'finished' }
  | { readonly kind: 'failed'; readonly disk: boolean; readonly why: string };

/** Builds a file of entries from what comes in through a port: the work of a thread of its own. */
export function serveBuild(port: MessagePort, indexer: Indexer, large: LargeRules): void {
  let build: Build | undefined;

  function perform(message: ToBuilder): void {
    switch (message.kind) {
      case 'begin':
        build = openBuild(message.order, indexer, large);
        return;
      case 'entries': {
        for (const entry of unpack(message.parcel)) build?.put(entry);
        const { buffer } = message.parcel;
        port.postMessage({ kind: 'taken', buffer } satisfies FromBuilder, [buffer]);
        return;
      }
      case 'finish':
        build?.finish();
        build?.close();
        port.postMessage({ kind: 'finished' } satisfies FromBuilder);
        return;
    }
  }

  port.on('message', (message: ToBuilder) => {
    try {
      perform(message);
    } catch (error) {
      port.postMessage({ kind: 'failed', disk: isDiskError(error), why: reasonOf(error) } satisfies FromBuilder);
    }
  });
}
