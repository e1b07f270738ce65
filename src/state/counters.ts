import { addressOctets, type Clock, hex, isInNetwork, readNetwork } from '#base';
import type { SettingValues } from '#catalogue';
import { sha256 } from '#keys';
import type { Counter } from '#store';
import type { settings as rows } from './settings.ts';

/** One try to prove who somebody is: a password, a code, a ceremony. */
export interface AttemptBy {
  readonly realm: string;
  /** The DN that is tried, whether anybody has it or not. All spellings of it are one. */
  readonly identity: string;
  /** Where the person is; of one that is no network address, such as a socket's, nothing is counted. */
  readonly address: string;
}

export interface CountersOptions {
  readonly clock: Clock;
  readonly settingsOf: (realm: string) => SettingValues<typeof rows>;
  /** What stands for a DN in all of its spellings. */
  readonly identityOf: (dn: string) => string;
}

/** By what an attempt is counted: of one identity, and of one place where the address is one. */
export interface Names {
  readonly kinds: readonly [string, string];
  readonly identity: string;
  readonly place: { readonly octets: Uint8Array; readonly key: string } | undefined;
}

/** Which counters an attempt has, by the settings of this moment. */
export interface Counters {
  of(attempt: AttemptBy): Counter[];
  /** Who asks again and again does it with the same object: its names are made once. */
  namesOf(attempt: AttemptBy): Names;
  named(attempt: AttemptBy, names: Names): Counter[];
}

const identityKind = 'failures.identity';
const addressKind = 'failures.address';

export function createCounters({ clock, settingsOf, identityOf }: CountersOptions): Counters {
  const trusted = createNetworks();
  const made = ({ realm, identity, address }: AttemptBy): Names => {
    const octets = addressOctets(address);
    return {
      kinds: [`${identityKind}/${realm}`, `${addressKind}/${realm}`],
      identity: keyOf(identityOf(identity)),
      place: octets && { octets, key: keyOf(hex(placeOf(octets))) },
    };
  };
  const named: Counters['named'] = ({ realm }, { kinds, identity, place }) => {
    const settings = settingsOf(realm);
    const expiresAtMs = clock.nowMs() + settings['security.rateLimitWindowS'] * 1000;
    const byName = { kind: kinds[0], key: identity, limit: settings['security.rateLimitPerIdentity'], expiresAtMs };
    if (place === undefined) return [byName];
    if (trusted(settings['security.rateLimitTrustedAddresses']).some((each) => isInNetwork(each, place.octets))) return [byName];
    return [byName, { kind: kinds[1], key: place.key, limit: settings['security.rateLimitPerAddress'], expiresAtMs }];
  };
  const known = new WeakMap<AttemptBy, Names>();
  return {
    of: (attempt) => named(attempt, made(attempt)),
    namesOf: (attempt) => {
      const names = known.get(attempt) ?? made(attempt);
      known.set(attempt, names);
      return names;
    },
    named,
  };
}

/** Which of the two a counter is. */
export function ofKind(kind: string): 'identity' | 'address' {
  return kind.startsWith(identityKind) ? 'identity' : 'address';
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
