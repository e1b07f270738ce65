import { pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import type { Chance } from '#base';
import { type ErrorRow, refuse } from '#catalogue';
import { constantTimeEqual } from './digest.ts';
import { errors } from './errors.ts';
import { type ForeignHash, type HashBounds, parseForeign } from './foreign/parse.ts';
import { createForeignJudge } from './foreign/threads.ts';
import { costOctets, formatHash, type HashCost, logNMin, memoryOctets, type ParsedHash, parseHash } from './hash.ts';

const mebibyte = 1024 * 1024;

/** The bounds of a hasher, for those who judge what may be stored without one. */
export function boundsOf({ costMaxMiB, foreignRoundsMax }: Pick<HasherOptions, 'costMaxMiB' | 'foreignRoundsMax'>): HashBounds {
  return { costMaxOctets: costMaxMiB * mebibyte, foreignRoundsMax };
}

const newSaltOctets = 16;
const newKeyOctets = 32;
/** What an absent or unreadable hash is computed with: nobody's, so the work is done and never matches. */
const nobodysSalt = new Uint8Array(newSaltOctets);

export interface HasherOptions {
  /** How many hashes are computed at once: the cores of the machine. libuv's pool must have two threads more. */
  readonly cores: number;
  /** How many may wait beside those. */
  readonly queueMax: number;
  /** The most that one stored hash may ask for: 128 × N × r × p octets, in MiB. */
  readonly costMaxMiB: number;
  /** The most rounds, or iterations, that one stored hash of another system may ask for. */
  readonly foreignRoundsMax: number;
  readonly chance: Chance;
}

export interface Verified {
  readonly matches: boolean;
  /** What is to be stored instead, when the password is that of a hash of another system. */
  readonly renewed?: string;
  /** Why a stored hash could not be compared: STS-KEYS-0004 or 0005, for the caller to audit beside its own refusal. */
  readonly fault?: ErrorRow;
}

/** What PBKDF2 is asked to do. */
export interface Stretch {
  readonly hash: 'sha1' | 'sha256';
  readonly salt: Uint8Array;
  readonly iterations: number;
}

/** Makes and judges password hashes without ever blocking the loop, and without filling the pool that commits need. */
export interface Hasher {
  /**
   * Hashes a password with a salt of its own.
   *
   * @returns the text for `userPassword`, see `formatHash`
   * @throws Refusal `hashQueueFull` (LDAP busy) when too many are waiting
   */
  hash(password: Uint8Array, cost: HashCost): Promise<string>;
  /**
   * Judges a password against a stored hash, ours or of another system (`foreignSchemes`).
   *
   * @param password  one that holds a NUL octet matches nothing
   * @param stored  absent, unreadable and absurd hashes do the work of `cost` and never match, so that time tells nobody who exists
   * @param cost  of the work where there is no hash of ours, and of the hash that takes the place of another system's
   * @throws Refusal `hashQueueFull` (LDAP busy) when too many are waiting
   */
  verify(password: Uint8Array, stored: string | undefined, cost: HashCost): Promise<Verified>;
  /**
   * Hashes secrets of which any one will be presented, all with one salt, so that one hash judges a try.
   *
   * @throws Refusal `hashQueueFull` (LDAP busy) when too many are waiting
   */
  hashSet(secrets: readonly Uint8Array[], cost: HashCost): Promise<readonly string[]>;
  /**
   * Hashes one more secret for such a set: with its salt and cost, or, where there is none that could be computed, with a salt of its own.
   *
   * @throws Refusal `hashQueueFull` (LDAP busy) when too many are waiting
   */
  hashInto(secret: Uint8Array, stored: readonly string[], cost: HashCost): Promise<string>;
  /**
   * Judges a secret against such a set: one hash, whatever the set is. By the salt and cost of the first that can be computed; one of another salt is no match.
   *
   * @param stored  none does the work of `cost`
   * @returns which of them it is
   * @throws Refusal `hashQueueFull` (LDAP busy) when too many are waiting
   */
  findInSet(secret: Uint8Array, stored: readonly string[], cost: HashCost): Promise<{ readonly index?: number }>;
  /**
   * PBKDF2 with HMAC (RFC 8018 §5.2), for verifiers of other mechanisms.
   *
   * @returns as many octets as the hash has
   * @throws Refusal `hashQueueFull` (LDAP busy) when too many are waiting
   */
  pbkdf2(password: Uint8Array, stretch: Stretch): Promise<Uint8Array>;
  /** What a stored hash may ask for. */
  readonly bounds: HashBounds;
  /** How many are being computed and how many wait. */
  readonly load: { readonly running: number; readonly waiting: number };
}

/**
 * The hasher of the process. There is one: its bound is only a bound while nothing else asks scrypt of libuv's pool.
 *
 * scrypt and fdatasync share that pool. At most `cores` hashes are in it, so that of its cores + 2 threads two are always free for the disk.
 */
export function createHasher(options: HasherOptions): Hasher {
  const queue = createQueue(options.cores, options.queueMax);
  const bounds = boundsOf(options);
  const { costMaxOctets } = bounds;
  const foreign = createForeignJudge();

  const derive = (password: Uint8Array, salt: Uint8Array, octets: number, cost: HashCost) =>
    queue.run(() => computeScrypt(password, salt, octets, cost));

  const checkNew = (cost: HashCost): void => {
    if (cost.logN < logNMin) throw new Error(`a new hash has logN ${logNMin} at least`);
    if (costOctets(cost) > costMaxOctets) throw new Error('a new hash would cost more than keys.hashCostMaxMiB');
  };

  async function hash(password: Uint8Array, cost: HashCost): Promise<string> {
    checkNew(cost);
    const salt = options.chance.octets(newSaltOctets);
    const key = await derive(password, salt, newKeyOctets, cost);
    return formatHash({ ...cost, salt, key });
  }

  async function hashSet(secrets: readonly Uint8Array[], cost: HashCost): Promise<readonly string[]> {
    checkNew(cost);
    const salt = options.chance.octets(newSaltOctets);
    const hashes: string[] = [];
    // One behind the other: a set is one request's, and takes one place of the queue at a time.
    for (const secret of secrets) hashes.push(formatHash({ ...cost, salt, key: await derive(secret, salt, newKeyOctets, cost) }));
    return hashes;
  }

  const parsedSet = (stored: readonly string[]) => {
    const parsed = stored.map((each) => parseHash(each, costMaxOctets));
    return { parsed, first: parsed.find((each) => each.kind === 'hash')?.hash };
  };

  async function hashInto(secret: Uint8Array, stored: readonly string[], cost: HashCost): Promise<string> {
    const { first } = parsedSet(stored);
    if (first === undefined) return await hash(secret, cost);
    const key = await derive(secret, first.salt, first.key.length, first);
    return formatHash({ ...first, key });
  }

  async function findInSet(secret: Uint8Array, stored: readonly string[], cost: HashCost): Promise<{ readonly index?: number }> {
    const { parsed, first } = parsedSet(stored);
    const { logN, r, p, salt } = first ?? { ...cost, salt: nobodysSalt };
    const hashed = await derive(secret, salt, first?.key.length ?? newKeyOctets, { logN, r, p });
    const isThat = (each: ParsedHash) =>
      each.kind === 'hash' &&
      [each.hash.logN === logN, each.hash.r === r, each.hash.p === p].every(Boolean) &&
      constantTimeEqual(each.hash.salt, salt) &&
      constantTimeEqual(each.hash.key, hashed);
    const index = parsed.findIndex(isThat);
    return index < 0 || secret.includes(0) ? {} : { index };
  }

  async function verify(password: Uint8Array, stored: string | undefined, cost: HashCost): Promise<Verified> {
    const parsed = stored === undefined ? undefined : parseHash(stored, costMaxOctets);
    if (parsed?.kind === 'hash') {
      const key = await derive(password, parsed.hash.salt, parsed.hash.key.length, parsed.hash);
      // scrypt derives by HMAC, which fills a short key up with zeros (RFC 2104 §2): with NUL octets behind it another text would do as well.
      return { matches: timingSafeEqual(key, parsed.hash.key) && !password.includes(0) };
    }
    // A hash of ours that is not readable is of no scheme of others either.
    const theirs = parsed?.kind === 'undecodable' ? parseForeign(stored ?? '', bounds) : undefined;
    if (theirs?.kind === 'hash') return await verifyForeign(password, theirs.hash, cost);
    await derive(password, nobodysSalt, newKeyOctets, cost);
    if (parsed === undefined) return { matches: false };
    const uncomputable = parsed.kind === 'uncomputable' || theirs?.kind === 'uncomputable';
    return { matches: false, fault: uncomputable ? errors.hashUncomputable : errors.hashUndecodable };
  }

  /**
   * The hash that would take the place of the other is computed whether the password is right or not: it is the work that a name of nobody costs, too. The
   * other is judged beside it, in the same place of the queue.
   */
  function verifyForeign(password: Uint8Array, theirs: ForeignHash, cost: HashCost): Promise<Verified> {
    checkNew(cost);
    const salt = options.chance.octets(newSaltOctets);
    return queue.run(async () => {
      const [matches, key] = await Promise.all([foreign.matches(password, theirs), computeScrypt(password, salt, newKeyOctets, cost)]);
      return matches && !password.includes(0) ? { matches, renewed: formatHash({ ...cost, salt, key }) } : { matches: false };
    });
  }

  return {
    hash,
    hashSet,
    hashInto,
    findInSet,
    verify,
    pbkdf2: (password, stretch) => queue.run(() => computePbkdf2(password, stretch)),
    bounds,
    get load() {
      return queue.load();
    },
  };
}

/**
 * scrypt (RFC 7914) in libuv's pool.
 *
 * @param octets  how long the derived key shall be
 */
export function computeScrypt(password: Uint8Array, salt: Uint8Array, octets: number, cost: HashCost): Promise<Uint8Array> {
  const { logN, r, p } = cost;
  return new Promise((resolve, reject) => {
    scrypt(password, salt, octets, { N: 2 ** logN, r, p, maxmem: memoryOctets(cost) }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

const hashOctets: Readonly<Record<Stretch['hash'], number>> = { sha1: 20, sha256: 32 };

function computePbkdf2(password: Uint8Array, { hash, salt, iterations }: Stretch): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    pbkdf2(password, salt, iterations, hashOctets[hash], hash, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

/** At most `width` tasks run; at most `waitingMax` wait, in the order in which they came; more are refused at once. */
function createQueue(width: number, waitingMax: number) {
  const waiting: (() => void)[] = [];
  let running = 0;

  async function run<T>(task: () => Promise<T>): Promise<T> {
    if (running >= width) {
      if (waiting.length >= waitingMax) throw refuse(errors.hashQueueFull);
      // The task that ends hands its place on, so `running` does not change here.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running++;
    }
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  }

  return { run, load: () => ({ running, waiting: waiting.length }) };
}
