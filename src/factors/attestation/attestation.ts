import type { Log } from '#audit';
import type { Clock } from '#base';
import { refuse, type SettingValues } from '#catalogue';
import { type Certificate, readCertificate, readCertificates, sha256 } from '#keys';
import type { Mode } from '#policy';
import { errors } from './errors.ts';
import type { Fetch } from './fetch.ts';
import { type AttestationPolicy, type Attested, judgeStatement } from './judge.ts';
import { createMetadataStore } from './metadata/metadata.ts';
import { refreshMetadata } from './metadata/refresh.ts';
import { mdsSource } from './metadata/source.ts';
import { bareAttestationObject, readAttestationObject } from './object.ts';
import { readPem } from './pem.ts';
import type { Revocations } from './revocation.ts';
import type { settings as rows } from './settings.ts';

/** Judging of attestation statements for all realms of a service. */
export interface Attestation {
  /**
   * An attestation object with its statement taken out, for the library that judges the ceremony.
   *
   * @throws Refusal `malformed`
   */
  bare(attestationObject: Uint8Array): Uint8Array;
  /** Judges in a realm, by its settings of that moment. @throws Refusal for whatever the realm does not take */
  judgeIn(realm: {
    readonly id: string;
    readonly mode: Mode;
  }): (given: { readonly attestationObject: Uint8Array; readonly clientDataJSON: Uint8Array }) => Promise<Attested>;
  /** Downloads metadata, by the settings of the service: the job `factors.metadata`. Says what it did. */
  refresh(settings: AttestationSettings): Promise<string>;
}

export type AttestationSettings = SettingValues<typeof rows>;

export interface AttestationOptions {
  readonly settingsOf: (realm: string) => AttestationSettings;
  /** The certificates (DER) that a realm keeps as its trust anchors, beside those of the setting. */
  readonly anchorsIn: (realm: string) => Promise<readonly Uint8Array[]>;
  /** Where the installed metadata are, and what of them was accepted; made when there is something. */
  readonly folder: string;
  readonly revocations: Revocations;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

/** For the lists that the signer of a metadata blob names. */
const blobBounds = { timeoutMs: 5000, octetsMax: 4_194_304 } as const;

export function openAttestation({ settingsOf, anchorsIn, folder, revocations, fetch, clock, log }: AttestationOptions): Attestation {
  const asking = { folder, revocationOf: revocations.of, bounds: blobBounds };
  const online = createMetadataStore(asking);
  const offline = createMetadataStore({ folder, revocationOf: undefined, bounds: blobBounds });

  return {
    refresh: (settings) => refreshMetadata(asking, settings, fetch, clock.nowMs()),
    bare: (attestationObject) => bareAttestationObject(readAttestationObject(attestationObject)),
    judgeIn: (realm) => async (given) => {
      const settings = settingsOf(realm.id);
      const nowMs = clock.nowMs();
      const kept = (await anchorsIn(realm.id)).flatMap((der) => readCertificate(der) ?? []);
      const policy = await policyOf(settings, realm, kept, log);
      const asks = settings['webauthn.attestationRevocation'] !== 'off';
      const source = await mdsSource(settings);
      const fault = (why: string) =>
        log.warn(errors.metadataUnusable, `the authenticator metadata of the realm ${realm.id} cannot be used: ${why}`);
      const metadata = typeof source === 'string' ? fault(source) : await (asks ? online : offline).of(source, nowMs, fault);
      const judged = await judgeStatement({
        object: readAttestationObject(given.attestationObject),
        clientDataHash: sha256(given.clientDataJSON),
        policy,
        metadata: metadata ?? undefined,
        revocationOf: (path) => (asks ? revocations.of(path, boundsOf(settings), nowMs) : Promise.resolve({ kind: 'good' })),
        nowMs,
      });
      if (judged.kind === 'refused') throw refuse(judged.row, judged.detail);
      const { kind: _, ...attested } = judged;
      return attested;
    },
  };
}

async function policyOf(
  settings: AttestationSettings,
  { id, mode }: { id: string; mode: Mode },
  kept: readonly Certificate[],
  log: Pick<Log, 'warn'>,
): Promise<AttestationPolicy> {
  const chosen = settings['webauthn.attestationPolicy'];
  const level = settings['webauthn.attestationLevel'];
  const anchors = await anchorsOf(settings['webauthn.attestationTrustAnchors']);
  if (typeof anchors === 'string') log.warn(errors.anchorsUnusable, `webauthn.attestationTrustAnchors of the realm ${id}: ${anchors}`);
  return {
    statements: chosen !== 'by-mode' ? chosen : mode === 'product' ? 'verify-if-present' : 'ignore',
    anchors: typeof anchors === 'string' ? kept : [...anchors, ...kept],
    models: new Set(settings['webauthn.attestationModels'].map((each) => each.toLowerCase())),
    level: level === 'none' ? undefined : level,
    fips: settings['webauthn.attestationFips'],
    unknownRevocation: settings['webauthn.attestationRevocation'] === 'hard-fail' ? 'refused' : 'accepted',
  };
}

/** The certificates of the setting, or words for why there are none. */
async function anchorsOf(given: string): Promise<readonly Certificate[] | string> {
  if (given === '') return [];
  const pem = given.includes('-----BEGIN') ? given : await readPem(given);
  const read = readCertificates(pem ?? '');
  return pem === undefined || read === undefined || read.length === 0 ? 'it leads to no certificates that can be read' : read;
}

function boundsOf(settings: AttestationSettings) {
  return {
    timeoutMs: settings['webauthn.attestationRevocationTimeoutMs'],
    octetsMax: settings['webauthn.attestationRevocationOctetsMax'],
  };
}
