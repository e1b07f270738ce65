import { refuse } from '#catalogue';
import type { DirectoryClient } from '#client';
import type { People } from '#people';
import type { WebRealm, WebRequest } from '#web';
import { errors } from '../errors.ts';
import { holdsRole } from '../operations/roles.ts';
import type { Caller, Scope } from '../operations/row.ts';

/** What an access token says, or why it is not taken (RFC 6750 §3.1). */
export type TokenVerdict =
  | {
      readonly kind: 'person' | 'application';
      readonly entryUuid: string;
      readonly dn: string;
      readonly clientId: string;
      readonly scopes: readonly string[];
      readonly acr?: string;
      /** Of the session; of an application, when its token was issued. */
      readonly authenticatedMs?: number;
      readonly factors?: number;
      readonly sid?: string;
    }
  | { readonly kind: 'refused'; readonly why: string };

/** Judges an access token for an audience: of this very realm, issued here, neither expired nor revoked, of somebody who is not disabled. */
export type VerifyAccessToken = (asked: {
  readonly realm: WebRealm;
  readonly scheme: 'Bearer' | 'DPoP';
  readonly token: string;
  readonly audience: string;
  /** For the proof of possession (RFC 9449 §4.3). */
  readonly request: WebRequest;
}) => Promise<TokenVerdict>;

export interface GateOptions {
  readonly client: DirectoryClient;
  readonly people: Pick<People, 'meant'>;
  /** Absent where nothing issues tokens. */
  readonly verify?: VerifyAccessToken;
  readonly authRequired: boolean;
  readonly administratorUid: string;
  readonly nowMs: () => number;
}

/** Who may call an operation of a scope. @throws Refusal STS-API-9000 to 9003, 9005 */
export type Gate = (request: WebRequest, scope: Scope) => Promise<Caller>;

export function createGate({ client, people, verify, authRequired, administratorUid, nowMs }: GateOptions): Gate {
  /** Without required tokens every caller is the built-in administrator of the realm. */
  const anybody = async (request: WebRequest): Promise<Caller> => {
    const { realm, address, secure } = request;
    // A page of somebody else, in a browser on this machine, is not whoever started this service.
    const site = request.header('sec-fetch-site');
    const origin = request.header('origin');
    if ((site !== undefined && site !== 'same-origin' && site !== 'none') || (origin !== undefined && origin !== request.origin))
      throw refuse(errors.foreignPage);
    const found = await people.meant(realm, administratorUid);
    if (found === undefined) throw refuse(errors.roleMissing);
    const session = { factors: 2, authenticatedMs: nowMs(), address, isProtected: secure };
    return { kind: 'person', dn: found.dn, entryUuid: found.entryUuid, session };
  };

  return async (request, scope) => {
    if (!authRequired) return anybody(request);
    const { realm, address, secure } = request;
    const [scheme, token] = credentialsOf(request.header('authorization'));
    if (scheme === undefined || token === undefined) throw refuse(errors.tokenMissing);
    if (verify === undefined) throw refuse(errors.tokenRefused, { why: 'nothing here issues access tokens' });
    const audience = audienceOf(request);
    const verdict = await verify({ realm, scheme, token, audience, request });
    if (verdict.kind === 'refused') throw refuse(errors.tokenRefused, { why: verdict.why });
    // Who may write may read: the scopes are asked for apart, since a client should have no more than it needs.
    if (!verdict.scopes.includes(scope)) throw refuse(errors.scopeMissing, { scope });
    if (!(await holdsRole(client, realm, verdict.dn, scope))) throw refuse(errors.roleMissing);
    const session = { factors: verdict.factors ?? 1, authenticatedMs: verdict.authenticatedMs ?? 0, address, isProtected: secure };
    return { kind: verdict.kind, dn: verdict.dn, entryUuid: verdict.entryUuid, session };
  };
}

/** What a token for this API has as its audience (RFC 8707). */
export function audienceOf({ origin, realm }: Pick<WebRequest, 'origin' | 'realm'>): string {
  return `${origin}${realm.prefix}/admin-api`;
}

const tokenLengthMax = 16_384;

/** @see RFC 6750 §2.1, RFC 9449 §7.1 */
function credentialsOf(header: string | undefined): readonly [scheme?: 'Bearer' | 'DPoP', token?: string] {
  const [, scheme, token] = /^(bearer|dpop) +([A-Za-z0-9\-._~+/]+=*)$/i.exec(header ?? '') ?? [];
  if (scheme === undefined || token === undefined || token.length > tokenLengthMax) return [];
  return [scheme.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer', token];
}
