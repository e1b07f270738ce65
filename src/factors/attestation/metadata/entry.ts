import type { Certificate } from '#keys';

/** Certification levels, the lowest first (FIDO Metadata Service 3 §3.1.4). */
export const levels = ['L1', 'L1plus', 'L2', 'L2plus', 'L3', 'L3plus'] as const;
export type Level = (typeof levels)[number];

/** What is kept of one model of a metadata blob: what is judged by, and not its pictures and texts. */
export interface MetadataEntry {
  /** In lower case, with dashes; absent for U2F keys. */
  readonly aaguid: string | undefined;
  /** Of U2F keys: SHA-1 of the keys of its attestation certificates, in hexadecimal. */
  readonly keyIdentifiers: readonly string[];
  readonly description: string | undefined;
  /** A status for which the model is refused. */
  readonly reported: string | undefined;
  readonly level: Level | undefined;
  /** FIPS 140 level; 0 for none. */
  readonly fips: number;
  /** DER of the certificates that may vouch for the model. */
  readonly roots: readonly Uint8Array[];
}

/** A blob that was verified, as one asks it. */
export interface MetadataIndex {
  readonly number: number;
  /** `YYYY-MM-DD` */
  readonly nextUpdate: string;
  readonly entries: readonly MetadataEntry[];
  /** @param aaguid  16 octets */
  ofModel(aaguid: Uint8Array): MetadataEntry | undefined;
  /** Of a U2F key by its attestation certificate. */
  ofCertificate(certificate: Certificate): MetadataEntry | undefined;
}

export function levelsAtLeast(level: Level): readonly Level[] {
  return levels.slice(levels.indexOf(level));
}

/** An AAGUID as it is written: lower case, with dashes. */
export function aaguidText(octets: Uint8Array): string {
  return Buffer.from(octets)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
