import type { Clock } from '#base';
import { refuse } from '#catalogue';
import { errors } from './errors.ts';
import type { Link, LinkOptions } from './link.ts';

/** Opens connections, and holds back while the directory is gone. */
export interface Opener {
  /** @throws Refusal `unreachable` at once while it waits for the next attempt; otherwise what `Link.open` or `ready` throws */
  open(): Promise<Link>;
}

const backOffMinMs = 50;

/** Knows which connections have rested for so long that the directory may be closing them at this very moment. */
export interface Freshness {
  /** Notes a use. */
  used(link: Link): void;
  /** False for one that has ended; one that has rested for too long is ended here. */
  usable(link: Link): boolean;
}

export function createFreshness(clock: Clock, idleMs: () => number): Freshness {
  const usedMs = new WeakMap<Link, number>();
  return {
    used: (link) => void usedMs.set(link, clock.nowMs()),
    usable: (link) => {
      if (link.ended) return false;
      if (link.pending > 0 || clock.nowMs() - (usedMs.get(link) ?? clock.nowMs()) < idleMs()) return true;
      link.close();
      return false;
    },
  };
}

/**
 * Makes an opener. After a failure the next attempt waits, twice as long each time; who asks in between is refused at once.
 *
 * @param ready  what is done on a new connection before it is used
 */
export function createOpener(
  options: () => LinkOptions & { readonly backOffMaxMs: number },
  ready: (link: Link) => Promise<void>,
  clock: Clock,
): Opener {
  let failures = 0;
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  return {
    open: async () => {
      const { backOffMaxMs, ...linkOptions } = options();
      const waitMs = notBeforeMs - clock.nowMs();
      // A longer wait than there can be: the clock was set back.
      if (waitMs > 0 && waitMs <= backOffMaxMs) throw refuse(errors.unreachable, { why: 'it was tried a moment ago' });
      const failuresBefore = failures;
      let link: Link | undefined;
      try {
        // Late: the library is no part of the way to the first answer.
        const { Link } = await import('./link.ts');
        link = await Link.open(linkOptions);
        await ready(link);
        failures = 0;
        notBeforeMs = Number.NEGATIVE_INFINITY;
        return link;
      } catch (error) {
        link?.close();
        notBeforeMs = clock.nowMs() + Math.min(backOffMaxMs, backOffMinMs * 2 ** Math.min(failuresBefore, 30));
        // Attempts that fail together are one failure.
        failures = failuresBefore + 1;
        throw error;
      }
    },
  };
}

/** Connections that several requests share at one time. They never bind, so that their identity never changes. */
export class SharedPool {
  readonly #opener: Opener;
  readonly #size: () => number;
  readonly #waitingMax: () => number;
  readonly #freshness: Freshness;
  #links: Link[] = [];
  #opening: Promise<Link> | undefined;
  #underWay = 0;
  #closed = false;

  constructor(opener: Opener, freshness: Freshness, size: () => number, waitingMax: () => number) {
    this.#opener = opener;
    this.#freshness = freshness;
    this.#size = size;
    this.#waitingMax = waitingMax;
  }

  /** @throws Refusal `unreachable`, `tooMany` (STS-CORE-9102) */
  async use<T>(work: (link: Link) => Promise<T>): Promise<T> {
    if (this.#closed) throw refuse(errors.unreachable, { why: 'the service is ending' });
    if (this.#underWay >= this.#waitingMax()) throw refuse(errors.tooMany, { waiting: this.#underWay });
    this.#underWay++;
    try {
      const link = await this.#choose();
      this.#freshness.used(link);
      return await work(link);
    } finally {
      this.#underWay--;
    }
  }

  async #choose(): Promise<Link> {
    this.#links = this.#links.filter((link) => this.#freshness.usable(link));
    const idlest = this.#links.toSorted((a, b) => a.pending - b.pending)[0];
    if (idlest !== undefined && (idlest.pending === 0 || this.#links.length >= this.#size())) return idlest;
    // One more at a time: a burst of requests opens no burst of connections.
    this.#opening ??= this.#grow();
    if (idlest === undefined) return this.#opening;
    // Nobody waits for it while there is another; if it fails, whoever finds no connection left is told.
    this.#opening.catch(() => undefined);
    return idlest;
  }

  async #grow(): Promise<Link> {
    try {
      const opened = await this.#opener.open();
      if (this.#closed) {
        opened.close();
        throw refuse(errors.unreachable, { why: 'the service is ending' });
      }
      this.#links.push(opened);
      return opened;
    } finally {
      this.#opening = undefined;
    }
  }

  close(): void {
    this.#closed = true;
    for (const link of this.#links) link.close();
  }
}

/** Connections that one piece of work at a time has for itself: a bind changes who the connection is, and a transaction belongs to one. */
export class JudgingPool {
  readonly #opener: Opener;
  readonly #size: () => number;
  readonly #waitingMax: () => number;
  readonly #freshness: Freshness;
  #idle: Link[] = [];
  readonly #busy = new Set<Link>();
  #taken = 0;
  readonly #waiting: (() => void)[] = [];
  #closed = false;

  constructor(opener: Opener, freshness: Freshness, size: () => number, waitingMax: () => number) {
    this.#opener = opener;
    this.#freshness = freshness;
    this.#size = size;
    this.#waitingMax = waitingMax;
  }

  /** @throws Refusal `unreachable`, `tooMany` (STS-CORE-9102) */
  async use<T>(work: (link: Link) => Promise<T>): Promise<T> {
    await this.#turn();
    let link: Link | undefined;
    try {
      if (this.#closed) throw refuse(errors.unreachable, { why: 'the service is ending' });
      this.#idle = this.#idle.filter((idle) => this.#freshness.usable(idle));
      link = this.#idle.pop() ?? (await this.#opener.open());
      this.#busy.add(link);
      this.#freshness.used(link);
      return await work(link);
    } finally {
      if (link !== undefined) {
        this.#busy.delete(link);
        if (this.#closed) link.close();
        else if (!link.ended) this.#idle.push(link);
      }
      // The place goes straight to who has waited longest: nobody who comes now can take it.
      const next = this.#waiting.shift();
      if (next === undefined) this.#taken--;
      else next();
    }
  }

  close(): void {
    this.#closed = true;
    for (const link of [...this.#idle, ...this.#busy]) link.close();
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async #turn(): Promise<void> {
    if (this.#taken < this.#size()) {
      this.#taken++;
      return;
    }
    if (this.#waiting.length >= this.#waitingMax()) throw refuse(errors.tooMany, { waiting: this.#waiting.length });
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
