import { concat, utf8 } from '#base';
import { refuse } from '#catalogue';
import { type PublicKey, publicKeyOf } from '#keys';
import { type CborMap, isMap, readCbor } from './cbor.ts';
import { errors } from './errors.ts';

/** Authenticator data of a registration (WebAuthn Level 3 §6.1). */
export interface AuthenticatorData {
  readonly octets: Uint8Array;
  readonly rpIdHash: Uint8Array;
  /** 16 octets. */
  readonly aaguid: Uint8Array;
  readonly credentialId: Uint8Array;
  /** COSE, the octets as they came. */
  readonly publicKeyCose: Uint8Array;
  readonly cose: CborMap;
  /** COSE's number. */
  readonly algorithm: number;
  readonly publicKey: PublicKey;
}

/** An attestation object that was read, not judged (WebAuthn Level 3 §6.5). */
export interface AttestationObject {
  readonly format: string;
  readonly statement: CborMap;
  readonly data: AuthenticatorData;
}

/** An ML-DSA-87 chain of several certificates fits in; so do the eight statements of a compound. */
const objectLimits = { octets: 262_144, depth: 6, items: 512 } as const;
/** A key: ML-DSA-87 has 2592 octets. Extension outputs: credential protection, a PIN's least length, and what else a vendor adds. */
const partLimits = { octets: objectLimits.octets, depth: 4, items: 128 } as const;
const flags = { attested: 0x40, extensions: 0x80 } as const;
/** WebAuthn Level 3 §4, "credential ID". */
const credentialIdMax = 1023;
const headOctets = 37;
const aaguidOctets = 16;

/**
 * Reads an attestation object within bounds.
 *
 * @throws Refusal `malformed` (STS-AUTHN-9370) for anything that is not one, or is larger, deeper or has more items than one can have
 */
export function readAttestationObject(bytes: Uint8Array): AttestationObject {
  const read = readCbor(bytes, objectLimits);
  if (read === undefined || read.octets !== bytes.length || !isMap(read.item)) throw malformed('it is no CBOR map within the limits');
  const format = read.item.get('fmt');
  const statement = read.item.get('attStmt');
  const data = read.item.get('authData');
  if (typeof format !== 'string' || format.length > 32) throw malformed('it names no format');
  if (!isStatement(format, statement) || !(data instanceof Uint8Array)) throw malformed('a part of it is missing');
  return { format, statement: isMap(statement) ? statement : new Map([['attestations', statement]]), data: readData(data) };
}

/**
 * The same authenticator data with no statement (WebAuthn Level 3 §8.7), for a library that judges the ceremony: what the statement proves is judged here.
 *
 * @returns an attestation object
 */
export function bareAttestationObject({ data }: AttestationObject): Uint8Array {
  const { octets } = data;
  // Maps of three and of no members, texts and octets, each with its length (RFC 8949 §3.1).
  const parts = [Uint8Array.of(0xa3), cborText('fmt'), cborText('none'), cborText('attStmt'), Uint8Array.of(0xa0), cborText('authData')];
  return concat([...parts, octetsHead(octets.length), octets]);
}

function cborText(short: string): Uint8Array {
  return concat([Uint8Array.of(0x60 | short.length), utf8(short)]);
}

function octetsHead(length: number): Uint8Array {
  if (length < 0x1_00) return Uint8Array.of(0x58, length);
  if (length < 0x1_00_00) return Uint8Array.of(0x59, length >> 8, length & 0xff);
  return Uint8Array.of(0x5a, 0, length >> 16, (length >> 8) & 0xff, length & 0xff);
}

/** §8.9: the statement of a compound is a list, of every other format a map. */
function isStatement(format: string, statement: unknown): statement is CborMap | CborMap[] {
  return format === 'compound' ? Array.isArray(statement) && statement.every((each) => isMap(each)) : statement instanceof Map;
}

function readData(octets: Uint8Array): AuthenticatorData {
  const fixed = headOctets + aaguidOctets + 2;
  if (octets.length < fixed) throw malformed('the authenticator data are too short');
  const flag = octets[32] as number;
  if ((flag & flags.attested) === 0) throw malformed('the authenticator data name no credential');
  const idOctets = (octets[fixed - 2] as number) * 256 + (octets[fixed - 1] as number);
  if (idOctets > credentialIdMax) throw malformed('the credential id is longer than 1023 octets');
  const rest = octets.subarray(fixed + idOctets);
  const key = readCbor(rest, partLimits);
  if (key === undefined || !isMap(key.item)) throw malformed('the public key is no CBOR map');
  readExtensions(rest.subarray(key.octets), (flag & flags.extensions) !== 0);
  const publicKey = publicKeyOfCose(key.item);
  const algorithm = key.item.get(3);
  if (publicKey === undefined || typeof algorithm !== 'number') throw malformed('the public key is of no known kind');
  return {
    octets,
    rpIdHash: octets.subarray(0, 32),
    aaguid: octets.subarray(headOctets, headOctets + aaguidOctets),
    credentialId: octets.subarray(fixed, fixed + idOctets),
    publicKeyCose: rest.subarray(0, key.octets),
    cose: key.item,
    algorithm,
    publicKey,
  };
}

function readExtensions(rest: Uint8Array, announced: boolean): void {
  if (!announced && rest.length === 0) return;
  const read = announced ? readCbor(rest, partLimits) : undefined;
  if (read === undefined || read.octets !== rest.length || !isMap(read.item))
    throw malformed('the end of the authenticator data is not what the flags say');
}

/** Which curve each algorithm is used on (WebAuthn Level 3 §5.8.5), by COSE's numbers. */
const curveOf: Readonly<Record<number, number>> = { [-7]: 1, [-35]: 2, [-36]: 3, [-8]: 6, [-53]: 7 };
const curves: Readonly<Record<number, string>> = { 1: 'P-256', 2: 'P-384', 3: 'P-521', 6: 'Ed25519', 7: 'Ed448' };
const lattices: Readonly<Record<number, string>> = { [-48]: 'ML-DSA-44', [-49]: 'ML-DSA-65', [-50]: 'ML-DSA-87' };
/** Octets of an RSA modulus and of its exponent: 8192 bits, and more than anybody uses. */
const rsaMax = { modulus: 1024, exponent: 4 } as const;

/** The key of a COSE map (RFC 9052 §7, RFC 9053 §7, RFC 8230 §4, RFC 9964 §3). */
function publicKeyOfCose(cose: CborMap): PublicKey | undefined {
  const algorithm = Number(cose.get(3));
  const curve = curveOf[algorithm] === cose.get(-1) ? curves[Number(cose.get(-1))] : undefined;
  switch (cose.get(1)) {
    case 1:
      return keyFrom({ kty: 'OKP', crv: curve, x: cose.get(-2) });
    case 2:
      return keyFrom({ kty: 'EC', crv: curve, x: cose.get(-2), y: cose.get(-3) });
    case 3:
      return keyFrom({ kty: 'RSA', n: atMost(cose.get(-1), rsaMax.modulus), e: atMost(cose.get(-2), rsaMax.exponent) });
    case 7:
      return keyFrom({ kty: 'AKP', alg: lattices[algorithm], pub: cose.get(-1) });
    default:
      return undefined;
  }
}

function atMost(value: unknown, octets: number): unknown {
  return value instanceof Uint8Array && value.length <= octets ? value : undefined;
}

function keyFrom(parts: Readonly<Record<string, unknown>>): PublicKey | undefined {
  const jwk: Record<string, string> = {};
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value !== 'string' && !(value instanceof Uint8Array)) return undefined;
    jwk[name] = typeof value === 'string' ? value : Buffer.from(value).toString('base64url');
  }
  return publicKeyOf(jwk);
}

function malformed(why: string) {
  return refuse(errors.malformed, { why });
}
