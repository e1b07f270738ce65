import { type ErrorRow, Refusal } from '#catalogue';
import { webErrors } from '#web';
import { errors } from '../errors.ts';
import type { Issuer } from '../issuer.ts';
import type { ProviderDeps } from './deps.ts';
import type { KoaContextWithOIDC, Provider } from './library.ts';
import { passingOf } from './passing.ts';

type Ctx = KoaContextWithOIDC;

interface Failure {
  readonly error?: string;
  readonly message: string;
  readonly error_description?: string;
  readonly error_detail?: string;
}

/** Which row each error of the protocol is. */
const rows: Readonly<Record<string, ErrorRow>> = {
  invalid_request: errors.invalidRequest,
  invalid_client: errors.invalidClient,
  invalid_grant: errors.invalidGrant,
  unauthorized_client: errors.unauthorizedClient,
  unsupported_grant_type: errors.unsupported,
  unsupported_response_type: errors.unsupported,
  unsupported_response_mode: errors.unsupported,
  unsupported_token_type: errors.unsupported,
  invalid_scope: errors.invalidScope,
  access_denied: errors.accessDenied,
  invalid_target: errors.invalidTarget,
  login_required: errors.interactionNeeded,
  consent_required: errors.interactionNeeded,
  interaction_required: errors.interactionNeeded,
  account_selection_required: errors.interactionNeeded,
  invalid_redirect_uri: errors.invalidRedirectUri,
  invalid_request_uri: errors.invalidRequestUri,
  invalid_request_object: errors.invalidRequestObject,
  invalid_dpop_proof: errors.invalidProof,
  use_dpop_nonce: errors.invalidProof,
  invalid_token: errors.invalidToken,
  insufficient_scope: errors.insufficientScope,
};

const failures = [
  'authorization.error',
  'grant.error',
  'userinfo.error',
  'introspection.error',
  'revocation.error',
  'pushed_authorization_request.error',
  'device_authorization.error',
  'jwks.error',
  'discovery.error',
] as const;

/** Leaves an audit row of each refusal and of each answer that gives something out. */
export function listen(provider: Provider, deps: ProviderDeps, issuer: Issuer): void {
  const note = (ctx: Ctx, outcome: 'success' | 'refused' | 'failed', summary: string, error?: ErrorRow) => {
    const { raw, session } = passingOf(ctx);
    deps.audit.record({
      realm: issuer.realm.id,
      door: raw.door,
      subject: session?.subject ?? ctx.oidc.entities.Account?.accountId ?? ctx.oidc.client?.clientId ?? '',
      action: `oauth.${ctx.oidc.route}`,
      outcome,
      ...(error === undefined ? {} : { error }),
      summary: `${summary}${ctx.oidc.client === undefined ? '' : ` (${ctx.oidc.client.clientId})`}`,
      correlationId: raw.correlationId,
      address: raw.address,
    });
  };
  const refused = (ctx: Ctx, failure: Failure) => {
    const row = rowOf(ctx, failure);
    if (row === errors.invalidProof) nameProof(ctx);
    const said = failure.error_detail ?? failure.error_description ?? '';
    note(ctx, 'refused', said === '' ? row.means : `${row.means}: ${said}`, row);
  };
  const on = provider.on.bind(provider) as unknown as (event: string, listener: (ctx: Ctx, ...more: never[]) => void) => void;
  for (const event of failures) on(event, refused as never);
  on('server_error', ((ctx: Ctx, failure: Error) => {
    // What a part of this service refuses has a code of its own; anything else is a fault of it.
    const row = failure instanceof Refusal ? failure.row : webErrors.serverErrorUnclassified;
    note(ctx, 'failed', row.means, row);
    if (failure instanceof Refusal) return;
    const frames = (failure.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
    const at = frames.slice(0, 4).map((line) => line.trim());
    deps.log.error(webErrors.serverErrorUnclassified, `${failure.name}: ${failure.message} ${at.join(' ')}`, {
      correlationId: passingOf(ctx).raw.correlationId,
    });
  }) as never);
  on('authorization.success', (ctx) => note(ctx, 'success', 'an authorization code was given'));
  on('grant.success', (ctx) => note(ctx, 'success', `tokens were given for ${String(ctx.oidc.params?.['grant_type'] ?? '')}`));
}

function rowOf(ctx: Ctx, { error, message, error_detail: detail = '', error_description: description = '' }: Failure): ErrorRow {
  const { because } = passingOf(ctx);
  if (because !== undefined) return because;
  if (/DPoP proof JWT Replay/.test(`${detail} ${description}`)) return errors.invalidProof;
  if (/already (?:used|consumed)/.test(detail)) return errors.reused;
  // The library has one error for these and for what is malformed.
  if (/is not allowed for this client/.test(description)) return errors.unauthorizedClient;
  return rows[error ?? message] ?? errors.invalidRequest;
}

/**
 * The library calls a proof that was used before an invalid grant, for which clients throw their refresh token away, or an invalid request. At resources it is
 * an invalid token, as the challenge says.
 *
 * @see RFC 9449 §5, §10.1
 */
function nameProof(ctx: Ctx): void {
  const { body } = ctx;
  if (ctx.status !== 400 || typeof body !== 'object' || body === null || !('error' in body)) return;
  Object.assign(body, { error: 'invalid_dpop_proof', error_description: 'the DPoP proof is not accepted' });
}
