import type { Audit } from '#audit';
import { refuse } from '#catalogue';
import { createDesks, csnOfChange, directoryErrors, type Engine, stamped } from '#directory';
import type { Turn } from '#state';
import type { WatchedChange } from '#store';
import { ownWatched } from './copies.ts';
import type { MainSide } from './worker-plan.ts';

/** What the main thread does for one worker. */
interface ServedWorker {
  readonly side: MainSide;
  /** To be called when the worker is gone: nobody waits behind it any more. */
  end(): void;
}

/** @param changed  told, once the worker has asked for it, what has become durable */
export function serveWorker(
  { store, hasher, lines, csn, live, changeSchema, attempts, outbox, networks, desks = createDesks() }: Engine,
  audit: Pick<Audit, 'record'>,
  changed: (changes: readonly WatchedChange[]) => void,
): ServedWorker {
  const places = new Map<number, () => void>();
  const underWay = new Map<number, Turn & { kind: 'admitted' }>();
  let entered = 0;
  let gone = false;
  let unwatch: (() => void) | undefined;

  const side: MainSide = {
    async commit(expected, changes, generation) {
      while (!live.isOpen(live.current)) await live.opened();
      if (generation !== live.generation) throw refuse(directoryErrors.schemaMoved);
      const numbered = stamped(changes, csn);
      const result = await store.commit(expected, numbered);
      return result.kind === 'conflict' ? result : { ...result, csns: numbered.map(csnOfChange) };
    },
    changeSchema,
    hash: hasher.hash,
    verify: hasher.verify,
    hashSet: hasher.hashSet,
    hashInto: hasher.hashInto,
    findInSet: hasher.findInSet,
    pbkdf2: hasher.pbkdf2,
    enter: (key) =>
      new Promise((resolve) => {
        const stay = async () => {
          if (gone) return;
          const place = ++entered;
          const { promise, resolve: leave } = Promise.withResolvers<void>();
          places.set(place, leave);
          resolve(place);
          await promise;
        };
        void lines.wait(key, stay);
      }),
    leave: (place) => {
      places.get(place)?.();
      places.delete(place);
    },
    enterAttempt: async (attempt) => {
      const turn = await attempts.enter(attempt);
      if (turn.kind === 'limited') return turn;
      const place = ++entered;
      if (gone) await turn.end('failed');
      else underWay.set(place, turn);
      return { kind: 'admitted', place };
    },
    endAttempt: async (place, outcome) => {
      const turn = underWay.get(place);
      underWay.delete(place);
      await turn?.end(outcome);
    },
    linkHindrance: desks.links.hindrance,
    issueLink: desks.links.issue,
    listMails: desks.mails.list,
    retryMails: desks.mails.retry,
    wakeMails: desks.mails.wake,
    isFull: attempts.isFull,
    isNewNetwork: networks.isNew,
    putEvent: outbox.put,
    takeEventBack: outbox.takeBack,
    record: audit.record,
    watch: () => {
      unwatch ??= store.watch((changes) => changed(changes.map(ownWatched)));
    },
    unwatch: () => {
      unwatch?.();
      unwatch = undefined;
    },
  };
  return {
    side,
    end() {
      gone = true;
      for (const leave of places.values()) leave();
      // Nobody knows what it was about to say of them. Nothing is written for that.
      for (const turn of underWay.values()) void turn.end('failed');
      unwatch?.();
    },
  };
}
