import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { utf8 } from '#base';
import { ldifHeader } from '#ldap';
import type { Context } from './command.ts';
import { Failure, Misuse } from './exits.ts';
import { createProgress, type Progress } from './progress.ts';

/** Where the text of an export goes. */
export interface Target extends AsyncDisposable {
  readonly progress: Progress;
  /** With the entries so far, and how far that is of all in a unit of its own where that is known. */
  write(text: string | Uint8Array, count: number, done: number, total: number | undefined): Promise<void>;
  end(): Promise<void>;
}

/**
 * Where the text goes. A file is made with the first of it: nothing is made when there is nothing to say, and nothing is left of one that was not
 * written to its end.
 */
export function openTarget(path: string | undefined, context: Context): Target {
  const progress = createProgress(context.stderr, () => context.clock.nowMs(), 'Exporting');
  let sink: Sink | undefined;
  return {
    progress,
    async write(text, count, done, total) {
      if (sink === undefined) {
        sink = path === undefined ? streamSink(context.stdout) : fileSink(path);
        await sink.write(ldifHeader);
      }
      await sink.write(text);
      progress.show(done, total, count);
    },
    async end() {
      sink?.end();
      sink = undefined;
    },
    [Symbol.asyncDispose]: async () => {
      progress.end();
      sink?.drop();
    },
  };
}

interface Sink {
  /** When this resolves the octets are no longer needed. */
  write(text: string | Uint8Array): Promise<void>;
  end(): void;
  /** Ends it before its end. */
  drop(): void;
}

function streamSink(stream: NodeJS.WritableStream): Sink {
  return {
    write: (text) => new Promise((resolve, reject) => void stream.write(text, (error) => (error ? reject(error) : resolve()))),
    end: () => undefined,
    drop: () => undefined,
  };
}

/** Readable by its owner only: it holds what people have told the directory, and perhaps their password hashes. */
function fileSink(path: string): Sink {
  const perform = <T>(act: () => T): T => {
    try {
      return act();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      throw code === 'EEXIST' ? new Misuse(`${path} exists already`) : new Failure(`${path} cannot be written: ${code}`);
    }
  };
  const file = perform(() => openSync(path, 'wx', 0o600));
  return {
    async write(text) {
      const octets = typeof text === 'string' ? utf8(text) : text;
      for (let from = 0; from < octets.length; ) from += perform(() => writeSync(file, octets, from, octets.length - from));
    },
    // A share may say only now that it has no room.
    end: () => perform(() => closeSync(file)),
    drop() {
      closeSync(file);
      rmSync(path, { force: true });
    },
  };
}
