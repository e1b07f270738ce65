import { type Detail, type ErrorRow, Refusal, refuse } from '#catalogue';
import { type Certificate, findPath, readCertificate } from '#keys';
import { errors } from './errors.ts';
import { formats } from './formats/table.ts';
import { aaguidText, type Level, levelsAtLeast, type MetadataEntry, type MetadataIndex } from './metadata/entry.ts';
import type { AttestationObject } from './object.ts';
import type { Revocation } from './revocation.ts';
import { BadStatement, type Basis } from './statement.ts';

/** What a realm demands of the statement of a new security key. */
export interface AttestationPolicy {
  readonly statements: 'ignore' | 'verify-if-present' | 'require-trusted';
  /** Authorities that the realm trusts for models that the metadata do not know. */
  readonly anchors: readonly Certificate[];
  /** Models that are allowed, in lower case; empty for any. */
  readonly models: ReadonlySet<string>;
  readonly level: Level | undefined;
  /** FIPS 140 level; 0 for none. */
  readonly fips: number;
  /** What it means when nobody can say whether a certificate is revoked. */
  readonly unknownRevocation: 'accepted' | 'refused';
}

/** What was proved of a key, as it is kept with it. */
export interface Attested {
  readonly format: string;
  readonly proved: 'trusted' | 'untrusted' | 'claimed';
  /** Why it is not more, or what could not be learnt. */
  readonly why?: string;
  /** What the metadata call the model. */
  readonly model?: string;
}

export type Judgement =
  | ({ readonly kind: 'judged' } & Attested)
  | { readonly kind: 'refused'; readonly row: ErrorRow; readonly detail: Detail };

export interface JudgeOptions {
  readonly object: AttestationObject;
  readonly clientDataHash: Uint8Array;
  readonly policy: AttestationPolicy;
  readonly metadata: MetadataIndex | undefined;
  /** Asks about the certificates of a path, the anchor last. */
  readonly revocationOf: (path: readonly Certificate[]) => Promise<Revocation>;
  readonly nowMs: number;
}

/**
 * Judges what a registration proves of its authenticator. A statement that is there must hold; one about nothing, or signed by the credential itself, proves
 * nothing; a chain is worth what its anchor is.
 *
 * @see specification document 1, "Security keys" 4; WebAuthn Level 3 §7.1, steps 22 to 24
 */
export async function judgeStatement(given: JudgeOptions): Promise<Judgement> {
  try {
    return { kind: 'judged', ...(await judge(given)) };
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', row: error.row, detail: error.detail };
    if (error instanceof BadStatement) {
      return { kind: 'refused', row: errors.statementBad, detail: { format: given.object.format, why: error.message } };
    }
    throw error;
  }
}

async function judge(given: JudgeOptions): Promise<Attested> {
  const { object, policy } = given;
  const { format } = object;
  const demanding = policy.statements === 'require-trusted' || policy.models.size > 0 || policy.level !== undefined || policy.fips > 0;
  if (policy.statements === 'ignore' && !demanding) {
    if (format === 'none') return { format, proved: 'untrusted', why: 'no attestation' };
    return { format, proved: 'claimed', why: 'the policy is not to look at statements' };
  }
  const claimed = given.metadata?.ofModel(object.data.aaguid);
  demandGoodName(claimed);
  const proofs: Proof[] = [];
  for (const basis of basesOf(given)) proofs.push(await proofOf(basis, claimed, given));
  const best = proofs.toSorted((one, other) => worthOf(other) - worthOf(one))[0];
  if (best === undefined) throw new BadStatement('it says nothing');
  if (demanding && best.proved !== 'trusted') throw refuse(errors.untrusted, { proved: best.proved, why: best.why ?? '' });
  if (demanding) demandModel(best, policy, given);
  const model = best.entry?.description;
  return { format, proved: best.proved, ...(best.why === undefined ? {} : { why: best.why }), ...(model === undefined ? {} : { model }) };
}

/** Of several proofs about one credential the best counts: one that is trusted and vouches for the model, too. */
function worthOf({ proved, modelProved }: Proof): number {
  return ['untrusted', 'claimed', 'trusted'].indexOf(proved) * 2 + (modelProved ? 1 : 0);
}

interface Proof extends Pick<Attested, 'proved' | 'why'> {
  readonly entry: MetadataEntry | undefined;
  /** The model was vouched for, not only claimed by whoever sent the data. */
  readonly modelProved: boolean;
}

/** The bases of the statement, once it is sure that it holds. */
function basesOf({ object, clientDataHash, nowMs }: JudgeOptions): readonly Basis[] {
  const format = Object.hasOwn(formats, object.format) ? formats[object.format] : undefined;
  if (format === undefined) throw new BadStatement('its format is not known');
  return format({ statement: object.statement, data: object.data, clientDataHash, nowMs });
}

async function proofOf(basis: Basis, claimed: MetadataEntry | undefined, given: JudgeOptions): Promise<Proof> {
  const { policy, metadata, nowMs } = given;
  if (basis.kind === 'none') return { proved: 'untrusted', why: 'no attestation', entry: claimed, modelProved: false };
  if (basis.kind === 'self') return { proved: 'untrusted', why: 'attested by its own key alone', entry: claimed, modelProved: false };
  // The signature of a U2F statement covers no AAGUID: its model is known by the certificate's key, or not at all.
  const entry = basis.names === 'nothing' ? metadata?.ofCertificate(basis.chain[0]) : claimed;
  demandGoodName(entry);
  const roots = entry?.roots.flatMap((der) => readCertificate(der) ?? []) ?? [];
  // Where the metadata know the model, they alone say whose word counts for it: otherwise any trusted maker could vouch for another's model.
  const path = findPath(basis.chain, roots.length > 0 ? roots : policy.anchors, nowMs);
  if (path.kind === 'bad') throw new BadStatement(path.why);
  if (path.kind === 'open') {
    if (roots.length > 0) throw new BadStatement('its chain leads to none of the roots that the metadata name for its model');
    return { proved: 'claimed', why: 'no trust anchor is known for its chain', entry, modelProved: false };
  }
  const revocation = await given.revocationOf(path.path);
  if (revocation.kind === 'revoked') throw refuse(errors.certificateRevoked);
  const modelProved = basis.names === 'model' || (basis.names === 'key' && roots.length > 0);
  if (revocation.kind === 'good') return { proved: 'trusted', entry, modelProved };
  if (policy.unknownRevocation === 'refused') throw refuse(errors.revocationUnknown, { why: revocation.why });
  return { proved: 'trusted', why: `whether it is revoked is not known: ${revocation.why}`, entry, modelProved };
}

/** A model that is reported compromised is refused, also where it is only claimed. */
function demandGoodName(entry: MetadataEntry | undefined): void {
  if (entry?.reported !== undefined)
    throw refuse(errors.modelReported, { aaguid: entry.aaguid ?? 'without AAGUID', status: entry.reported });
}

function demandModel({ entry, modelProved }: Proof, { models, level, fips }: AttestationPolicy, { object }: JudgeOptions): void {
  const aaguid = modelProved ? aaguidText(object.data.aaguid) : 'that nothing vouches for';
  if (models.size > 0 && !models.has(aaguid)) throw refuse(errors.modelNotAllowed, { aaguid });
  const known = entry?.level;
  if (level !== undefined && (known === undefined || !levelsAtLeast(level).includes(known))) {
    throw refuse(errors.levelTooLow, { aaguid, level: known ?? 'no level', wanted: level });
  }
  if (fips > 0 && (entry?.fips ?? 0) < fips) throw refuse(errors.notFips, { aaguid, wanted: fips });
}
