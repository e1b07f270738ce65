import { type ErrorRow, Refusal } from '#catalogue';
import { ClientRefusal } from '#client';
import { notUniqueWords, resultCodes } from '#ldap';
import { errors } from '../errors.ts';
import { Conflicting, type FieldError, Unfit } from './unfit.ts';

/** Why an operation was not done: what operators find, and what its caller is told. */
export interface Failure {
  readonly error: ErrorRow;
  readonly status: number;
  /** For the audit row. */
  readonly means: string;
  readonly errors: readonly FieldError[];
}

/** What an operation threw, for whoever called it. A bug is nothing of it: it is thrown on. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof Conflicting)
    return { error: errors.conflict, status: 409, means: `${errors.conflict.means}: ${thrown.message}`, errors: thrown.fields };
  if (thrown instanceof Unfit)
    return { error: errors.unfit, status: 400, means: filled(errors.unfit.means, { what: thrown.message }), errors: thrown.fields };
  if (thrown instanceof ClientRefusal) return ofDirectory(thrown);
  if (thrown instanceof Refusal) {
    const { row, detail } = thrown;
    const means = filled(row.means, detail);
    const { field } = detail;
    const told = { ...(typeof field === 'string' ? { field } : {}), message: wordsOf(row, means) };
    return { error: row, status: row.sees.http ?? 503, means, errors: [told] };
  }
  throw thrown;
}

function wordsOf(row: ErrorRow, means: string): string {
  if (row === errors.changedMeanwhile) return changedWords;
  if (row === errors.absent) return `${means}, or none that you may see: look for it in the list`;
  if (row.sees.http === 415) return `${means}: GET /admin-api/openapi.json says what each operation reads`;
  return row.sees.http === undefined ? busyWords : means;
}

const changedWords = 'It was changed since you read it. Read it again, and decide anew.';
const busyWords = 'The directory cannot do it now. Try again in a moment.';

/** @see RFC 4511 appendix A.2 for what the codes mean */
function ofDirectory(refusal: ClientRefusal): Failure {
  const { code, diagnostic, message } = refusal;
  const [error, words] = isConflict(refusal) ? conflictWords : rowOf(code);
  return {
    error,
    status: error.sees.http ?? 500,
    means: `${error.means}: ${message}`,
    errors: [{ message: diagnostic === '' || error === errors.forbidden ? words : diagnostic }],
  };
}

const conflictWords = [errors.conflict, 'It conflicts with what there is.'] as const;
const conflicts: ReadonlySet<number> = new Set([
  resultCodes.entryAlreadyExists,
  resultCodes.attributeOrValueExists,
  resultCodes.notAllowedOnNonLeaf,
]);

/** Whether what was sent is fit by itself, and the directory refuses it because of what it holds: a value that another entry has among it (RFC 9110 §15.5.10). */
export function isConflict({ code, diagnostic }: Pick<ClientRefusal, 'code' | 'diagnostic'>): boolean {
  return conflicts.has(code) || (code === resultCodes.constraintViolation && diagnostic.includes(notUniqueWords));
}

function rowOf(code: number): readonly [ErrorRow, string] {
  switch (code) {
    case resultCodes.noSuchObject:
      return [errors.absent, 'There is no such entry, or none that you may see.'];
    case resultCodes.insufficientAccessRights:
    case resultCodes.authorizationDenied:
      return [errors.forbidden, 'The directory gives you no right to do this. Its access rules say who may.'];
    case resultCodes.assertionFailed:
      return [errors.changedMeanwhile, changedWords];
    case resultCodes.sizeLimitExceeded:
    case resultCodes.timeLimitExceeded:
    case resultCodes.adminLimitExceeded:
      return [errors.tooMuch, 'This takes more than a search may. Ask for less with a narrower filter.'];
    case resultCodes.busy:
    case resultCodes.unavailable:
    case resultCodes.operationsError:
    case resultCodes.other:
      return [errors.busy, busyWords];
  }
  return [errors.refusedAsUnfit, 'The directory refuses it.'];
}

/** A text with the details of a refusal in place of what stands in braces. */
export function filled(text: string, detail: Readonly<Record<string, unknown>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(detail, name) ? detail[name] : undefined;
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : whole;
  });
}
