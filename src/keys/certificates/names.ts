import { empty, text } from '#base';
import { type BerReader, type Dn, decodeBer } from '#ldap';

/** Whom a certificate is about (RFC 5280 §4.1.2.6, §4.2.1.6), and when it holds. */
export interface CertificateNames {
  /** The subject as an LDAP name: types as dotted numbers, the most specific part first. */
  readonly subject: Dn;
  /** The mail addresses of its alternative names; those of its subject where there are none. */
  readonly mails: readonly string[];
  /** Values of `uid` in the subject. */
  readonly uids: readonly string[];
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

const tags = { version: 0xa0, extensions: 0xa3, set: 0x31, oid: 0x06, boolean: 0x01, mail: 0x81, utcTime: 0x17 } as const;
const uidOid = '0.9.2342.19200300.100.1.1';
const emailOid = '1.2.840.113549.1.9.1';
const alternativeNames = '2.5.29.17';

/**
 * Reads the names of a certificate that TLS has verified.
 *
 * @param der  the certificate (RFC 5280 §4.1)
 * @returns `undefined` for what cannot be read
 */
export function readCertificateNames(der: Uint8Array): CertificateNames | undefined {
  return decodeBer(der, (ber) =>
    ber.sequence(() => {
      const names = ber.sequence(() => readSigned(ber));
      while (ber.more) ber.element();
      return names;
    }),
  );
}

/** TBSCertificate, in which what is not asked for is passed over. */
function readSigned(ber: BerReader): CertificateNames {
  if (ber.tag === tags.version) ber.element();
  for (const _ of ['serialNumber', 'signature', 'issuer']) ber.element();
  const [notBeforeMs, notAfterMs] = ber.sequence(() => [readTime(ber), readTime(ber)] as const);
  const rdns = ber.list(() => ber.list(() => ber.sequence(() => ({ type: oidOf(ber.octets(tags.oid)), value: readText(ber) })), tags.set));
  let alternative: string[] = [];
  while (ber.more) {
    if (ber.tag === tags.extensions) alternative = ber.sequence(() => ber.list(() => readMails(ber)).flat(), tags.extensions);
    else ber.element();
  }
  const all = (oid: string) =>
    rdns
      .flat()
      .flatMap(({ type, value }) => (type === oid ? [text(value) ?? ''] : []))
      .filter((value) => value !== '');
  return {
    // RFC 4514 §2.1: an LDAP name begins with what X.500 has last.
    subject: rdns.toReversed(),
    mails: alternative.length > 0 ? alternative : all(emailOid),
    uids: all(uidOid),
    notBeforeMs,
    notAfterMs,
  };
}

/** One extension: the mail addresses of the alternative names, nothing of any other. */
function readMails(ber: BerReader): string[] {
  return ber.sequence(() => {
    const oid = oidOf(ber.octets(tags.oid));
    if (ber.tag === tags.boolean) ber.element();
    const value = ber.octets();
    if (oid !== alternativeNames) return [];
    return (decodeBer(value, (inner) => inner.list(() => readMail(inner))) ?? []).filter((mail) => mail !== '');
  });
}

/** One name: empty for what is no mail address. */
function readMail(ber: BerReader): string {
  if (ber.tag === tags.mail) return ber.string(tags.mail);
  ber.element();
  return '';
}

/** DirectoryString and its like (RFC 5280 §4.1.2.4), as UTF-8. */
function readText(ber: BerReader): Uint8Array {
  const { tag } = ber;
  const octets = ber.octets(tag);
  // BMPString holds two octets a character, TeletexString is taken for Latin-1, as everybody does; all others are UTF-8 or a part of it.
  if (tag === 0x1e) return octets.length % 2 === 0 ? Buffer.from(Buffer.from(octets).swap16().toString('utf16le')) : empty;
  if (tag === 0x14) return Buffer.from(Buffer.from(octets).toString('latin1'));
  return octets;
}

/** RFC 5280 §4.1.2.5: two digits of the year in UTCTime, four in GeneralizedTime. NaN for anything else. */
function readTime(ber: BerReader): number {
  const { tag } = ber;
  const given = text(ber.octets(tag)) ?? '';
  const century = Number(given.slice(0, 2)) < 50 ? '20' : '19';
  const whole = tag === tags.utcTime ? `${century}${given}` : given;
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(whole) ?? [];
  return year === undefined ? Number.NaN : Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** An object identifier as dotted numbers (X.690 §8.19). */
function oidOf(octets: Uint8Array): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const octet of octets) {
    arc = arc * 128 + (octet & 0x7f);
    if ((octet & 0x80) !== 0) continue;
    if (arcs.length === 0) arcs.push(Math.min(2, Math.floor(arc / 40)), arc - 40 * Math.min(2, Math.floor(arc / 40)));
    else arcs.push(arc);
    arc = 0;
  }
  return arcs.join('.');
}
