import { Refusal, refuse } from '#catalogue';
import type { DirectoryClient } from '#client';
import type { People } from '#people';
import type { WebRealm, WebRequest } from '#web';
import { errors } from '../errors.ts';
import { holdsRole } from '../operations/roles.ts';
import type { Caller, Scope } from '../operations/row.ts';

/** What an access token says of who carries it, held against the directory at this moment; or why it is not taken. */
export type Verified =
  | {
      readonly kind: 'person';
      readonly entryUuid: string;
      readonly dn: string;
      readonly scopes: ReadonlySet<string>;
      /** Of the session that the token was issued in. */
      readonly authenticatedMs?: number;
      readonly factors?: number;
    }
  | {
      readonly kind: 'application';
      readonly entryUuid: string;
      readonly dn: string;
      readonly scopes: ReadonlySet<string>;
      /** When it showed its secret or its key: when the token was issued. */
      readonly authenticatedMs?: number;
    }
  | {
      readonly kind: 'refused';
      readonly status: 400 | 401 /** WWW-Authenticate. */;
      readonly challenge: string;
      readonly description: string;
    };

/** What a request carries of a token (RFC 6750 §2.1, RFC 9449 §7.1). */
export interface Presented {
  readonly authorization: string | undefined;
  readonly dpop?: string | undefined;
  readonly method: string;
  /** As the client called it, without the query. */
  readonly url: string;
}

/** Judges an access token for an audience: of this very realm, issued here, neither expired nor revoked, of somebody who is not disabled. */
export type VerifyAccessToken = (
  at: {
    readonly realm: WebRealm;
    readonly origin: string;
    readonly audience: string;
    readonly address: string;
    readonly correlationId: string;
  },
  presented: Presented,
) => Promise<Verified>;

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
    const { realm, origin, address, secure, correlationId, path } = request;
    const method = request.isHead ? 'HEAD' : request.method;
    const authorization = request.header('authorization');
    if (authorization === undefined) throw refuse(errors.tokenMissing);
    if (verify === undefined) throw refuse(errors.tokenRefused, { why: 'nothing here issues access tokens' });
    const dpop = request.header('dpop');
    const url = `${origin}${realm.prefix}${path}`;
    const at = { realm, origin, audience: audienceOf(request), address, correlationId };
    const verified = await verify(at, { authorization, method, url, ...(dpop === undefined ? {} : { dpop }) });
    if (verified.kind === 'refused') throw new Challenged(verified);
    // Who may write may read; but the scopes are asked for apart, since a client should have no more than it needs.
    if (!verified.scopes.has(scope)) throw refuse(errors.scopeMissing, { scope });
    if (!(await holdsRole(client, realm, verified.dn, scope))) throw refuse(errors.roleMissing);
    const factors = verified.kind === 'person' ? (verified.factors ?? 1) : 1;
    const session = { factors, authenticatedMs: verified.authenticatedMs ?? 0, address, isProtected: secure };
    return { kind: verified.kind, dn: verified.dn, entryUuid: verified.entryUuid, session };
  };
}

/**
 * Who comes through the operators' door: the service's owner, for whom the directory knows the built-in administrator. No token is asked for; who may open
 * the socket could do all of it anyway.
 *
 * @throws Refusal STS-API-9300
 */
export function createOperatorsGate({ people, realms, administratorUid, nowMs }: OperatorsGateOptions): Gate {
  return async () => {
    const found = await people.meant(realms.standing, administratorUid);
    if (found === undefined) throw refuse(errors.operatorAbsent, { uid: administratorUid });
    return { kind: 'person', ...found, session: { factors: 2, authenticatedMs: nowMs(), address: thisMachine, isProtected: true } };
  };
}

export interface OperatorsGateOptions extends Pick<GateOptions, 'people' | 'administratorUid' | 'nowMs'> {
  readonly realms: { readonly standing: WebRealm };
}

const thisMachine = '127.0.0.1';

/** A token that is not taken, in the words of whoever judged it. */
export class Challenged extends Refusal {
  readonly status: 400 | 401;
  readonly challenge: string;
  constructor({ status, challenge, description }: Verified & { readonly kind: 'refused' }) {
    super(errors.tokenRefused, { why: description });
    this.status = status;
    this.challenge = challenge;
  }
}

/** What a token for this API has as its audience (RFC 8707). */
export function audienceOf({ origin, realm }: Pick<WebRequest, 'origin' | 'realm'>): string {
  return `${origin}${realm.prefix}/admin-api`;
}
