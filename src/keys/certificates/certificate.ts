import { type KeyObject, X509Certificate } from 'node:crypto';
import { empty, equalBytes, hex } from '#base';
import { digest } from '../digest.ts';
import { type DerElement, derChildren, derInteger, derOid, derTags, derTime, isContext, isUniversal, readOneDer } from './der.ts';

/** A certificate that was read, not judged (RFC 5280 §4). */
export interface Certificate {
  readonly der: Uint8Array;
  /** 1 to 3. */
  readonly version: number;
  /** Hexadecimal, as it is encoded. */
  readonly serial: string;
  readonly subject: readonly NameValue[];
  readonly subjectDer: Uint8Array;
  readonly issuerDer: Uint8Array;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** `cA` of the basic constraints; `undefined` when there are none. */
  readonly ca: boolean | undefined;
  /** How many certificates of authorities may stand below it; `undefined` for any number. */
  readonly pathLength: number | undefined;
  /** By dotted identifier. */
  readonly extensions: ReadonlyMap<string, Extension>;
  /** Of its issuer's signature. */
  readonly signatureOid: string;
  readonly publicKey: PublicKey;
  readonly parsed: X509Certificate;
}

export interface NameValue {
  readonly oid: string;
  readonly value: string;
}

export interface Extension {
  readonly critical: boolean;
  readonly value: Uint8Array;
}

/** A public key as `node:crypto` holds it; other rooms hand it on and do not look inside. */
export type PublicKey = KeyObject;

/** Octets of one certificate. ML-DSA-87 certificates have some 8,000. */
const certificateOctetsMax = 32_768;
const extensionsMax = 64;
const basicConstraints = '2.5.29.19';

/**
 * Reads a certificate.
 *
 * @param der  RFC 5280 §4.1
 * @returns `undefined` for what is none, is larger than 32 KiB or has an extension twice (§4.2)
 */
export function readCertificate(der: Uint8Array): Certificate | undefined {
  if (der.length > certificateOctetsMax) return undefined;
  const [signed, signature] = derChildren(readOneDer(der));
  const parts = derChildren(signed);
  const version = isContext(parts[0], 0) ? (derInteger(derChildren(parts[0])[0]) ?? -1) + 1 : 1;
  const [serial, , issuer, validity, subject, , ...rest] = isContext(parts[0], 0) ? parts.slice(1) : parts;
  if (version < 1 || version > 3 || serial === undefined || issuer === undefined || subject === undefined) return undefined;
  const extensions = readExtensions(rest.find((part) => isContext(part, 3)));
  const [notBefore, notAfter] = derChildren(validity);
  const parsed = parse(der);
  if (extensions === undefined || parsed === undefined) return undefined;
  const [ca, pathLength] = readConstraints(extensions.get(basicConstraints)?.value);
  return {
    der,
    version,
    serial: hex(serial.content),
    subject: readName(subject),
    subjectDer: subject.whole,
    issuerDer: issuer.whole,
    notBeforeMs: derTime(notBefore),
    notAfterMs: derTime(notAfter),
    ca,
    pathLength,
    extensions,
    signatureOid: derOid(derChildren(signature)[0]?.content ?? empty),
    ...parsed,
  };
}

/** The certificates of a PEM text, in their order; `undefined` when one of them cannot be read. What stands between them is passed over. */
export function readCertificates(pem: string): readonly Certificate[] | undefined {
  const texts = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const read = texts.map((text) => readCertificate(Buffer.from(text.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64')));
  return read.every((each) => each !== undefined) ? read : undefined;
}

/** Signatures with MD5 or SHA-1: somebody else may have made two certificates of one. */
const weakSignatures = new Set([
  '1.2.840.113549.1.1.2',
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.2.840.10040.4.3',
  '1.2.840.10045.4.1',
  '1.3.14.3.2.29',
]);

/** True when one certificate's key signed the other and its subject is the other's issuer. A signature with MD5 or SHA-1 is none. */
export function issued(issuer: Certificate, subject: Certificate): boolean {
  if (!equalBytes(issuer.subjectDer, subject.issuerDer) || weakSignatures.has(subject.signatureOid)) return false;
  try {
    return subject.parsed.verify(issuer.publicKey);
  } catch {
    // OpenSSL throws for algorithms it does not know.
    return false;
  }
}

/** SHA-1 of the certificate's key (RFC 5280 §4.2.1.2, first method): 20 octets that name it. */
export function keyIdentifierOf({ publicKey }: Certificate): Uint8Array {
  const [, bits] = derChildren(readOneDer(publicKey.export({ type: 'spki', format: 'der' })));
  return digest('sha1', bits?.content.subarray(1) ?? empty);
}

/** The attributes of an X.501 name, in their order: dotted identifiers and texts. */
export function readName(name: DerElement): readonly NameValue[] {
  return derChildren(name)
    .flatMap((rdn) => derChildren(rdn))
    .flatMap((ava) => {
      const [oid, value] = derChildren(ava);
      return isUniversal(oid, derTags.oid) && value !== undefined ? [{ oid: derOid(oid.content), value: readText(value) }] : [];
    });
}

/** BMPString holds two octets a character; the others are UTF-8, or a part of it, or Latin-1. */
function readText({ number, content }: DerElement): string {
  if (number === 30) return content.length % 2 === 0 ? Buffer.from(Buffer.from(content).swap16()).toString('utf16le') : '';
  return Buffer.from(content).toString(number === 20 ? 'latin1' : 'utf8');
}

function readExtensions(part: DerElement | undefined): Map<string, Extension> | undefined {
  const found = new Map<string, Extension>();
  if (part === undefined) return found;
  const listed = derChildren(derChildren(part)[0]);
  for (const each of listed.slice(0, extensionsMax + 1)) {
    const [oid, second, third] = derChildren(each);
    const value = third ?? second;
    if (!isUniversal(oid, derTags.oid) || !isUniversal(value, derTags.octets)) return undefined;
    const name = derOid(oid.content);
    if (found.has(name)) return undefined;
    found.set(name, { critical: third !== undefined && second?.content[0] !== 0, value: value.content });
  }
  return found.size > extensionsMax ? undefined : found;
}

function readConstraints(value: Uint8Array | undefined): [ca: boolean | undefined, pathLength: number | undefined] {
  if (value === undefined) return [undefined, undefined];
  const [first, second] = derChildren(readOneDer(value));
  const ca = isUniversal(first, derTags.boolean) && first.content[0] !== 0;
  return [ca, derInteger(isUniversal(first, derTags.integer) ? first : second)];
}

function parse(der: Uint8Array): Pick<Certificate, 'publicKey' | 'parsed'> | undefined {
  try {
    const parsed = new X509Certificate(der);
    // OpenSSL reads what begins with a certificate: nothing may follow.
    return parsed.raw.length === der.length ? { publicKey: parsed.publicKey, parsed } : undefined;
  } catch {
    return undefined;
  }
}

/** The values of a name's attribute. */
export function valuesOf(name: readonly NameValue[], oid: string): readonly string[] {
  return name.flatMap((each) => (each.oid === oid && each.value !== '' ? [each.value] : []));
}
