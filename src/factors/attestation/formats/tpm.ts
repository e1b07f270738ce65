import { concat, equalBytes } from '#base';
import {
  type Certificate,
  type DerElement,
  derChildren,
  derOid,
  digest,
  digestOfAlgorithm,
  type HashName,
  isContext,
  publicKeyOf,
  readName,
  readOneDer,
  samePublicKey,
  valuesOf,
} from '#keys';
import { algorithmOf, chainOf, demand, demandSameModel, demandSignature, type Format, octetsOf, signedOctets } from '../statement.ts';

/** Numbers of the Trusted Platform Module Library, part 2: structure tags, algorithms, curves. */
const magic = 0xff544347;
const attestCertify = 0x8017;
const rsa = 0x0001;
const ecc = 0x0023;
const nothing = 0x0010;
const hashes: Readonly<Record<number, HashName>> = { 4: 'sha1', 11: 'sha256', 12: 'sha384', 13: 'sha512' };
const curves: Readonly<Record<number, { readonly name: string; readonly octets: number }>> = {
  3: { name: 'P-256', octets: 32 },
  4: { name: 'P-384', octets: 48 },
  5: { name: 'P-521', octets: 66 },
};
const usualExponent = 65_537;

const oids = { alternativeNames: '2.5.29.17', usage: '2.5.29.37', aik: '2.23.133.8.3' } as const;
/** What an identity key's certificate says of its module: manufacturer, model, version (TPM 2.0 endorsement key profile §3.2.9). */
const moduleOids = ['2.23.133.2.1', '2.23.133.2.2', '2.23.133.2.3'] as const;

/**
 * Attestation by a Trusted Platform Module (WebAuthn Level 3 §8.3). Whose module it is says the chain: the manufacturer's number must be there, and is
 * held against no list of known ones, which would refuse new makers and the vector of the specification.
 */
export const tpm: Format = (presented) => {
  const { statement, data } = presented;
  demand(statement.get('ver') === '2.0', 'ver is not 2.0');
  const algorithm = algorithmOf(statement, 'module');
  const chain = chainOf(statement);
  const pubArea = octetsOf(statement, 'pubArea');
  const certInfo = octetsOf(statement, 'certInfo');
  const area = readPublicArea(pubArea);
  demand(area.key !== undefined && samePublicKey(area.key, data.publicKey), 'pubArea is of another key than the credential');
  const info = readCertInfo(certInfo);
  const hash = digestOfAlgorithm(algorithm);
  demand(hash !== undefined, 'alg is none that a module signs with');
  demand(equalBytes(info.extraData, digest(hash, signedOctets(presented))), 'certInfo was made for another ceremony');
  const name = area.hash === undefined ? undefined : concat([pubArea.subarray(2, 4), digest(area.hash, pubArea)]);
  demand(name !== undefined && equalBytes(info.name, name), 'certInfo is about another key');
  demandIdentityCertificate(chain[0]);
  demandSameModel(chain[0], data);
  demandSignature(algorithm, chain[0].publicKey, certInfo, octetsOf(statement, 'sig'));
  return [{ kind: 'chain', chain, names: 'model' }];
};

/** §8.3.1 */
function demandIdentityCertificate({ version, ca, subject, extensions }: Certificate): void {
  demand(version === 3, 'the certificate is not of version 3');
  demand(subject.length === 0, 'the subject of the certificate is not empty');
  demand(ca !== true, 'the certificate is an authority’s');
  const usages = derChildren(oneOf(extensions.get(oids.usage)?.value)).map(({ content }) => derOid(content));
  demand(usages.includes(oids.aik), 'the certificate is not for attestation by a module');
  const names = derChildren(oneOf(extensions.get(oids.alternativeNames)?.value)).filter((each) => isContext(each, 4));
  const values = names.flatMap((each) => derChildren(each).flatMap(readName));
  demand(
    moduleOids.every((oid) => valuesOf(values, oid).length > 0),
    'the certificate does not name the module',
  );
}

function oneOf(value: Uint8Array | undefined): DerElement | undefined {
  return value === undefined ? undefined : readOneDer(value);
}

/** TPMT_PUBLIC (part 2, §12.2.4): the key, and the hash that its name is made with. */
function readPublicArea(octets: Uint8Array) {
  const read = reader(octets);
  const type = read.number(2);
  const hash = hashes[read.number(2)];
  read.number(4);
  read.sized();
  if (type === rsa) {
    skipScheme(read, 4);
    skipScheme(read, 2);
    read.number(2);
    const exponent = read.number(4);
    const n = read.sized();
    read.end();
    return { hash, key: publicKeyOf({ kty: 'RSA', n: base64url(n), e: base64url(exponentOf(exponent)) }) };
  }
  demand(type === ecc, 'pubArea is of no known kind');
  skipScheme(read, 4);
  skipScheme(read, 2);
  const curve = curves[read.number(2)];
  skipScheme(read, 2);
  const [x, y] = [read.sized(), read.sized()];
  read.end();
  demand(curve !== undefined && x.length <= curve.octets && y.length <= curve.octets, 'pubArea is on no known curve');
  const coordinate = (value: Uint8Array) => base64url(concat([new Uint8Array(curve.octets - value.length), value]));
  return { hash, key: publicKeyOf({ kty: 'EC', crv: curve.name, x: coordinate(x), y: coordinate(y) }) };
}

/** A symmetric algorithm, a signing scheme or a derivation: a number, and what belongs to it unless the number says that there is none. */
function skipScheme(read: Reader, octets: number): void {
  if (read.number(2) !== nothing) read.number(octets);
}

/** Zero stands for the exponent that everybody uses (part 2, §12.2.3.5). */
function exponentOf(given: number): Uint8Array {
  const exponent = given === 0 ? usualExponent : given;
  const octets = Uint8Array.of(exponent >>> 24, (exponent >>> 16) & 0xff, (exponent >>> 8) & 0xff, exponent & 0xff);
  return octets.subarray(octets.findIndex((octet) => octet !== 0));
}

/** TPMS_ATTEST with TPMS_CERTIFY_INFO (part 2, §10.12.8, §10.12.3). */
function readCertInfo(octets: Uint8Array): { readonly extraData: Uint8Array; readonly name: Uint8Array } {
  const read = reader(octets);
  demand(read.number(4) === magic, 'certInfo was not made by a module');
  demand(read.number(2) === attestCertify, 'certInfo is not about a key');
  read.sized();
  const extraData = read.sized();
  // The clock, its counters and whether it is sure of itself; the version of the firmware.
  read.skip(8 + 4 + 4 + 1 + 8);
  const name = read.sized();
  read.sized();
  read.end();
  return { extraData, name };
}

type Reader = ReturnType<typeof reader>;

/** Big-endian numbers and octets with a length of two octets before them; whatever is not there makes the statement bad. */
function reader(octets: Uint8Array) {
  let at = 0;
  const skip = (count: number): Uint8Array => {
    demand(at + count <= octets.length, 'a structure of the module is cut short');
    at += count;
    return octets.subarray(at - count, at);
  };
  const number = (count: number) => skip(count).reduce((value, octet) => value * 256 + octet, 0);
  const end = () => demand(at === octets.length, 'a structure of the module is too long');
  return { number, skip, sized: () => skip(number(2)), end };
}

function base64url(octets: Uint8Array): string {
  return Buffer.from(octets).toString('base64url');
}
