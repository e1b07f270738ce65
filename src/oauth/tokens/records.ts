/** All that came of one authorization: a family of tokens. It is the grant of oidc-provider, and what this service knows beside it. */
export interface SetRecord {
  /** By which operators name it; whoever knows it can do nothing with it. */
  readonly id: string;
  /** The authorization server, empty for the realm's own. */
  readonly server: string;
  /** As it was reached when the set began. */
  readonly issuer: string;
  readonly clientId: string;
  /** Who held the client id when it began: `Application.holder`. */
  readonly holder: string;
  /** Empty for an application that acts for itself. */
  readonly entryUuid: string;
  /** By what the set began: `authorization_code`, `client_credentials`, the device code's grant type. */
  readonly grant: string;
  readonly scope: string;
  readonly audience: readonly string[];
  /** Of the session in which it began. */
  readonly sid?: string;
  /** Whether it ends with that session. */
  readonly bound: boolean;
  readonly authenticatedMs?: number;
  readonly acr?: string;
  readonly amr?: readonly string[];
  /** By which mechanisms of the policy. */
  readonly mechanisms?: readonly string[];
  /** When the person's password was last changed, as their entry said when the set began; empty when it said nothing. */
  readonly password: string;
  /** Since when the person's consents stood on which it began, by resource: it ends when they withdraw one of them. */
  readonly consented?: Readonly<Record<string, number>>;
  readonly issuedAtMs: number;
  /** What oidc-provider keeps of its grant. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly revoked?: { readonly atMs: number; readonly why: RevokedBecause };
  /** Whether the application waits to hear that the session has ended. */
  readonly tells?: boolean;
}

export type RevokedBecause =
  | 'revoked'
  | 'reused'
  | 'signed-out'
  | 'disabled'
  | 'password-changed'
  | 'consent-withdrawn'
  | 'operator'
  | 'application-gone'
  | 'application-deleted'
  | 'not-allowed';

/** A code, a token, a pushed request: what oidc-provider keeps of it, without what proves the right to it. */
export interface ArtifactRecord {
  readonly model: string;
  readonly server: string;
  /** The set it belongs to; empty for what belongs to none. */
  readonly setId: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly atMs: number;
  readonly consumed?: boolean;
  /** Of what belongs to no set yet: whose it is, as a set says it. */
  readonly madeFor?: Pick<SetRecord, 'clientId' | 'holder'>;
}

export function parseSet(json: unknown): SetRecord | undefined {
  if (!isRecord(json)) return undefined;
  const { id, server, issuer, clientId, holder, entryUuid, grant, scope, audience, issuedAtMs, payload, bound, password } = json;
  const isWhole =
    [id, server, issuer, clientId, holder, entryUuid, grant, scope, password].every((text) => typeof text === 'string') &&
    Array.isArray(audience) &&
    typeof issuedAtMs === 'number' &&
    typeof bound === 'boolean' &&
    isRecord(payload);
  return isWhole ? (json as unknown as SetRecord) : undefined;
}

export function parseArtifact(json: unknown): ArtifactRecord | undefined {
  if (!isRecord(json)) return undefined;
  const { model, server, setId, payload, atMs } = json;
  const isWhole = [model, server, setId].every((text) => typeof text === 'string') && typeof atMs === 'number' && isRecord(payload);
  return isWhole ? (json as unknown as ArtifactRecord) : undefined;
}

function isRecord(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
