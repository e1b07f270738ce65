import { verifiesPasswords } from '#policy';
import type { Visit } from '#sessions';
import { html, type Page, type Piece, type SafeHtml } from '#web';
import { errors } from '../errors.ts';
import { limited } from '../limited.ts';
import { faultId, stepPage } from '../pages.ts';
import { type PasswordDeps, provePassword } from '../password.ts';
import type { Drawn, Fault, Outcome, Step, StepCall } from '../step.ts';
import { texts } from '../texts.ts';

const on = { first: true, second: false, enrol: false } as const;

/** The first screen: a name, a password. */
export function createPasswordStep(deps: PasswordDeps): Step {
  return {
    name: 'password',
    path: '/authn/login',
    mechanism: 'password',
    begins: true,
    offer: () => on,
    show: (call, fault): Drawn => ({ page: loginPage(call, fault) }),
    take: async ({ realm, request }, form): Promise<Outcome> => {
      const userName = (form.get('username') ?? '').trim();
      const password = form.get('password') ?? '';
      const kept = { username: userName };
      if (userName === '') return { kind: 'fault', fault: { words: texts.userNameMissing, field: 'username' } };
      if (password === '') return { kind: 'fault', fault: { words: texts.passwordMissing, field: 'password', kept } };
      const proved = await provePassword(deps, realm, { userName, password, secure: request.secure }, visitOf(request));
      if (proved.kind === 'busy') return { kind: 'fault', fault: { words: texts.busy, kept }, status: 503, error: errors.notJudged };
      if (proved.kind === 'limited') return limited(proved.waitS, kept);
      if (proved.kind === 'failed' || proved.person === undefined) return failed(userName);
      return { kind: 'proven', amr: ['pwd'], person: proved.person, change: { userName } };
    },
  };
}

/** What is shown of a wrong password, of a name that nobody has and of an account that is disabled. */
export function failed(userName: string): Outcome & { readonly kind: 'fault' } {
  return { kind: 'fault', fault: { words: texts.failed, kept: { username: userName } }, error: errors.passwordRefused };
}

function loginPage(call: StepCall, fault: Fault | undefined): Page {
  const nameFault = fault?.field === 'username';
  const passwordFault = fault?.field === 'password';
  const again = fault !== undefined && fault.field === undefined;
  const fields = html`<label for="username">${texts.userName}</label>
${userNameField(fault?.kept?.['username'] ?? '', nameFault, fault === undefined || nameFault)}
<label for="password">${texts.password}</label>
${passwordField(passwordFault, again, fault !== undefined && !nameFault)}
${!verifiesPasswords(call.realm.mode) && html`<p class="quiet">${texts.developmentHint}</p>`}
<button type="submit">${texts.signIn}</button>`;
  // A screen reader tells the title first: it says at once that the last try did not work.
  return stepPage(call, { title: texts.title, ...(fault?.words === texts.failed ? { failed: texts.titleFailed } : {}), fields }, fault);
}

function userNameField(value: string, faulty: boolean, first: boolean): SafeHtml {
  const attributes: Piece = html`id="username" name="username" type="text" value="${value}" autocomplete="username" autocapitalize="none" spellcheck="false" required${first && html` autofocus`}`;
  if (!faulty) return html`<input ${attributes}>`;
  return html`<input ${attributes} aria-invalid="true" aria-describedby="username-fault">
<p class="fault" id="username-fault">${texts.userNameMissing}</p>`;
}

function passwordField(faulty: boolean, again: boolean, first: boolean): SafeHtml {
  const attributes: Piece = html`id="password" name="password" type="password" autocomplete="current-password" required${first && html` autofocus`}`;
  if (faulty) {
    return html`<input ${attributes} aria-invalid="true" aria-describedby="password-fault">
<p class="fault" id="password-fault">${texts.passwordMissing}</p>`;
  }
  return again ? html`<input ${attributes} aria-describedby="${faultId}">` : html`<input ${attributes}>`;
}

function visitOf({ door, address, correlationId }: StepCall['request']): Visit {
  return { door, address, correlationId };
}
