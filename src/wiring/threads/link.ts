import { type Detail, type ErrorRow, Refusal, refuse } from '#catalogue';

/** What one thread does for another: functions whose arguments and results can be copied to it. */
export type Side<T> = { readonly [Name in keyof T]: (...given: never[]) => unknown };

/** One end of a channel between two threads: a worker as its parent sees it, or `parentPort`. */
interface Port {
  postMessage(message: Message): void;
  on(event: 'message', hear: (message: Message) => void): unknown;
}

type Message =
  | { readonly kind: 'ask'; readonly id: number; readonly name: string; readonly given: readonly unknown[] }
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'refused'; readonly id: number; readonly code: string; readonly detail: Detail }
  | { readonly kind: 'failed'; readonly id: number; readonly why: string };

/** Calls what another thread does for this one. */
export interface Link<Theirs extends Side<Theirs>> {
  /** @throws Refusal  the row and detail of the one thrown there; Error for what failed there otherwise, or when the other thread is gone */
  ask<Name extends keyof Theirs & string>(name: Name, ...given: Parameters<Theirs[Name]>): Promise<Awaited<ReturnType<Theirs[Name]>>>;
  /** Without an answer. What was told before something else is asked is heard before it. */
  tell<Name extends keyof Theirs & string>(name: Name, ...given: Parameters<Theirs[Name]>): void;
  /** To be called when the other thread is gone: what it was asked fails. */
  end(): void;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

/** The id of what is told: nobody waits for it. */
const untold = 0;

/**
 * Links two threads. Octets must be given as copies of their own size: a view takes all the memory that it is a view of with it.
 *
 * @param own  what this thread does for the other
 * @param rows  the refusals that may come over: a row is the same object on this side as in the table
 */
export function createLink<Own extends Side<Own>, Theirs extends Side<Theirs>>(
  port: Port,
  own: Own,
  rows: readonly ErrorRow[],
): Link<Theirs> {
  const waiting = new Map<number, Waiting>();
  let asked = untold;
  let ended = false;

  const answer = async ({ id, name, given }: Message & { kind: 'ask' }): Promise<void> => {
    const act = own[name as keyof Own];
    try {
      const value = await act(...(given as never[]));
      if (id !== untold) port.postMessage({ kind: 'done', id, value });
    } catch (error) {
      if (id === untold) throw error;
      if (error instanceof Refusal) port.postMessage({ kind: 'refused', id, code: error.row.code, detail: error.detail });
      else port.postMessage({ kind: 'failed', id, why: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  };

  port.on('message', (message) => {
    if (message.kind === 'ask') {
      void answer(message);
      return;
    }
    const whose = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.kind === 'done') whose?.resolve(message.value as never);
    else if (message.kind === 'refused') whose?.reject(refusalOf(message, rows));
    else whose?.reject(new Error(`in the other thread: ${message.why}`));
  });

  return {
    ask: (name, ...given) =>
      new Promise((resolve, reject) => {
        if (ended) {
          reject(gone());
          return;
        }
        waiting.set(++asked, { resolve, reject });
        port.postMessage({ kind: 'ask', id: asked, name, given });
      }),
    tell(name, ...given) {
      if (!ended) port.postMessage({ kind: 'ask', id: untold, name, given });
    },
    end() {
      ended = true;
      for (const { reject } of waiting.values()) reject(gone());
      waiting.clear();
    },
  };
}

function gone(): Error {
  return new Error('the other thread has ended');
}

function refusalOf({ code, detail }: Message & { kind: 'refused' }, rows: readonly ErrorRow[]): Error {
  const row = rows.find((each) => each.code === code);
  return row === undefined ? new Error(`the other thread refused with ${code}, which is no row here`) : refuse(row, detail);
}
