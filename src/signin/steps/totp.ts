import { ClientRefusal, type Verification, type Verified } from '#client';
import { type AppEnrolments, appParts, type PendingApp } from '#factors';
import { resultCodes } from '#ldap';
import { html, type SafeHtml } from '#web';
import { errors } from '../errors.ts';
import { noteLimited } from '../limited.ts';
import { stepPage } from '../pages.ts';
import type { Drawn, Fault, Outcome, Step, StepCall } from '../step.ts';
import { texts } from '../texts.ts';

/** Settings of authenticator apps that a sign-in asks for. */
interface TotpSettings {
  readonly 'totp.enabled': boolean;
  readonly 'totp.issuer': string;
  readonly 'totp.window': number;
}

export interface TotpDeps {
  /** Lets the directory judge a code and spend it. @throws ClientRefusal when nothing was judged */
  readonly verify: (asked: Verification) => Promise<Verified>;
  readonly apps: AppEnrolments;
  readonly settingsOf: (realm: string) => TotpSettings;
}

const name = 'totp';
/** In the audit trail. */
const action = 'signin.totp';

/** A typed code of an authenticator app; for who has none and enrols one, the app's secret and the code that proves it. */
export function createTotpStep(deps: TotpDeps): Step {
  return {
    name,
    path: '/authn/totp',
    mechanism: 'authenticator-app',
    show: async (call, fault): Promise<Drawn> => {
      if (!call.enrols) return { page: codePage(call, fault) };
      const known = await pendingOf(deps, call);
      const pending = known ?? (await deps.apps.begin(enrollingOf(call)));
      const page = await enrolmentPage(deps, call, pending, fault);
      if (known !== undefined) return { page };
      return { page, change: { underWay: { step: name, untilMs: pending.untilMs, data: { handle: pending.handle } } } };
    },
    take: (call, form) => {
      const code = (form.get('code') ?? '').replace(/\s/g, '');
      if (code === '') return Promise.resolve(fault(texts.codeMissing));
      return call.enrols ? enrolled(deps, call, code) : shown(deps, call, code);
    },
  };
}

async function shown(deps: TotpDeps, call: StepCall, code: string): Promise<Outcome> {
  const { person, realm } = call;
  if (person === undefined) return fault(texts.codeWrong);
  const judged = await judge(deps, call, {
    dn: person.dn,
    secret: { kind: 'totp', code, window: deps.settingsOf(realm.id)['totp.window'] },
  });
  if (judged !== 'accepted') return judged;
  // The directory has just judged who it is, disabled or not, and noted that a second factor was used.
  return { kind: 'proven', amr: ['otp'], person: { ...person, secondFactorUsed: true } };
}

/** The code that proves the app writes it, and cannot sign in: a fresh one is asked for afterwards. */
async function enrolled(deps: TotpDeps, call: StepCall, code: string): Promise<Outcome> {
  const { person, realm, progress, request, nowMs } = call;
  const pending = await pendingOf(deps, call);
  if (person === undefined || pending === undefined) return fault(texts.appExpired);
  const authenticatedMs = progress.proven.at(-1)?.atMs ?? nowMs;
  const judged = await judge(deps, call, {
    dn: person.dn,
    secret: { kind: 'enrolTotp', credential: pending.credential, code, window: deps.settingsOf(realm.id)['totp.window'], onlyFirst: true },
    session: { factors: Math.max(1, progress.proven.length), authenticatedMs, address: request.address, isProtected: request.secure },
  });
  if (judged !== 'accepted') return judged;
  await deps.apps.end(enrollingOf(call), pending.handle);
  return { kind: 'moved', change: { underWay: undefined, enrolling: undefined }, renews: true };
}

async function judge(
  { verify }: TotpDeps,
  call: StepCall,
  asked: Pick<Verification, 'dn' | 'secret' | 'session'>,
): Promise<'accepted' | Outcome> {
  const { address, secure } = call.request;
  try {
    const verified = await verify({ ...asked, door: call.request.door, address, isProtected: secure });
    if (verified.kind === 'accepted') return 'accepted';
    if (verified.kind === 'limited') return noteLimited(call, action, verified);
    switch (verified.why) {
      case 'replay':
        return fault(texts.codeUsed);
      case 'wrong':
        return fault(texts.codeWrong);
      case 'absent':
        // It went meanwhile: what is asked for now is decided anew.
        return { kind: 'moved', change: {} };
      case 'held':
        // Another sign-in of theirs was faster: that one is asked for now.
        return { kind: 'moved', change: { underWay: undefined, enrolling: undefined } };
    }
  } catch (thrown) {
    if (!(thrown instanceof ClientRefusal)) throw thrown;
    // A right that was there when the password was typed is not any more: too long ago.
    if (thrown.code === resultCodes.insufficientAccessRights)
      return { kind: 'fault', fault: { words: texts.appTooLate }, status: 403, error: errors.codeNotJudged };
    call.note(action, errors.codeNotJudged);
    return { kind: 'fault', fault: { words: texts.codeNotJudged }, status: 503, error: errors.codeNotJudged };
  }
}

function fault(words: string): Outcome & { readonly kind: 'fault' } {
  return { kind: 'fault', fault: { words, field: 'code' } };
}

/** The secret that was shown to the person of this sign-in. */
async function pendingOf({ apps }: TotpDeps, call: StepCall): Promise<PendingApp | undefined> {
  const { underWay } = call.progress;
  const handle = underWay?.step === name ? underWay.data['handle'] : undefined;
  return typeof handle === 'string' ? apps.find(enrollingOf(call), handle) : undefined;
}

function enrollingOf({ realm, progress }: StepCall) {
  return { realm: realm.id, entryUuid: progress.entryUuid ?? '' };
}

function codePage(call: StepCall, fault: Fault | undefined) {
  const fields = html`${codeField(texts.code, fault)}
<button type="submit">${texts.goOn}</button>`;
  const failed = fault === undefined ? {} : { failed: texts.codeTitleFailed };
  return stepPage(call, { title: texts.codeTitle, ...failed, above: html`<p>${texts.codeWords}</p>`, fields }, fault);
}

async function enrolmentPage({ settingsOf }: TotpDeps, call: StepCall, pending: PendingApp, fault: Fault | undefined) {
  const { progress, person, realm, request } = call;
  const issuer = settingsOf(realm.id)['totp.issuer'];
  const account = progress.userName ?? person?.dn ?? '';
  const above = await appParts(pending, issuer === '' ? new URL(request.origin).hostname : issuer, account);
  const fields = html`${codeField(texts.appCode, fault)}
<button type="submit">${texts.appDone}</button>`;
  return stepPage(call, { title: texts.appTitle, above, fields }, fault);
}

function codeField(label: string, fault: Fault | undefined): SafeHtml {
  const faulty = fault?.field === 'code';
  const attributes = html`id="code" name="code" type="text" class="code" inputmode="numeric" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="16" required autofocus`;
  if (!faulty)
    return html`<label for="code">${label}</label>
<input ${attributes}>`;
  return html`<label for="code">${label}</label>
<input ${attributes} aria-invalid="true" aria-describedby="code-fault">
<p class="fault" id="code-fault">${fault.words}</p>`;
}
