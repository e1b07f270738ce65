import { createHmac } from 'node:crypto';
import { Browser, type PageAnswer, tokenOf } from './browser.ts';

export interface Traveller {
  readonly uid: string;
  readonly password: string;
  /** Of their authenticator app. */
  readonly secret?: Uint8Array;
}

/**
 * A whole sign-in, as a browser makes it: a page that needs a person, the screen, name and password, the code where there is an app, and back to the page
 * with a session.
 *
 * @param seesPage  whether the page is asked for again, which is whoever's it is, and no more of the sign-in
 * @returns the browser, signed in; it is the caller's to close
 * @throws Error when it does not lead there
 */
export async function signIn(port: number, { uid, password, secret }: Traveller, seesPage = true): Promise<Browser> {
  const browser = new Browser(port);
  try {
    const screen = expect(await browser.get('/portal'), 303).location;
    const form = expect(await browser.get(screen), 200);
    const judged = expect(await browser.post(screen, { csrf: tokenOf(form), username: uid, password }), 303);
    let { location } = judged;
    if (secret !== undefined) {
      const step = expect(await browser.get(location), 200);
      location = expect(await browser.post(location, { csrf: tokenOf(step), code: codeOf(secret, Date.now()) }), 303).location;
    }
    if (!location.endsWith('/portal') || !browser.has('sts_session')) throw new Error(`the sign-in of ${uid} led to ${location}`);
    if (seesPage) expect(await browser.get('/portal'), 200);
    return browser;
  } catch (error) {
    browser[Symbol.dispose]();
    throw error;
  }
}

function expect(answer: PageAnswer, status: number): PageAnswer {
  if (answer.status !== status) throw new Error(`${answer.status} instead of ${status}: ${answer.location}${answer.body.slice(0, 2000)}`);
  return answer;
}

const periodMs = 30_000;
let lately: { readonly step: number; readonly code: string } | undefined;

/** RFC 6238 with SHA-1, six digits and 30 seconds. All have the same secret, so that a code is worked out once for each step. */
function codeOf(secret: Uint8Array, nowMs: number): string {
  const step = Math.floor(nowMs / periodMs);
  if (lately?.step === step) return lately.code;
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  // RFC 4226 §5.3.
  const number = mac.readUInt32BE((mac[19] as number) & 0x0f) & 0x7fff_ffff;
  lately = { step, code: String(number % 1_000_000).padStart(6, '0') };
  return lately.code;
}
