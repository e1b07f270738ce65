import { fillText, type Limit, limitRow } from '#web';
import type { Fault, Outcome, StepCall } from './step.ts';
import { texts } from './texts.ts';

/** The answer of any step whose attempt was not admitted, put into the audit trail: too many have failed for the name or from the address. */
export function noteLimited(call: Pick<StepCall, 'note'>, action: string, limit: Limit, kept?: Fault['kept']): LimitedOutcome {
  call.note(action, limitRow(limit));
  return limited(limit, kept);
}

/**
 * The same where it was recorded already.
 *
 * @param kept  what was typed and may be shown again
 */
export function limited({ waitS, of }: Limit, kept?: Fault['kept']): LimitedOutcome {
  const wait = waitS === 1 ? texts.second : fillText(texts.seconds, { count: waitS });
  const fault = { words: fillText(texts.limited, { wait }), ...(kept === undefined ? {} : { kept }) };
  return { kind: 'fault', fault, limited: { waitS, of }, error: limitRow({ of }) };
}

type LimitedOutcome = Outcome & { readonly kind: 'fault' };
