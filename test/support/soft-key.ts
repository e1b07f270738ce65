import { constants, createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** An authenticator in software: what a key and a browser would answer, and what an attacker would make of it. */
export interface Authenticator {
  readonly id: Uint8Array;
  /** The answer to `navigator.credentials.create`, as the script posts it. */
  create(asked: Asked, more?: Bent): string;
  /** The answer to `navigator.credentials.get`. Its counter is one more each time, unless it stays zero. */
  get(asked: Asked, more?: Bent): string;
}

export interface Asked {
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
}

/** What is other than it should be. */
export interface Bent {
  readonly flags?: number;
  readonly counter?: number;
  readonly type?: string;
  readonly clientData?: Readonly<Record<string, unknown>>;
  readonly id?: Uint8Array;
  /** Of the attested data, when it is not the answer's. */
  readonly attestedId?: Uint8Array;
  readonly publicKey?: Cbor;
  readonly userHandle?: string;
  readonly signature?: (signature: Uint8Array) => Uint8Array;
  readonly format?: string;
  readonly statement?: Cbor;
  readonly attachment?: string;
  readonly rk?: boolean;
  readonly transports?: readonly string[];
}

export type Cbor = number | string | Uint8Array | Map<Cbor, Cbor>;

export const flag = { up: 0x01, uv: 0x04, be: 0x08, bs: 0x10, at: 0x40 } as const;

interface Made {
  readonly cose: Map<Cbor, Cbor>;
  readonly sign: (data: Uint8Array) => Uint8Array;
}

const b64 = (octets: Uint8Array) => Buffer.from(octets).toString('base64url');
const fromB64 = (text: string | undefined) => new Uint8Array(Buffer.from(text ?? '', 'base64url'));
const hashed = (data: Uint8Array | string) => createHash('sha256').update(data).digest();

/** An authenticator with a new key of an algorithm of `webauthn.algorithms`. */
export function makeAuthenticator(algorithm: string, { counts = true, idOctets = 32, standing = flag.up | flag.uv } = {}): Authenticator {
  const key = makers[algorithm]?.();
  if (key === undefined) throw new Error(`no such algorithm: ${algorithm}`);
  const id = new Uint8Array(randomBytes(idOctets));
  let counter = 0;
  const clientDataOf = (type: string, { challenge, origin }: Asked, { clientData = {}, type: other }: Bent) =>
    Buffer.from(JSON.stringify({ type: other ?? type, challenge, origin, crossOrigin: false, ...clientData }));
  const head = (rpId: string, flags: number, count: number) => {
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(count);
    return Buffer.concat([hashed(rpId), Buffer.from([flags]), counted]);
  };
  const next = () => (counts ? ++counter : 0);

  return {
    id,
    create: (asked, more = {}) => {
      const attested = more.attestedId ?? more.id ?? id;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(attested.length);
      const authData = Buffer.concat([
        head(asked.rpId, (more.flags ?? standing) | flag.at, more.counter ?? next()),
        Buffer.alloc(16),
        length,
        attested,
        cbor(more.publicKey ?? key.cose),
      ]);
      const attestationObject = cbor(
        new Map<Cbor, Cbor>([
          ['fmt', more.format ?? 'none'],
          ['attStmt', more.statement ?? new Map()],
          ['authData', new Uint8Array(authData)],
        ]),
      );
      return JSON.stringify({
        id: b64(more.id ?? id),
        type: 'public-key',
        authenticatorAttachment: more.attachment ?? 'cross-platform',
        clientExtensionResults: more.rk === undefined ? {} : { credProps: { rk: more.rk } },
        response: {
          clientDataJSON: b64(clientDataOf('webauthn.create', asked, more)),
          attestationObject: b64(attestationObject),
          transports: more.transports ?? ['usb'],
        },
      });
    },
    get: (asked, more = {}) => {
      const clientData = clientDataOf('webauthn.get', asked, more);
      const authData = head(asked.rpId, more.flags ?? standing, more.counter ?? next());
      const signature = key.sign(Buffer.concat([authData, hashed(clientData)]));
      return JSON.stringify({
        id: b64(more.id ?? id),
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: b64(clientData),
          authenticatorData: b64(authData),
          signature: b64(more.signature === undefined ? signature : more.signature(signature)),
          ...(more.userHandle === undefined ? {} : { userHandle: more.userHandle }),
        },
      });
    },
  };
}

/** CBOR in the form that CTAP2 writes: what is needed of it. */
export function cbor(value: Cbor): Uint8Array {
  if (typeof value === 'number') return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value);
  if (typeof value === 'string') return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([cborHead(2, value.length), value]);
  return Buffer.concat([cborHead(5, value.size), ...[...value].flatMap(([key, each]) => [cbor(key), cbor(each)])]);
}

function cborHead(major: number, count: number): Uint8Array {
  const top = major << 5;
  if (count < 24) return Buffer.from([top | count]);
  if (count < 0x100) return Buffer.from([top | 24, count]);
  if (count < 0x10000) return Buffer.from([top | 25, count >> 8, count & 0xff]);
  const octets = Buffer.alloc(5);
  octets[0] = top | 26;
  octets.writeUInt32BE(count, 1);
  return octets;
}

const makers: Readonly<Record<string, () => Made>> = {
  ES256: () => elliptic(-7, 'P-256', 1, 'sha256'),
  ES384: () => elliptic(-35, 'P-384', 2, 'sha384'),
  ES512: () => elliptic(-36, 'P-521', 3, 'sha512'),
  EdDSA: () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const { x } = publicKey.export({ format: 'jwk' });
    return { cose: map([1, 1], [3, -8], [-1, 6], [-2, fromB64(x)]), sign: (data) => sign(null, data, privateKey) };
  },
  RS256: () => rsa(-257, 'sha256', constants.RSA_PKCS1_PADDING),
  RS384: () => rsa(-258, 'sha384', constants.RSA_PKCS1_PADDING),
  RS512: () => rsa(-259, 'sha512', constants.RSA_PKCS1_PADDING),
  PS256: () => rsa(-37, 'sha256', constants.RSA_PKCS1_PSS_PADDING),
  PS384: () => rsa(-38, 'sha384', constants.RSA_PKCS1_PSS_PADDING),
  PS512: () => rsa(-39, 'sha512', constants.RSA_PKCS1_PSS_PADDING),
  'ML-DSA-44': () => lattice(-48, 'ml-dsa-44'),
  'ML-DSA-65': () => lattice(-49, 'ml-dsa-65'),
  'ML-DSA-87': () => lattice(-50, 'ml-dsa-87'),
};

function elliptic(alg: number, namedCurve: string, crv: number, hash: string): Made {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
  const { x, y } = publicKey.export({ format: 'jwk' });
  return { cose: map([1, 2], [3, alg], [-1, crv], [-2, fromB64(x)], [-3, fromB64(y)]), sign: (data) => sign(hash, data, privateKey) };
}

function rsa(alg: number, hash: string, padding: number): Made {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { n, e } = publicKey.export({ format: 'jwk' });
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
  return {
    cose: map([1, 3], [3, alg], [-1, fromB64(n)], [-2, fromB64(e)]),
    sign: (data) => sign(hash, data, { key: privateKey, padding, saltLength }),
  };
}

/** RFC 9964: key type AKP, the public key under -1. */
function lattice(alg: number, kind: 'ml-dsa-44' | 'ml-dsa-65' | 'ml-dsa-87'): Made {
  const { publicKey, privateKey } = generateKeyPairSync(kind as 'ed25519') as { publicKey: KeyObject; privateKey: KeyObject };
  const { pub } = publicKey.export({ format: 'jwk' }) as { readonly pub?: string };
  return { cose: map([1, 7], [3, alg], [-1, fromB64(pub)]), sign: (data) => sign(null, data, privateKey) };
}

function map(...pairs: readonly (readonly [Cbor, Cbor])[]): Map<Cbor, Cbor> {
  return new Map(pairs);
}
