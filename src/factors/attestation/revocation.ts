import { createBoundedMap, hex } from '#base';
import { type Certificate, type RevocationList, readRevocationList, revocationAddresses, sha256 } from '#keys';
import type { Fetch } from './fetch.ts';

export type Revocation = { readonly kind: 'good' } | { readonly kind: 'revoked' } | { readonly kind: 'unknown'; readonly why: string };

export interface RevocationBounds {
  readonly timeoutMs: number;
  readonly octetsMax: number;
}

/** Asks the lists that certificates name. One for the service: what it keeps are lists that their issuers signed, the same for every realm. */
export interface Revocations {
  /**
   * Whether one of the certificates of a path is revoked. The last, the anchor, is not asked about: its own list would be its own word.
   *
   * @returns `good` also when no certificate names a list
   */
  of(path: readonly Certificate[], bounds: RevocationBounds, nowMs: number): Promise<Revocation>;
}

/** Lists that are kept. */
const listsMax = 128;
/** How long a list is good for, whatever it says itself, and how long nobody asks again for one that could not be had. */
const keptMs = 24 * 3_600_000;
const failedMs = 60_000;

interface Kept {
  readonly untilMs: number;
  readonly list: Promise<RevocationList | string>;
}

/** @param fetch  reaches the network */
export function createRevocations(fetch: Fetch): Revocations {
  const kept = createBoundedMap<string, Kept>(listsMax);

  async function load(address: string, issuer: Certificate, bounds: RevocationBounds, nowMs: number): Promise<RevocationList | string> {
    try {
      return readRevocationList(await fetch(address, { ...bounds, redirects: false }), issuer, nowMs);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async function listAt(address: string, issuer: Certificate, bounds: RevocationBounds, nowMs: number): Promise<RevocationList | string> {
    const key = `${hex(sha256(issuer.der))} ${address}`;
    const known = kept.get(key);
    if (known !== undefined && nowMs < known.untilMs) return await known.list;
    const list = load(address, issuer, bounds, nowMs);
    kept.set(key, { untilMs: nowMs + failedMs, list });
    const loaded = await list;
    if (typeof loaded !== 'string') kept.set(key, { untilMs: Math.min(loaded.nextUpdateMs, nowMs + keptMs), list });
    return loaded;
  }

  async function ofOne(certificate: Certificate, issuer: Certificate, bounds: RevocationBounds, nowMs: number): Promise<Revocation> {
    const addresses = revocationAddresses(certificate);
    let why = '';
    for (const address of addresses) {
      const list = await listAt(address, issuer, bounds, nowMs);
      if (typeof list !== 'string' && list.speaksOf(certificate)) return { kind: list.revokes(certificate) ? 'revoked' : 'good' };
      why = typeof list === 'string' ? list : 'the list does not speak of such certificates';
    }
    return addresses.length === 0 ? { kind: 'good' } : { kind: 'unknown', why };
  }

  return {
    async of(path, bounds, nowMs) {
      const asked = path.flatMap((certificate, at) => {
        const issuer = path[at + 1];
        return issuer === undefined ? [] : [ofOne(certificate, issuer, bounds, nowMs)];
      });
      const answers = await Promise.all(asked);
      return (
        answers.find(({ kind }) => kind === 'revoked') ?? answers.find(({ kind }) => kind === 'unknown') ?? ({ kind: 'good' } as const)
      );
    },
  };
}
