import { concat, equalBytes } from '#base';
import {
  type Certificate,
  chainMax,
  derTags,
  isUniversal,
  type PublicKey,
  readCertificate,
  readOneDer,
  valuesOf,
  verifySignature,
} from '#keys';
import type { CborMap } from './cbor.ts';
import type { AuthenticatorData } from './object.ts';

/** What a format judges. */
export interface Presented {
  readonly statement: CborMap;
  readonly data: AuthenticatorData;
  /** SHA-256 of the client data. */
  readonly clientDataHash: Uint8Array;
  readonly nowMs: number;
}

/** What a statement that holds rests on: nothing, the credential's own key, or a chain of certificates, the one that vouches first. */
export type Basis =
  | { readonly kind: 'none' }
  | { readonly kind: 'self' }
  | {
      readonly kind: 'chain';
      readonly chain: readonly [Certificate, ...Certificate[]];
      /** Whether the word of the certificate covers the model: yes; no, but it is bound to one kind of device (`key`); no, and other models share it. */
      readonly names: 'model' | 'key' | 'nothing';
    };

/** Judges the statement of one format: what it rests on. @throws BadStatement when it does not hold */
export type Format = (presented: Presented) => readonly Basis[];

/** A statement that does not hold, with the reason. Never leaves this folder. */
export class BadStatement extends Error {}

/** Octets of a signature: ML-DSA-87 has 4627. */
const signatureOctetsMax = 8192;
const aaguidOid = '1.3.6.1.4.1.45724.1.1.4';

export function demand(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new BadStatement(otherwise);
}

export function octetsOf(statement: CborMap, member: string): Uint8Array {
  const value = statement.get(member);
  demand(value instanceof Uint8Array && value.length > 0, `${member} is missing`);
  return value;
}

/** RSA with SHA-1, which modules sign with to this day, and nobody else may. */
const rs1 = -65_535;

export function algorithmOf(statement: CborMap, by: 'module' | 'others'): number {
  const value = statement.get('alg');
  demand(typeof value === 'number', 'alg is missing');
  demand(value !== rs1 || by === 'module', 'alg is SHA-1, which proves nothing');
  return value;
}

/** The certificates of `x5c`. */
export function chainOf(statement: CborMap): readonly [Certificate, ...Certificate[]] {
  const list = statement.get('x5c');
  demand(Array.isArray(list) && list.length > 0 && list.length <= chainMax, `x5c is no list of 1 to ${chainMax} certificates`);
  return certificatesOf(list);
}

/** @param list  DER, the first the one that vouches */
export function certificatesOf(list: readonly unknown[]): readonly [Certificate, ...Certificate[]] {
  const chain = list.map((der) => {
    const certificate = der instanceof Uint8Array ? readCertificate(der) : undefined;
    demand(certificate !== undefined, 'x5c holds what is no certificate');
    return certificate;
  });
  const [leaf, ...rest] = chain;
  demand(leaf !== undefined, 'x5c is empty');
  return [leaf, ...rest];
}

/** What most formats sign: the authenticator data and the hash of the client data. */
export function signedOctets({ data, clientDataHash }: Presented): Uint8Array {
  return concat([data.octets, clientDataHash]);
}

export function demandSignature(algorithm: number, key: PublicKey, signed: Uint8Array, signature: Uint8Array): void {
  const holds = signature.length <= signatureOctetsMax && verifySignature(algorithm, key, signed, signature);
  demand(holds, 'its signature does not hold');
}

/** The first value of an attribute of a certificate's subject; empty for none. */
export function subjectValue({ subject }: Certificate, oid: string): string {
  return valuesOf(subject, oid)[0] ?? '';
}

/** WebAuthn Level 3 §8.2.1: where a certificate names the model, it names the one of the authenticator data. */
export function demandSameModel({ extensions }: Certificate, { aaguid }: AuthenticatorData): void {
  const extension = extensions.get(aaguidOid);
  if (extension === undefined) return;
  const named = readOneDer(extension.value);
  demand(!extension.critical && isUniversal(named, derTags.octets), 'the extension with the AAGUID is not as it should be');
  demand(equalBytes(named.content, aaguid), 'the certificate is of another model than the authenticator data');
}
