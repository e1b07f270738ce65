import { equalBytes } from '#base';
import { type Certificate, issued } from './certificate.ts';

/** What becomes of a chain that is laid against anchors. */
export type Path =
  /** From the first certificate up to the anchor, which is the last; an anchor that is presented itself stands alone. */
  | { readonly kind: 'anchored'; readonly path: readonly [Certificate, ...Certificate[]] }
  /** Nothing is wrong with it, and no anchor is known for it. */
  | { readonly kind: 'open' }
  | { readonly kind: 'bad'; readonly why: string };

/** Certificates of a chain. Attestation chains have one to four. */
export const chainMax = 8;

const keyUsage = '2.5.29.15';
/** Extensions that are understood here or by whoever asks; a critical one besides makes the path bad (RFC 5280 §4.2). */
const understood = new Set([
  keyUsage,
  '2.5.29.14', // subject key identifier
  '2.5.29.17', // alternative names of the subject: TPM certificates have nothing else for a name
  '2.5.29.19', // basic constraints
  '2.5.29.31', // CRL distribution points
  '2.5.29.32', // certificate policies
  '2.5.29.35', // authority key identifier
  '2.5.29.37', // extended key usage
]);

/**
 * Looks for the way from a certificate up to an anchor (RFC 5280 §6). At each step the first issuer that fits is taken: no step back is made, so the
 * work is bounded by the length of the chain, and anchors are looked at before the certificates that came along.
 *
 * @param chain  the certificate in question first, those that may have issued it after it, in any order
 * @param anchors  authorities that are trusted; one out of its validity counts for nothing
 * @param nowMs  the moment of judging
 */
export function findPath(chain: readonly Certificate[], anchors: readonly Certificate[], nowMs: number): Path {
  const [leaf] = chain;
  if (leaf === undefined || chain.length > chainMax) return { kind: 'bad', why: `a chain of ${chain.length} certificates` };
  const live = anchors.filter((anchor) => holdsAt(anchor, nowMs));
  const path: [Certificate, ...Certificate[]] = [leaf];
  for (let current = leaf; ; ) {
    if (live.some((anchor) => equalBytes(anchor.der, current.der))) return judged(path, undefined, nowMs);
    const anchor = live.find((each) => mayIssue(each, path.length - 1) && issued(each, current));
    if (anchor !== undefined) return judged(path, anchor, nowMs);
    const next = chain.find((each) => !path.includes(each) && issued(each, current));
    // Those above it do not matter: nobody trusts them, and some devices send a root along that has expired.
    if (next === undefined) return openPath(leaf, nowMs);
    path.push(next);
    current = next;
  }
}

function openPath(leaf: Certificate, nowMs: number): Path {
  const why = faultOf(leaf, 0, nowMs);
  return why === undefined ? { kind: 'open' } : { kind: 'bad', why };
}

/** A path that leads to an anchor, once each of its certificates was looked at. */
function judged(path: readonly [Certificate, ...Certificate[]], anchor: Certificate | undefined, nowMs: number): Path {
  const why = path.map((certificate, at) => faultOf(certificate, at, nowMs)).find((fault) => fault !== undefined);
  if (why !== undefined) return { kind: 'bad', why };
  return { kind: 'anchored', path: anchor === undefined ? path : [...path, anchor] };
}

/** @param above  how many certificates stand below it in the path: 0 for the one in question */
function faultOf(certificate: Certificate, above: number, nowMs: number): string | undefined {
  if (!holdsAt(certificate, nowMs)) return 'a certificate has expired or is not valid yet';
  for (const [oid, { critical }] of certificate.extensions) {
    if (critical && !understood.has(oid)) return `a certificate has the critical extension ${oid}, which is not understood`;
  }
  if (above > 0 && !(certificate.ca === true && mayIssue(certificate, above - 1)))
    return 'a certificate was issued by one that may issue none';
  return undefined;
}

/** An authority without basic constraints is one of version 1, which only an anchor may be. */
function mayIssue({ version, ca, pathLength, extensions }: Certificate, authoritiesBelow: number): boolean {
  if (ca === false || (ca === undefined && version === 3)) return false;
  if (pathLength !== undefined && pathLength < authoritiesBelow) return false;
  const usage = extensions.get(keyUsage)?.value;
  // RFC 5280 §4.2.1.3: keyCertSign is bit 5 of the bit string, whose first octet counts the unused bits.
  return usage === undefined || ((usage[3] ?? 0) & 0x04) !== 0;
}

function holdsAt({ notBeforeMs, notAfterMs }: Certificate, nowMs: number): boolean {
  return notBeforeMs <= nowMs && nowMs <= notAfterMs;
}
