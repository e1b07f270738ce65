import { hex, text, utf8 } from '#base';
import { chainMax, findPath, readCertificate, readCertificates, sha256, verifyJose } from '#keys';
import { type Level, levels, type MetadataEntry } from './entry.ts';

/** What a thread is given: a blob as it came, and whom to believe. */
export interface BlobAsked {
  readonly octets: Uint8Array;
  /** PEM of the roots. */
  readonly roots: string;
  /** The name that the signer must have; `undefined` under a root that signs nothing else. */
  readonly host: string | undefined;
  readonly nowMs: number;
}

export type BlobRead =
  | {
      readonly kind: 'good';
      readonly number: number;
      readonly nextUpdate: string;
      readonly entries: readonly MetadataEntry[];
      /** SHA-256 of what was signed, in hexadecimal. */
      readonly digest: string;
      /** DER of the signer's certificate and those above it, the anchor last. */
      readonly path: readonly Uint8Array[];
    }
  | { readonly kind: 'bad'; readonly why: string };

/** A blob that cannot be used, with the reason. Never leaves this file. */
class BadBlob extends Error {}

const entriesMax = 20_000;
/** Reports, certificates and key identifiers of one model that are looked at. */
const partsMax = 1000;

/** Statuses for which a model is refused (FIDO Metadata Service 3 §3.1.4). `KEY_COMPROMISE` is no status of the service and is taken at its word. */
const refusedStatuses = new Set([
  'REVOKED',
  'USER_VERIFICATION_BYPASS',
  'ATTESTATION_KEY_COMPROMISE',
  'USER_KEY_REMOTE_COMPROMISE',
  'USER_KEY_PHYSICAL_COMPROMISE',
  'KEY_COMPROMISE',
]);

/**
 * Reads a metadata blob: a JWS whose signer's chain must lead to a root.
 *
 * @see FIDO Metadata Service 3 §3.1.7, §3.2
 */
export function readBlob(asked: BlobAsked): BlobRead {
  try {
    return open(asked);
  } catch (error) {
    if (error instanceof BadBlob) return { kind: 'bad', why: error.message };
    throw error;
  }
}

function open({ octets, roots, host, nowMs }: BlobAsked): BlobRead {
  const [head = '', body = '', signature = '', ...more] = (text(octets) ?? '').trim().split('.');
  demand(more.length === 0 && signature !== '', 'it is no JWS');
  const { alg, x5c } = objectOf(head);
  demand(Array.isArray(x5c) && x5c.length > 0 && x5c.length <= chainMax, 'it does not say who signed it');
  const chain = x5c.map((each) => (typeof each === 'string' ? readCertificate(new Uint8Array(Buffer.from(each, 'base64'))) : undefined));
  const certificates = chain.flatMap((each) => each ?? []);
  const [signer] = certificates;
  demand(signer !== undefined && certificates.length === chain.length, 'its signer’s certificates cannot be read');
  const path = findPath(certificates, readCertificates(roots) ?? [], nowMs);
  demand(path.kind === 'anchored', path.kind === 'bad' ? path.why : 'its signer’s certificate leads to none of the roots');
  // The roots of the service sign certificates for everybody: without the name, whoever buys one could say what is compromised.
  demand(host === undefined || signer.parsed.checkHost(host) !== undefined, `its signer is not ${host}`);
  const signed = utf8(`${head}.${body}`);
  demand(verifyJose(alg, signer.publicKey, signed, Buffer.from(signature, 'base64url')), 'its signature does not hold');
  const { no, nextUpdate, entries } = objectOf(body);
  demand(typeof no === 'number' && Number.isSafeInteger(no) && no >= 0, 'it has no number');
  demand(typeof nextUpdate === 'string' && /^\d{4}-\d\d-\d\d$/.test(nextUpdate), 'it does not say when the next one comes');
  demand(Array.isArray(entries) && entries.length <= entriesMax, 'its entries are no list, or too many');
  const today = new Date(nowMs).toISOString().slice(0, 10);
  return {
    kind: 'good',
    number: no,
    nextUpdate,
    entries: entries.map((entry) => entryOf(record(entry), today)),
    digest: hex(sha256(signed)),
    path: path.path.map(({ der }) => der),
  };
}

function entryOf(entry: Readonly<Record<string, unknown>>, today: string): MetadataEntry {
  const statement = record(entry.metadataStatement);
  const reports = list(entry.statusReports).map(record);
  const { description } = statement;
  const { aaguid } = entry;
  return {
    aaguid: typeof aaguid === 'string' && /^[0-9a-f-]{36}$/i.test(aaguid) ? aaguid.toLowerCase() : undefined,
    keyIdentifiers: texts(entry.attestationCertificateKeyIdentifiers).map((each) => each.toLowerCase()),
    // It is shown on pages and in terminals.
    description: typeof description === 'string' ? description.slice(0, 200).replace(/\p{C}/gu, ' ') : undefined,
    // Whatever its date: a compromise that is announced is known.
    reported: reports.map(({ status }) => status).find((status) => typeof status === 'string' && refusedStatuses.has(status)) as
      | string
      | undefined,
    ...certifiedBy(reports, record(record(statement.authenticatorGetInfo).certifications), today),
    roots: texts(statement.attestationRootCertificates).map((each) => new Uint8Array(Buffer.from(each, 'base64'))),
  };
}

/** What reports and what the authenticator says of itself add up to: the highest level since it was last said to have none. */
function certifiedBy(reports: readonly Readonly<Record<string, unknown>>[], own: Readonly<Record<string, unknown>>, today: string) {
  let level: Level | undefined;
  let fips = Math.max(0, ...['FIPS-CMVP-2', 'FIPS-CMVP-3'].map((name) => own[name]).filter((value) => typeof value === 'number'));
  for (const { status, effectiveDate } of reports) {
    if (typeof status !== 'string' || (typeof effectiveDate === 'string' && effectiveDate > today)) continue;
    const certified = /^FIDO_CERTIFIED(?:_(L[123](?:plus)?))?$/.exec(status);
    if (status === 'NOT_FIDO_CERTIFIED') level = undefined;
    if (certified !== null) level = higher(level, certified[1] ?? 'L1');
    fips = Math.max(fips, Number(/^FIPS140_CERTIFIED_L([1-4])$/.exec(status)?.[1] ?? 0));
  }
  return { level, fips };
}

function higher(one: Level | undefined, named: string): Level | undefined {
  return levels[Math.max(one === undefined ? -1 : levels.indexOf(one), (levels as readonly string[]).indexOf(named))] ?? one;
}

function objectOf(part: string): Readonly<Record<string, unknown>> {
  try {
    return record(JSON.parse(text(Buffer.from(part, 'base64url')) ?? ''));
  } catch {
    throw new BadBlob('a part of it is no JSON');
  }
}

/** The members of an object; none for anything else. */
function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, partsMax) : [];
}

function texts(value: unknown): readonly string[] {
  return list(value).filter((each) => typeof each === 'string');
}

function demand(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new BadBlob(otherwise);
}
