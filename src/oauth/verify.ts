import type { Clock } from '#base';
import type { ErrorRow } from '#catalogue';
import type { People } from '#people';
import type { WebRealm } from '#web';
import type { Applications } from './applications/index.ts';
import { errors } from './errors.ts';
import { issuerOf } from './issuer.ts';
import { claimsOfJwt } from './jwt.ts';
import { judgeProof, proofAlgorithms } from './proof.ts';
import { artifactKey, structuredModel } from './provider/adapter.ts';
import { uuidOf } from './provider/claims.ts';
import { scopesAt } from './provider/resources.ts';
import type { KeptTokens } from './tokens/kept.ts';
import type { Standing } from './tokens/standings.ts';

/** Which resource is asked, and by whom. */
export interface ResourceCalled {
  readonly realm: WebRealm;
  readonly origin: string;
  /** The resource (RFC 8707) that a token must be for. */
  readonly audience: string;
  readonly address: string;
  readonly correlationId: string;
}

/** What a request carries of a token (RFC 6750 §2.1, RFC 9449 §7.1). */
export interface Presented {
  /** The header as it came. */
  readonly authorization: string | undefined;
  /** The header of the proof. */
  readonly dpop?: string | undefined;
  readonly method: string;
  /** As the client called it, absolute, without the query. */
  readonly url: string;
}

interface Whoever {
  readonly entryUuid: string;
  readonly dn: string;
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  /** When its person signed in; of an application, when its token was issued. */
  readonly authenticatedMs?: number;
}

export type Verified =
  | (Whoever & { readonly kind: 'person'; readonly acr?: string; readonly factors?: number; readonly sid?: string })
  | (Whoever & { readonly kind: 'application' })
  | {
      readonly kind: 'refused';
      readonly status: 400 | 401;
      /** WWW-Authenticate. */
      readonly challenge: string;
      /** RFC 6750 §3.1; absent where no token was shown. */
      readonly error?: 'invalid_request' | 'invalid_token';
      readonly description: string;
      readonly row: ErrorRow;
    };

export type VerifyToken = (at: ResourceCalled, presented: Presented) => Promise<Verified>;

export interface VerifyOptions {
  readonly kept: KeptTokens;
  readonly standing: Standing;
  readonly applications: Pick<Applications, 'find'>;
  readonly people: Pick<People, 'byUuid'>;
  readonly publishedOf: (realm: WebRealm) => Promise<{ readonly keys: readonly object[] }>;
  readonly clock: Clock;
}

/**
 * Judges an access token of a realm's own authorization server: by its signature, by whom it is for, by what was revoked, and by what it stands on at this
 * moment. One of another server, or of another realm, is none.
 *
 * @see RFC 9068 §4, RFC 9449 §7
 */
export function createVerify(options: VerifyOptions): VerifyToken {
  return async (at, presented) => {
    const [, scheme = '', token = ''] = /^(bearer|dpop) +([^ ]+)$/i.exec(presented.authorization ?? '') ?? [];
    if (presented.authorization === undefined) return refused('Bearer', 'a token is needed');
    if (token === '') return refused('Bearer', 'the Authorization header is no token', 'invalid_request');
    const kind = scheme.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer';
    const judged = await judge(options, at, presented, kind, token);
    return 'why' in judged ? refused(kind, judged.why, 'invalid_token', judged.row) : judged;
  };
}

type Judged = Exclude<Verified, { readonly kind: 'refused' }> | { readonly why: string; readonly row: ErrorRow };

async function judge(
  options: VerifyOptions,
  at: ResourceCalled,
  presented: Presented,
  scheme: 'Bearer' | 'DPoP',
  token: string,
): Promise<Judged> {
  const { kept, standing, applications, people, publishedOf, clock } = options;
  const { realm, origin, audience } = at;
  const no = (why: string, row: ErrorRow = errors.invalidToken) => ({ why, row });
  const claims = await claimsOfJwt(await publishedOf(realm), token, issuerOf(realm, origin).url, { audience, nowMs: clock.nowMs() });
  if (typeof claims === 'string') return no(claims);
  const found = await kept.artifact(realm.id, artifactKey('', structuredModel, String(claims['jti'] ?? '')));
  if (found === undefined) return no('it is not remembered, or it is over');
  const { payload, setId } = found.value;
  const set = await kept.set(realm.id, setId);
  const fallen = set === undefined ? 'gone' : await standing.of(realm, set);
  if (set === undefined || fallen !== undefined) return no(`it is worth nothing any more: ${fallen ?? 'gone'}`);
  const bound = typeof payload['jkt'] === 'string' ? payload['jkt'] : undefined;
  if ((scheme === 'DPoP') !== (bound !== undefined)) return no('it is bound to a key and was shown without one, or the other way round');
  if (bound !== undefined) {
    const { method, url, dpop: proof = '' } = presented;
    const once = (jti: string, untilMs: number) => kept.useOnce(realm.id, `proof/${bound}/${jti}`, untilMs);
    const why = await judgeProof({ proof, method, url, token, thumbprint: bound }, clock, once);
    if (why !== undefined) return no(why, errors.invalidProof);
  }
  const { clientId, sid, authenticatedMs, acr, issuedAtMs } = set.value;
  const scope = typeof payload['scope'] === 'string' ? payload['scope'] : '';
  const application = await applications.find(realm, clientId);
  if (application === undefined) return no('its application is gone');
  // What the application may ask for no longer, its tokens open no longer.
  const mine = scopesAt(issuerOf(realm, origin), application, audience) ?? [];
  const common = { clientId, scopes: new Set(scope.split(' ').filter((each) => mine.includes(each))) };
  const entryUuid = uuidOf(String(payload['accountId'] ?? ''));
  if (entryUuid === undefined) {
    return { kind: 'application', ...common, entryUuid: application.entryUuid, dn: application.dn, authenticatedMs: issuedAtMs };
  }
  const person = await people.byUuid(realm, entryUuid);
  if (person === undefined || person.disabled) return no('its person may not be here');
  return {
    ...{ kind: 'person', ...common, entryUuid, dn: person.dn },
    ...(acr === undefined ? {} : { acr, factors: acr === 'mfa' ? 2 : acr === '0' ? 0 : 1 }),
    ...(authenticatedMs === undefined ? {} : { authenticatedMs }),
    ...(sid === undefined ? {} : { sid }),
  };
}

/** RFC 6750 §3: whoever showed nothing is told what to show, and nothing else. */
function refused(
  scheme: 'Bearer' | 'DPoP',
  description: string,
  error?: 'invalid_request' | 'invalid_token',
  row: ErrorRow = errors.invalidToken,
): Verified {
  const words = error === undefined ? '' : ` error="${error}", error_description="the access token is not accepted"`;
  const challenge = `${scheme}${words}${scheme === 'DPoP' ? `${words === '' ? ' ' : ', '}algs="${proofAlgorithms.join(' ')}"` : ''}`;
  const told = error === undefined ? {} : { error };
  return { kind: 'refused', status: error === 'invalid_request' ? 400 : 401, challenge, ...told, description, row };
}
