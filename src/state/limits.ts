import { addressOctets, type Clock, hex, isInNetwork, readNetwork } from '#base';
import type { SettingValues } from '#catalogue';
import { sha256 } from '#keys';
import type { Counted, Counter, StateStore } from '#store';
import type { settings as rows } from './settings.ts';
import { countingOf } from './stand-in.ts';

/** One try to prove who somebody is: a password, a code, a ceremony. */
export interface AttemptBy {
  readonly realm: string;
  /** The DN that is tried, whether anybody has it or not. All spellings of it are one. */
  readonly identity: string;
  /** Where the person is; of one that is no network address, such as a socket's, nothing is counted. */
  readonly address: string;
}

/** An attempt counts from when it is admitted, and is taken back when it succeeds. `counters` names those that have reached their limit, or that count it. */
export type Attempt = Limited | { readonly kind: 'admitted'; readonly counters: readonly string[]; succeeded(): Promise<void> };

export interface Limited {
  readonly kind: 'limited';
  /** Whole seconds until the window ends, at least one. */
  readonly waitS: number;
  /** What was tried too often: the name, or from the address. */
  readonly of: 'identity' | 'address';
  readonly counters: readonly string[];
}

/**
 * Failed attempts, counted in fixed windows for each identity and for each address of a realm, in every process that shares the state.
 *
 * @see specification document 1, "Limits"; docs/decisions/0012-failures.md
 */
export interface Limits {
  /**
   * To be asked before anything is verified.
   *
   * @returns `limited` with the seconds until the window ends, also for who would have been right
   */
  enter(attempt: AttemptBy): Promise<Attempt>;
  /** Whether an attempt would be refused at this moment. Nothing is counted. Who asks again and again does it with the same object: its names are made once. */
  isFull(attempt: AttemptBy): boolean;
  /** How an attempt's counters stand, for who counts those under way by themselves (`createTurns`). Nothing is counted. */
  standing(attempt: AttemptBy): readonly Standing[];
  /** Counts an attempt that was not entered, and has failed. */
  fail(attempt: AttemptBy): void;
}

/** A counter of an attempt at this moment. */
export interface Standing {
  readonly counter: string;
  readonly of: Limited['of'];
  readonly failed: number;
  readonly limit: number;
  /** When it ends, or would end if it began now. */
  readonly expiresAtMs: number;
}

export interface LimitsOptions {
  readonly store: StateStore;
  readonly clock: Clock;
  readonly settingsOf: (realm: string) => SettingValues<typeof rows>;
  /** What stands for a DN in all of its spellings. */
  readonly identityOf: (dn: string) => string;
}

/** By what an attempt is counted: of one identity, and of one place where the address is one. */
interface Names {
  readonly kinds: readonly [string, string];
  readonly identity: string;
  readonly place: { readonly octets: Uint8Array; readonly key: string } | undefined;
}

const identityKind = 'failures.identity';
const addressKind = 'failures.address';

export function openLimits({ store, clock, settingsOf, identityOf }: LimitsOptions): Limits {
  const trusted = createNetworks();
  const counting = countingOf(store, clock);
  const namesOf = ({ realm, identity, address }: AttemptBy): Names => {
    const octets = addressOctets(address);
    return {
      kinds: [`${identityKind}/${realm}`, `${addressKind}/${realm}`],
      identity: keyOf(identityOf(identity)),
      place: octets && { octets, key: keyOf(hex(placeOf(octets))) },
    };
  };
  const countersOf = ({ realm }: AttemptBy, { kinds, identity, place }: Names): Counter[] => {
    const settings = settingsOf(realm);
    const expiresAtMs = clock.nowMs() + settings['security.rateLimitWindowS'] * 1000;
    const byName = { kind: kinds[0], key: identity, limit: settings['security.rateLimitPerIdentity'], expiresAtMs };
    if (place === undefined) return [byName];
    if (trusted(settings['security.rateLimitTrustedAddresses']).some((each) => isInNetwork(each, place.octets))) return [byName];
    return [byName, { kind: kinds[1], key: place.key, limit: settings['security.rateLimitPerAddress'], expiresAtMs }];
  };
  const counted = (attempt: AttemptBy) => countersOf(attempt, namesOf(attempt));
  const known = new WeakMap<AttemptBy, Names>();
  const knownNamesOf = (attempt: AttemptBy): Names => {
    const names = known.get(attempt) ?? namesOf(attempt);
    known.set(attempt, names);
    return names;
  };
  return {
    isFull: (attempt) => {
      const names = knownNamesOf(attempt);
      return !counting.isEmpty(names.kinds) && countersOf(attempt, names).some(counting.isFull);
    },
    standing: (attempt) =>
      counted(attempt).map((counter) => {
        const { count, expiresAtMs } = counting.standing(counter);
        return { counter: nameOf(counter), of: ofKind(counter.kind), failed: count, limit: counter.limit, expiresAtMs };
      }),
    fail: (attempt) => void counting.countUp(counted(attempt)),
    enter: async (attempt) => {
      const result = counting.countUp(counted(attempt));
      if (result.kind === 'full')
        return limitedBy(
          result.full.map((each) => ({ counter: nameOf(each), of: ofKind(each.kind), expiresAtMs: each.expiresAtMs })),
          clock.nowMs(),
        );
      return { kind: 'admitted', counters: result.counted.map(nameOf), succeeded: async () => counting.countDown(result.counted) };
    },
  };
}

/**
 * Seconds are rounded up: who waits for so long is not refused again.
 *
 * @param full  the counters that are at their limit
 */
export function limitedBy(full: readonly Pick<Standing, 'counter' | 'of' | 'expiresAtMs'>[], nowMs: number): Limited {
  const waitS = Math.max(1, ...full.map(({ expiresAtMs }) => Math.ceil((expiresAtMs - nowMs) / 1000)));
  const of = full.some((each) => each.of === 'identity') ? 'identity' : 'address';
  return { kind: 'limited', waitS, of, counters: full.map(({ counter }) => counter) };
}

function ofKind(kind: string): Limited['of'] {
  return kind.startsWith(identityKind) ? 'identity' : 'address';
}

function nameOf({ kind, key }: Pick<Counted, 'kind' | 'key'>): string {
  return `${kind}#${key}`;
}

/** A site of IPv6 has at least 2^64 addresses (RFC 6177): it is one place, as an address of IPv4 is. */
const siteOctets = 8;

/** What stands for an address where its requests are counted; itself for what is no network address. */
export function addressPlace(address: string): string {
  const octets = addressOctets(address);
  return octets === undefined ? address : hex(placeOf(octets));
}

function placeOf(octets: Uint8Array): Uint8Array {
  return octets.length === 4 ? octets : octets.subarray(0, siteOctets);
}

/** What stands on disk says neither who nor where. */
function keyOf(text: string): string {
  return Buffer.from(sha256(text)).toString('base64url');
}

/** Reads each list once: it is the same array as long as the setting is the same. */
function createNetworks() {
  const read = new WeakMap<readonly string[], ReturnType<typeof networksOf>>();
  return (texts: readonly string[]) => {
    const known = read.get(texts) ?? networksOf(texts);
    read.set(texts, known);
    return known;
  };
}

function networksOf(texts: readonly string[]) {
  return texts.flatMap((text) => {
    const network = readNetwork(text);
    return 'octets' in network ? network : [];
  });
}
