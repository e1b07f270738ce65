import type { ErrorRow } from '#catalogue';
import { constantTimeEqual, keyedMac } from '#keys';
import { errors } from './errors.ts';

/** Tokens that bind a form to whom it was shown: to a session, or to a browser that is about to sign in. */
export interface Csrf {
  /** The token of a subject; the same each time, so that several tabs work. */
  issue(subject: string): string;
  /** Why the token is refused; `undefined` when it is the subject's. */
  judge(token: string | undefined, subject: string): ErrorRow | undefined;
}

/** The hidden field that carries the token. */
export const csrfField = 'csrf';

const nothing = new Uint8Array();

/**
 * @param key  32 octets that only this service knows, the same after a restart, so that a page left open goes on working
 */
export function createCsrf(key: Uint8Array): Csrf {
  const mac = keyedMac(key);
  const tokenOf = (subject: string) => Buffer.from(mac(`csrf\0${subject}`, nothing), 'latin1');
  return {
    issue: (subject) => tokenOf(subject).toString('base64url'),
    judge: (token, subject) => {
      if (token === undefined || token === '') return errors.csrfMissing;
      return constantTimeEqual(Buffer.from(token, 'base64url'), tokenOf(subject)) ? undefined : errors.csrfForeign;
    },
  };
}
