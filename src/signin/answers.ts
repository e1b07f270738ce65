import type { ErrorRow } from '#catalogue';
import { type Next, type Situation, spokenNames } from '#policy';
import { type Parked, sessionsErrors, type Visit } from '#sessions';
import { fillText, type Page, type Reply, type WebRequest } from '#web';
import { errors } from './errors.ts';
import type { FrameDeps } from './frame.ts';
import { gonePage, refusedPage } from './pages.ts';
import type { Known } from './password.ts';
import type { Reached } from './step.ts';

/** The answer to whom the policy keeps out. */
export function keptOut(deps: FrameDeps, request: WebRequest, id: string, parked: Parked, next: Next & { readonly step: 'refuse' }): Reply {
  const { why } = next;
  const row: ErrorRow = errors[why];
  const summary = fillText(row.means, { names: spokenNames(next) });
  return refusal(deps, request, row, refusedPage(request.realm, id, parked, why), 'signin.policy', summary);
}

/** The answer where nothing waits. */
export function gone(deps: FrameDeps, request: WebRequest): Reply {
  return refusal(deps, request, sessionsErrors.parkedGone, gonePage(request.realm));
}

/** A page that says no, and its audit row. */
export function refusal(
  { audit }: FrameDeps,
  request: WebRequest,
  error: ErrorRow,
  page: Page,
  action = 'signin.screen',
  summary = error.means,
): Reply {
  const { realm } = request;
  audit.record({ realm: realm.id, subject: '', action, outcome: 'refused', error, summary, ...visitOf(request) });
  return { kind: 'page', status: error.sees.http ?? 403, page, error };
}

/** What is recorded of an enrolment that was offered: that it was, and that it was not wanted. */
export function noteEnrolment(
  { audit }: FrameDeps,
  request: WebRequest,
  person: Known | undefined,
  outcome: Reached,
  next: Next,
  risk: Situation['risk'],
): void {
  const note = (action: string, summary: string, error?: ErrorRow) =>
    audit.record({
      realm: request.realm.id,
      subject: person?.dn ?? '',
      action,
      outcome: 'success',
      ...(error === undefined ? {} : { error }),
      summary,
      ...visitOf(request),
    });
  if (outcome.kind === 'proven' && next.step === 'enrol' && !next.required)
    note('authn.mfa.enrolment.offered', 'a second factor was offered to somebody who has none');
  if (outcome.kind === 'proven' && next.step === 'enrol' && risk !== 'none')
    note('authn.mfa.enrolment.at-risk', errors.offeredAtRisk.means, errors.offeredAtRisk);
  if (outcome.kind === 'moved' && outcome.change.declined === true)
    note('authn.mfa.enrolment.declined', 'the second factor that was offered was not wanted');
}

/** For audit rows. */
export function visitOf({ door, address, correlationId }: WebRequest): Visit {
  return { door, address, correlationId };
}
