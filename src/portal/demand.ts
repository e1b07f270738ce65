import { type Demand, meetsDemand } from '#policy';
import type { Session } from '#sessions';

/** An authentication just made counts as made now for so long: who asks for one that is no second old would otherwise ask for ever. */
const justNowS = 30;
const maxAgeMax = 366 * 86_400;

/**
 * What the portal's own address asks of the sign-in, in the words of OpenID Connect Core §3.1.2.1: `prompt=login`, `max_age`, `acr_values`. The return to it
 * takes `prompt` away and nothing else, so each of them is met by the sign-in that it leads to, or refused there.
 *
 * @param session  the browser's, if there is one
 * @returns what to park, or `undefined` where the session is good enough
 */
export function demandOf(query: URLSearchParams, session: Session | undefined, nowMs: number): Demand | undefined {
  const prompted = (query.get('prompt') ?? '').split(' ').includes('login');
  const maxAgeS = secondsOf(query.get('max_age'));
  const acrValues = (query.get('acr_values') ?? '').split(' ').filter((value) => value !== '');
  const demand: Demand = {
    ...(prompted || maxAgeS !== undefined ? { reauthenticate: true } : {}),
    ...(acrValues.length === 0 ? {} : { acrValues }),
  };
  const youngS = maxAgeS === undefined ? Number.POSITIVE_INFINITY : Math.max(maxAgeS, justNowS);
  const isEnough =
    !prompted && session?.events.some((event) => nowMs - event.whenMs <= youngS * 1000 && meetsDemand(event, demand)) === true;
  return isEnough ? undefined : demand;
}

function secondsOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Math.min(Number(text), maxAgeMax) : undefined;
}
