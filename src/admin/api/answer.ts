import { type ErrorRow, Refusal } from '#catalogue';
import type { JsonReply } from '#web';
import { errors } from '../errors.ts';
import { type Failure, filled } from '../operations/failure.ts';
import { Challenged } from './gate.ts';

/** A failure in the words of this API. The reference is what an operator finds in the audit trail. */
export function failed({ error, status, errors: told }: Failure, reference: string): JsonReply {
  return {
    kind: 'json',
    status,
    error,
    body: { ok: false, errors: told, reference },
    ...(status === 503 ? { headers: { 'Retry-After': '5' } } : {}),
  };
}

/** The words of RFC 6750 §3.1 for a call that the gate refuses; nothing for anything else. */
export function challengeFor(thrown: unknown, realmId: string, scope: string): Readonly<Record<string, string>> | undefined {
  if (thrown instanceof Challenged) return { 'WWW-Authenticate': thrown.challenge };
  if (!(thrown instanceof Refusal)) return undefined;
  const { row } = thrown;
  const said = { realm: realmId, ...challengeOf(row, scope) };
  if (challengeOf(row, scope) === undefined) return undefined;
  return {
    'WWW-Authenticate': `Bearer ${Object.entries(said)
      .map(([name, value]) => `${name}="${value}"`)
      .join(', ')}`,
  };
}

/** What stands in the challenge beside the realm. RFC 6750 §3.1: a call without a token is told no error. */
function challengeOf(row: ErrorRow, scope: string): Readonly<Record<string, string>> | undefined {
  switch (row) {
    case errors.tokenMissing:
      return { scope };
    case errors.tokenRefused:
      return { error: 'invalid_token', error_description: gateWords.invalid };
    case errors.scopeMissing:
      return { error: 'insufficient_scope', scope };
    case errors.roleMissing:
      return { error: 'insufficient_scope', error_description: gateWords.role, scope };
  }
  return undefined;
}

const gateWords = {
  missing: 'This takes an access token for the management API, in the Authorization header.',
  invalid: 'The access token is not good here: it may have expired, been revoked, or be meant for something else.',
  scope: 'The access token was not issued for this.',
  role: 'Who acts is in no group of the role that this takes.',
  operator:
    'Operators act as the built-in administrator, who is not there: STS_ADMIN_BOOTSTRAP_USERNAME names them. Give a token instead, with --url.',
  page: 'A page of another origin may not call this.',
} as const;

/** What a caller is told of a refusal at the gate. */
export function gateFailure(thrown: unknown): Failure | undefined {
  if (!(thrown instanceof Refusal)) return undefined;
  const words = wordsOf(thrown.row);
  if (words === undefined) return undefined;
  const status = thrown instanceof Challenged ? thrown.status : (thrown.row.sees.http ?? 401);
  return { error: thrown.row, status, means: filled(thrown.row.means, thrown.detail), errors: [{ message: words }] };
}

function wordsOf(row: ErrorRow): string | undefined {
  switch (row) {
    case errors.tokenMissing:
      return gateWords.missing;
    case errors.tokenRefused:
      return gateWords.invalid;
    case errors.scopeMissing:
      return gateWords.scope;
    case errors.roleMissing:
      return gateWords.role;
    case errors.operatorAbsent:
      return gateWords.operator;
    case errors.foreignPage:
      return gateWords.page;
  }
  return undefined;
}
