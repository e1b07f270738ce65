import { decodeBer, encodeBer } from '#ldap';

/** A key by which tokens of a realm are signed, as the directory opens it for the web layer. */
export interface OpenedKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly state: string;
  /** JSON (RFC 7517), as the private half. */
  readonly publicJwk: string;
  /** Absent of a key that signs no more, and of one that does not open. */
  readonly privateJwk?: string;
  /** Of one that signs no more: until when it is published. */
  readonly untilMs?: number;
}

/** Which keys to rotate: of one algorithm, or all. */
export interface RotationAsked {
  readonly suffix: string;
  readonly algorithm?: string;
  /** `compromised`: what was made so far is taken back. */
  readonly emergency?: string;
}

export interface KeyRotated {
  readonly algorithm: string;
  /** What signs now. */
  readonly kid: string;
  /** What signed before. */
  readonly previous?: string;
}

const arc = '2.25.83716444157178576224225129172109131643.6';
export const openSigningKeysOid = `${arc}.100`;
export const rotateSigningKeysOid = `${arc}.101`;

const tags = { private: 0x80, until: 0x81, algorithm: 0x80, emergency: 0x81, previous: 0x80 } as const;

/** The value of the request, as the directory's `open signing keys` reads it. */
export function openKeysValue(suffix: string, algorithms: readonly string[]): Uint8Array {
  return encodeBer((ber) =>
    ber.sequence(() => {
      ber.string(suffix);
      ber.sequence(() => {
        for (const algorithm of algorithms) ber.string(algorithm);
      });
    }),
  );
}

/** @throws Error for an answer of another form: it is not this directory's */
export function openedKeysOf(value: Uint8Array | undefined): readonly OpenedKey[] {
  const keys =
    value &&
    decodeBer(value, (ber) =>
      ber.sequence(() => {
        const read: OpenedKey[] = [];
        while (ber.more) {
          read.push(
            ber.sequence(() => {
              const key = { kid: ber.string(), algorithm: ber.string(), state: ber.string(), publicJwk: ber.string() };
              const jwk = ber.tag === tags.private ? ber.string(tags.private) : undefined;
              const until = ber.tag === tags.until ? ber.string(tags.until) : undefined;
              return {
                ...key,
                ...(jwk === undefined ? {} : { privateJwk: jwk }),
                ...(until === undefined ? {} : { untilMs: Number(until) }),
              };
            }),
          );
        }
        return read;
      }),
    );
  if (keys === undefined) throw new Error('the directory opened signing keys and did not say them');
  return keys;
}

export function rotateKeysValue({ suffix, algorithm, emergency }: RotationAsked): Uint8Array {
  return encodeBer((ber) =>
    ber.sequence(() => {
      ber.string(suffix);
      if (algorithm !== undefined) ber.string(algorithm, tags.algorithm);
      if (emergency !== undefined) ber.string(emergency, tags.emergency);
    }),
  );
}

/** @throws Error for an answer of another form */
export function rotatedOf(value: Uint8Array | undefined): readonly KeyRotated[] {
  const rotated =
    value &&
    decodeBer(value, (ber) =>
      ber.sequence(() => {
        const read: KeyRotated[] = [];
        while (ber.more) {
          read.push(
            ber.sequence(() => {
              const [algorithm, kid] = [ber.string(), ber.string()];
              return { algorithm, kid, ...(ber.more ? { previous: ber.string(tags.previous) } : {}) };
            }),
          );
        }
        return read;
      }),
    );
  if (rotated === undefined) throw new Error('the directory rotated signing keys and did not say them');
  return rotated;
}
