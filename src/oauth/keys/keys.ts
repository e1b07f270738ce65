import type { Clock } from '#base';
import { refuse } from '#catalogue';
import { ClientRefusal, type DirectoryClient, type OpenedKey, present } from '#client';
import { type SigningAlgorithm, sha256 } from '#keys';
import { resultCodes } from '#ldap';
import type { WebRealm } from '#web';
import { errors } from '../errors.ts';

type Jwk = Readonly<Record<string, unknown>> & { readonly kty: string; readonly kid: string; readonly alg: string };

/** The keys by which tokens of a realm are signed, at this moment. */
export interface RealmKeys {
  /** Another one whenever anything of them is another. */
  readonly version: string;
  /** What signs, in the order of the algorithms that were asked for. */
  readonly privateJwks: { readonly keys: readonly Jwk[] };
  /** What is published: what signs, what will, and what has signed for as long as that is of use. */
  readonly publicJwks: { readonly keys: readonly Jwk[] };
}

export interface SigningKeys {
  /**
   * The keys of a realm, which the directory makes when they are first needed.
   *
   * @param algorithms  what must be there; the first is what is signed by for who does not say
   * @throws Refusal `keysUnavailable` (503): there is no key-encryption key, or not the one that they lie under; STS-CORE-9100 to 9103
   */
  of(realm: Pick<WebRealm, 'id' | 'suffix'>, algorithms: readonly SigningAlgorithm[]): Promise<RealmKeys>;
}

interface Kept {
  /** What the entries said when they were opened. */
  readonly said: string;
  readonly atMs: number;
  readonly keys: readonly OpenedKey[];
}

/** By what the entries say it is seen that they are others: of two states none says the same. */
const saidOf = ['stsKeyId', 'stsKeyState', 'stsKeyUntil', 'entryCSN'];
/** So often the directory is asked whether a key has signed for long enough. */
const askAgainMs = 3_600_000;
const realmsMax = 1000;

export function openSigningKeys({ client, clock }: { readonly client: Pick<DirectoryClient, 'as'>; readonly clock: Clock }): SigningKeys {
  const known = new Map<string, Kept>();
  const entriesIn = async (suffix: string): Promise<string> => {
    const search = { base: `ou=signingKeys,${suffix}`, scope: 'one', filter: present('stsKeyId'), attributes: saidOf } as const;
    try {
      const { entries } = await client.as('self').search(search);
      return entries.map((entry) => saidOf.map((name) => entry.one(name)).join(' ')).join('\n');
    } catch (error) {
      if (error instanceof ClientRefusal && error.code === resultCodes.noSuchObject) return '';
      throw error;
    }
  };
  const opened = async ({ id, suffix }: Pick<WebRealm, 'id' | 'suffix'>, algorithms: readonly SigningAlgorithm[]): Promise<Kept> => {
    const [said, before, nowMs] = [await entriesIn(suffix), known.get(id), clock.nowMs()];
    const isWhole = (keys: readonly OpenedKey[]) => algorithms.every((each) => signerOf(keys, each) !== undefined);
    if (before?.said === said && nowMs - before.atMs < askAgainMs && isWhole(before.keys)) return before;
    const keys = await client
      .as('self')
      .openSigningKeys(suffix, algorithms)
      .catch((error: unknown) => {
        if (error instanceof ClientRefusal && error.code === resultCodes.unwillingToPerform) throw refuse(errors.keysUnavailable);
        throw error;
      });
    if (!isWhole(keys)) throw refuse(errors.keysUnavailable);
    // What was made by this is seen at the next look.
    const kept = { said: keys.length === 0 ? said : await entriesIn(suffix), atMs: nowMs, keys };
    if (known.size >= realmsMax) known.clear();
    known.set(id, kept);
    return kept;
  };
  return {
    of: async (realm, algorithms) => {
      const { keys } = await opened(realm, algorithms);
      const nowMs = clock.nowMs();
      const published = keys.filter(
        ({ state, untilMs }) => state === 'current' || state === 'next' || (state === 'previous' && (untilMs ?? 0) > nowMs),
      );
      const signers = algorithms.flatMap((algorithm) => signerOf(keys, algorithm) ?? []);
      return {
        version: Buffer.from(sha256(JSON.stringify([signers.map(({ kid }) => kid), published.map(({ kid }) => kid)]))).toString(
          'base64url',
        ),
        privateJwks: { keys: signers.map(({ privateJwk = '' }) => JSON.parse(privateJwk)) },
        publicJwks: { keys: published.map(({ publicJwk }) => JSON.parse(publicJwk)) },
      };
    },
  };
}

/** What signs by an algorithm; of two, which an import can leave, the newest. */
function signerOf(keys: readonly OpenedKey[], algorithm: SigningAlgorithm): OpenedKey | undefined {
  return keys.find((key) => key.algorithm === algorithm && key.state === 'current' && key.privateJwk !== undefined);
}
