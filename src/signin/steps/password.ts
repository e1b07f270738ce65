import { verifiesPasswords } from '#policy';
import type { Progress, Visit } from '#sessions';
import type { Limits } from '#state';
import { csrfField, html, type Page, type Piece, pathIn, type SafeHtml, type WebRequest } from '#web';
import { errors } from '../errors.ts';
import { limited, noteLimited } from '../limited.ts';
import { faultId, stepPage } from '../pages.ts';
import { type PasswordDeps, provePassword, userNameLengthMax } from '../password.ts';
import type { Drawn, Fault, Outcome, Step, StepCall } from '../step.ts';
import { texts } from '../texts.ts';

/** A key that says who it is. Whether one may sign in with a key alone is decided as for who types a name. */
const unnamed = { secondFactor: false, passwordless: true, unnamed: true } as const;

export interface PasswordStepDeps extends PasswordDeps {
  readonly limits: Pick<Limits, 'enter'>;
  /** Whether people may have a link mailed to them that sets a new password. */
  readonly mailsLinks?: (request: Pick<WebRequest, 'realm' | 'door'>) => boolean;
}

/** The first screen: a name, a password. */
export function createPasswordStep(deps: PasswordStepDeps): Step {
  return {
    name: 'password',
    path: '/authn/login',
    mechanism: 'password',
    begins: true,
    show: (call, fault): Drawn => ({ page: loginPage(withForgotten(deps, call), fault) }),
    take: async (call, form): Promise<Outcome> => {
      if (form.get('without') === 'on') return { kind: 'anonymous' };
      if (form.get('passkey') === 'on') return { kind: 'moved', change: { ticked: unnamed } };
      const userName = (form.get('username') ?? '').trim();
      const password = form.get('password') ?? '';
      const ticked = {
        secondFactor: form.get('second-factor') === 'on',
        // The box is not there where it is of no use; who sends it all the same is told why.
        passwordless: form.get('passwordless') === 'on' || (call.first.passwordless && !call.first.password),
      };
      const kept = {
        username: userName,
        ...(ticked.secondFactor ? { secondFactor: 'on' } : {}),
        ...(ticked.passwordless ? { passwordless: 'on' } : {}),
      };
      if (userName === '') return { kind: 'fault', fault: { words: texts.userNameMissing, field: 'username', kept } };
      if (ticked.passwordless) return named(deps, call, userName, ticked, kept);
      if (!call.first.password) return { kind: 'fault', fault: { words: texts.emailOnly, kept } };
      if (password === '') return { kind: 'fault', fault: { words: texts.passwordMissing, field: 'password', kept } };
      const { realm, request } = call;
      const proved = await provePassword(deps, realm, { userName, password, secure: request.secure }, visitOf(request));
      if (proved.kind === 'busy') return { kind: 'fault', fault: { words: texts.busy, kept }, status: 503, error: errors.notJudged };
      if (proved.kind === 'limited') return limited(proved, kept);
      if (proved.kind === 'failed' || proved.person === undefined) return failed(kept);
      return { kind: 'proven', amr: ['pwd'], person: proved.person, change: { userName, ticked } };
    },
  };
}

/** Who comes with a key alone: whom the name means. What follows from who that is, or from nobody being it, is not this step's business. */
async function named(
  { registry, limits }: PasswordStepDeps,
  call: StepCall,
  userName: string,
  ticked: Progress['ticked'],
  kept: Fault['kept'],
): Promise<Outcome> {
  const { realm, request } = call;
  const person = userName.length > userNameLengthMax ? undefined : await registry.find(realm, userName);
  // Whether somebody has such a key is told to whoever asks: so seldom that nobody goes through many names.
  const identity = person?.dn ?? registry.nobody(realm, userName.slice(0, userNameLengthMax));
  const attempt = await limits.enter({ realm: realm.id, identity, address: request.address });
  if (attempt.kind === 'limited') return noteLimited(call, 'signin.passwordless', attempt, kept);
  const goesOn = !verifiesPasswords(realm.mode) || person?.holdings.keys.some(({ role }) => role === 'primary') === true;
  if (goesOn) await attempt.succeeded();
  const change = { userName: userName.slice(0, userNameLengthMax), ticked };
  return { kind: 'moved', change, ...(person === undefined ? {} : { person }) };
}

/** What is shown of a wrong password, of a name that nobody has and of an account that is disabled. */
export function failed(kept: Fault['kept'] = {}): Outcome & { readonly kind: 'fault' } {
  return { kind: 'fault', fault: { words: texts.failed, kept }, error: errors.passwordRefused };
}

/** With the way for who has forgotten their password, where there is one. */
function withForgotten({ mailsLinks }: PasswordStepDeps, call: StepCall): StepCall {
  if (!call.first.password || mailsLinks?.(call.request) !== true) return call;
  return { ...call, ways: [...call.ways, { href: pathIn(call.realm, '/portal/forgot-password'), words: texts.forgotten }] };
}

function loginPage(call: StepCall, fault: Fault | undefined): Page {
  const { first, realm } = call;
  const nameFault = fault?.field === 'username';
  const passwordFault = fault?.field === 'password';
  const again = fault !== undefined && fault.field === undefined;
  const kept = fault?.kept ?? {};
  const name = html`<label for="username">${texts.userName}</label>
${userNameField(kept['username'] ?? call.parked.hint, nameFault, fault === undefined || nameFault)}`;
  const withPassword = html`${name}
<label for="password">${texts.password}</label>
${passwordField(passwordFault, again, fault !== undefined && !nameFault, first.passwordless)}
${!verifiesPasswords(realm.mode) && html`<p class="quiet">${texts.developmentHint}</p>`}
${first.secondFactor !== 'none' && secondFactorBox(first.secondFactor === 'demanded', kept['secondFactor'] === 'on')}
${first.passwordless && box('passwordless', texts.passwordless, texts.passwordlessHint, html`${kept['passwordless'] === 'on' && html` checked`}`)}
<button type="submit">${texts.signIn}</button>`;
  const withKey = html`<p>${texts.passwordlessOnly}</p>
${name}
<button type="submit">${texts.goOnWithKey}</button>`;
  const fields = first.password ? withPassword : first.passwordless ? withKey : html`<p>${texts.emailOnly}</p>`;
  const apart = (name: string, words: string) => html`<form method="post" action="${call.action}">
<input type="hidden" name="${csrfField}" value="${call.csrfToken}">
<button type="submit" class="outline" name="${name}" value="on">${words}</button>
</form>`;
  const below = html`${first.passwordless && apart('passkey', texts.passkey)}${first.anonymous && apart('without', texts.without)}`;
  // A screen reader tells the title first: it says at once that the last try did not work.
  return stepPage(
    call,
    {
      title: texts.title,
      ...(fault?.words === texts.failed ? { failed: texts.titleFailed } : {}),
      fields,
      below,
    },
    fault,
  );
}

/** The box of the second factor; ticked for good where two factors are demanded. What is sent of it then makes no difference. */
function secondFactorBox(demanded: boolean, checked: boolean): SafeHtml {
  const hint = demanded ? texts.secondFactorDemanded : texts.secondFactorHint;
  return box('second-factor', texts.secondFactor, hint, html`${(demanded || checked) && html` checked`}${demanded && html` disabled`}`);
}

function box(id: string, label: string, hint: string, attributes: SafeHtml): SafeHtml {
  return html`<div class="box"><input type="checkbox" id="${id}" name="${id}" aria-describedby="${id}-hint"${attributes}><label for="${id}">${label}</label>
<p class="quiet" id="${id}-hint">${hint}</p></div>`;
}

function userNameField(value: string, faulty: boolean, first: boolean): SafeHtml {
  const attributes: Piece = html`id="username" name="username" type="text" value="${value}" autocomplete="username" autocapitalize="none" spellcheck="false" required${first && html` autofocus`}`;
  if (!faulty) return html`<input ${attributes}>`;
  return html`<input ${attributes} aria-invalid="true" aria-describedby="username-fault">
<p class="fault" id="username-fault">${texts.userNameMissing}</p>`;
}

function passwordField(faulty: boolean, again: boolean, first: boolean, optional: boolean): SafeHtml {
  const attributes: Piece = html`id="password" name="password" type="password" autocomplete="current-password"${!optional && html` required`}${first && html` autofocus`}`;
  if (faulty) {
    return html`<input ${attributes} aria-invalid="true" aria-describedby="password-fault">
<p class="fault" id="password-fault">${texts.passwordMissing}</p>`;
  }
  return again ? html`<input ${attributes} aria-describedby="${faultId}">` : html`<input ${attributes}>`;
}

function visitOf({ door, address, correlationId }: StepCall['request']): Visit {
  return { door, address, correlationId };
}
