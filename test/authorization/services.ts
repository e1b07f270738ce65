import type { Chance } from '#base';
import { randomNumbers } from '../support/people.ts';
import type { PlainWorld } from './plain.ts';
import { type Engine, openEngine } from './service.ts';

type Kind = Pick<PlainWorld, 'anonymousRead' | 'realms'>;

/** The directories of a run: opening one takes longer than asking it a hundred times, so each is filled anew and again. */
export class Services implements Disposable {
  readonly #single = new Map<string, Engine>();
  readonly #pairs = new Map<string, Pair>();

  one(kind: Kind): Engine {
    const key = keyOf(kind);
    const service = this.#single.get(key) ?? openEngine(kind.anonymousRead);
    this.#single.set(key, service);
    return service;
  }

  /** Two that make the same identifiers, cookies and CSNs as long as the same is asked of both. */
  pair(kind: Kind, seed: number): readonly [Engine, Engine] {
    const key = keyOf(kind);
    const pair = this.#pairs.get(key) ?? openPair(kind);
    this.#pairs.set(key, pair);
    for (const chance of pair.chances) chance.begin(seed);
    return pair.services;
  }

  [Symbol.dispose](): void {
    for (const service of this.#single.values()) service[Symbol.dispose]();
    for (const { services } of this.#pairs.values()) for (const service of services) service[Symbol.dispose]();
  }
}

/** What a directory is opened with cannot be taken back. */
function keyOf({ anonymousRead, realms }: Kind): string {
  return `${anonymousRead} ${realms.length}`;
}

interface Pair {
  readonly services: readonly [Engine, Engine];
  readonly chances: readonly [SeededChance, SeededChance];
}

interface SeededChance extends Chance {
  begin(seed: number): void;
}

function openPair({ anonymousRead }: Kind): Pair {
  const chances = [seededChance(), seededChance()] as const;
  return { chances, services: [openEngine(anonymousRead, chances[0]), openEngine(anonymousRead, chances[1])] };
}

function seededChance(): SeededChance {
  let random = randomNumbers(0);
  return {
    begin: (seed) => {
      random = randomNumbers(seed);
    },
    octets: (count) => Uint8Array.from({ length: count }, () => random.below(256)),
  };
}
