import { renameSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { refuse } from '#catalogue';
import { makeWhole } from '../copy.ts';
import { errors } from '../errors.ts';
import { inWords } from '../reasons.ts';
import type { EntryRecord } from '../types.ts';
import { createPacker } from './parcel.ts';
import type { FromBuilder, ToBuilder } from './thread.ts';
import type { Load } from './types.ts';

export interface Frame {
  /** The entries that are there, superiors first. */
  readonly entries: readonly EntryRecord[];
  readonly epoch: number;
  /** Of the newest change. */
  readonly number: number;
  readonly newestCsn: string | undefined;
}

export interface FreshOptions {
  readonly path: string;
  readonly frame: Frame;
  readonly indexVersion: string;
  /** Starts the thread that builds (`serveBuild`). */
  readonly startBuilder: () => Worker;
}

const parcelOctets = 1_048_576;
/** Parcels that the builder may be behind. */
const parcelsMax = 4;

/**
 * Makes a file of entries anew, of those that are there and those that `fill` puts, which takes the old one's place when it is whole and on
 * disk. Until then the old one is as it was, and it stays when `fill` throws.
 *
 * @throws Refusal  STS-STORE-9009 when the disk refuses
 */
export async function loadFresh<T>(options: FreshOptions, fill: (load: Load) => Promise<T>): Promise<T> {
  const { path, frame, indexVersion } = options;
  return await makeWhole(
    path,
    async (fresh) => {
      const builder = openBuilder(options);
      try {
        // What was loaded counts as one change, which the log does not have: whoever asks for what came after an earlier one is told to begin anew.
        const number = frame.number + 2;
        builder.begin({ path: fresh, folder: dirname(fresh), indexVersion, epoch: frame.epoch, number });
        for (const entry of frame.entries) await builder.put(entry);
        const filled = await fill({ existing: existingOf(frame), put: builder.put });
        await builder.finish();
        return filled;
      } finally {
        await builder.end();
      }
    },
    (fresh) => {
      // The old file's own log, which is empty: beside the new one it would be taken for the new one's.
      for (const beside of ['-wal', '-shm']) rmSync(`${path}${beside}`, { force: true });
      renameSync(fresh, path);
    },
  );
}

function existingOf({ entries, newestCsn }: Frame): Load['existing'] {
  const keyOf = (dnKey: Uint8Array) => Buffer.from(dnKey).toString('latin1');
  const names = new Map(entries.map(({ dnKey, uuid }) => [keyOf(dnKey), uuid]));
  const uuids = new Set(entries.map(({ uuid }) => uuid));
  // Most names asked for are not there, which their lengths tell.
  const lengths = new Set(entries.map(({ dnKey }) => dnKey.length));
  return {
    empty: entries.length === 0,
    newestCsn,
    keepsCsns: true,
    uuidAt: (dnKey) => (lengths.has(dnKey.length) ? names.get(keyOf(dnKey)) : undefined),
    has: (uuid) => uuids.has(uuid),
  };
}

/** The thread that builds, as the one that fills sees it. */
function openBuilder({ path, startBuilder }: FreshOptions) {
  const worker = startBuilder();
  const packer = createPacker(parcelOctets + parcelOctets / 4);
  let behind = 0;
  let failure: Error | undefined;
  let finished = false;
  let wake: (() => void) | undefined;

  worker.on('message', (message: FromBuilder) => {
    switch (message.kind) {
      case 'taken':
        behind--;
        packer.reuse(message.buffer);
        break;
      case 'finished':
        finished = true;
        break;
      case 'failed':
        failure ??= message.disk
          ? refuse(errors.backupFailed, { file: basename(path), why: inWords(message.why) })
          : new Error(message.why);
        break;
    }
    wake?.();
  });
  worker.on('error', (error) => {
    failure ??= error instanceof Error ? error : new Error(String(error));
    wake?.();
  });
  worker.on('exit', (status) => {
    failure ??= new Error(`the thread that builds ended with ${status}`);
    wake?.();
  });

  function tell(message: ToBuilder, handedOver: readonly ArrayBuffer[] = []): void {
    worker.postMessage(message, [...handedOver]);
  }

  async function until(done: () => boolean): Promise<void> {
    while (!done()) {
      if (failure !== undefined) throw failure;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (failure !== undefined) throw failure;
  }

  function hand(): Promise<void> | undefined {
    const parcel = packer.take();
    tell({ kind: 'entries', parcel }, [parcel.buffer]);
    behind++;
    return behind < parcelsMax && failure === undefined ? undefined : until(() => behind < parcelsMax);
  }

  return {
    begin: (order: (ToBuilder & { kind: 'begin' })['order']) => tell({ kind: 'begin', order }),
    put(entry: EntryRecord): Promise<void> | undefined {
      packer.put(entry);
      return packer.octets < parcelOctets ? undefined : hand();
    },
    async finish(): Promise<void> {
      if (packer.octets > 0) await hand();
      tell({ kind: 'finish' });
      await until(() => finished);
    },
    async end(): Promise<void> {
      failure ??= new Error('the load has ended');
      await worker.terminate();
    },
  };
}
