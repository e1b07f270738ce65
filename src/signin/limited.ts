import { fillText } from '#web';
import { errors } from './errors.ts';
import type { Fault, Outcome } from './step.ts';
import { texts } from './texts.ts';

/**
 * The answer of any step whose attempt was not admitted: too many have failed for the name or from the address.
 *
 * @param waitS  seconds until the window ends
 * @param kept   what was typed and may be shown again
 */
export function limited(waitS: number, kept?: Fault['kept']): Outcome & { readonly kind: 'fault' } {
  const wait = waitS === 1 ? texts.second : fillText(texts.seconds, { count: waitS });
  const fault = { words: fillText(texts.limited, { wait }), ...(kept === undefined ? {} : { kept }) };
  return { kind: 'fault', fault, status: 429, retryAfterS: waitS, error: errors.attemptsLimited };
}
