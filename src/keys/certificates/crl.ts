import { equalBytes, hex } from '#base';
import { verifySignature } from '../signature.ts';
import type { Certificate } from './certificate.ts';
import { type DerElement, derChildren, derOid, derTags, derTime, isContext, isUniversal, readDer, readOneDer } from './der.ts';

/** A list of revoked certificates that its issuer signed (RFC 5280 §5). */
export interface RevocationList {
  readonly nextUpdateMs: number;
  /** True when the list speaks about such a certificate, and names it. */
  revokes(certificate: Certificate): boolean;
  /** False for a list that leaves certificates of this kind out. */
  speaksOf(certificate: Certificate): boolean;
}

/** COSE's numbers of the signatures that lists have. SHA-1 is none of them. */
const algorithms: Readonly<Record<string, number>> = {
  '1.2.840.10045.4.3.2': -7,
  '1.2.840.10045.4.3.3': -35,
  '1.2.840.10045.4.3.4': -36,
  '1.2.840.113549.1.1.11': -257,
  '1.2.840.113549.1.1.12': -258,
  '1.2.840.113549.1.1.13': -259,
  '1.3.101.112': -8,
  '2.16.840.1.101.3.4.3.17': -48,
  '2.16.840.1.101.3.4.3.18': -49,
  '2.16.840.1.101.3.4.3.19': -50,
};
const oids = { keyUsage: '2.5.29.15', listPoints: '2.5.29.31', listPoint: '2.5.29.28' } as const;
const entriesMax = 500_000;
const addressesMax = 4;

/** The HTTP addresses at which a certificate says that the list of its issuer is (RFC 5280 §4.2.1.13), at most four. */
export function revocationAddresses({ extensions }: Certificate): readonly string[] {
  const value = extensions.get(oids.listPoints)?.value;
  const names = value === undefined ? [] : derChildren(readOneDer(value)).flatMap(namesOfPoint);
  return names.filter((name) => /^https?:\/\//i.test(name) && URL.canParse(name)).slice(0, addressesMax);
}

/** DistributionPoint: [0] DistributionPointName: [0] fullName: GeneralNames, of which [6] is an address. */
function namesOfPoint(point: DerElement): string[] {
  const full = derChildren(derChildren(point).find((each) => isContext(each, 0))).filter((each) => isContext(each, 0));
  return full
    .flatMap((each) => derChildren(each))
    .flatMap((name) => (isContext(name, 6) ? [Buffer.from(name.content).toString('latin1')] : []));
}

/**
 * Reads a list and judges its signature.
 *
 * @param issuer  of the certificates in question: lists that somebody else signs for it are not taken
 * @returns words for a list that cannot be relied on
 */
export function readRevocationList(der: Uint8Array, issuer: Certificate, nowMs: number): RevocationList | string {
  const [list, algorithm, signature] = derChildren(readOneDer(der));
  if (list === undefined || !isUniversal(signature, derTags.bitString)) return 'it is no list of revoked certificates';
  const parts = [...derChildren(list)];
  if (isUniversal(parts[0], derTags.integer)) parts.shift();
  const [, name, thisUpdate, ...rest] = parts;
  if (name === undefined || !equalBytes(name.whole, issuer.subjectDer) || !maySign(issuer)) return 'it is another issuer’s list';
  const number = algorithms[derOid(derChildren(algorithm)[0]?.content ?? new Uint8Array())];
  if (number === undefined || !verifySignature(number, issuer.publicKey, list.whole, signature.content.subarray(1)))
    return 'its signature does not hold';
  const nextUpdateMs = isTime(rest[0]) ? derTime(rest.shift()) : Number.NaN;
  if (!(derTime(thisUpdate) <= nowMs && nowMs < nextUpdateMs)) return 'it is out of date';
  const kinds = readKinds(rest.find((each) => isContext(each, 0)));
  const serials = readSerials(rest.find((each) => isUniversal(each, derTags.sequence)));
  if (kinds === undefined || serials === undefined) return 'it has a part that is not understood';
  const speaksOf = ({ ca }: Certificate) => kinds === 'all' || (kinds === 'authorities') === (ca === true);
  return { nextUpdateMs, speaksOf, revokes: (certificate) => speaksOf(certificate) && serials.has(certificate.serial) };
}

/** RFC 5280 §4.2.1.3: cRLSign is bit 6. */
function maySign({ extensions }: Certificate): boolean {
  const usage = extensions.get(oids.keyUsage)?.value;
  return usage === undefined || ((usage[3] ?? 0) & 0x02) !== 0;
}

function isTime(element: DerElement | undefined): boolean {
  return isUniversal(element, 23) || isUniversal(element, 24);
}

function readSerials(listed: DerElement | undefined): ReadonlySet<string> | undefined {
  const found = listed === undefined ? [] : readDer(listed.content, entriesMax);
  return found && new Set(found.map((each) => hex(derChildren(each)[0]?.content ?? new Uint8Array())));
}

/** Which certificates it speaks of (§5.2.5); `undefined` for a list with a critical part that is not understood: of changes alone, of some reasons, of others' certificates. */
function readKinds(tagged: DerElement | undefined): 'all' | 'authorities' | 'others' | undefined {
  let kinds: 'all' | 'authorities' | 'others' = 'all';
  for (const each of derChildren(derChildren(tagged)[0])) {
    const [oid, second, third] = derChildren(each);
    if (third === undefined || second?.content[0] === 0) continue;
    if (oid === undefined || derOid(oid.content) !== oids.listPoint) return undefined;
    const parts = derChildren(readOneDer(third.content)).filter((part) => !isContext(part, 0));
    if (parts.some((part) => !isContext(part, 1) && !isContext(part, 2)) || parts.length > 1) return undefined;
    if (parts[0] !== undefined) kinds = isContext(parts[0], 2) ? 'authorities' : 'others';
  }
  return kinds;
}
