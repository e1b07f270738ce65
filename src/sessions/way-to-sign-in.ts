import type { WebRequest } from '#web';
import type { ParkRequest } from './parked.ts';
import type { Parking } from './parking.ts';

/**
 * Parks a request, and says where its person signs in. For HEAD nothing is parked: the way is the same, to a screen for which nobody waits.
 *
 * @returns a path of the realm
 * @throws Refusal `targetRefused` when a target is not a path on this service
 * @see RFC 9110 §9.2.1: HEAD is safe; specification document 1, "Redirect contract with the calling protocol"
 */
export async function wayToSignIn(
  sessions: Pick<Parking, 'park'>,
  { isHead }: Pick<WebRequest, 'isHead'>,
  parked: ParkRequest,
): Promise<string> {
  return isHead ? loginPath : `${loginPath}?authn=${encodeURIComponent(await sessions.park(parked))}`;
}

const loginPath = '/authn/login';
