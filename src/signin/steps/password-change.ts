import { ClientRefusal, type SessionOf } from '#client';
import { resultCodes } from '#ldap';
import { html } from '#web';
import { errors } from '../errors.ts';
import { stepPage } from '../pages.ts';
import type { Drawn, Fault, Outcome, Step, StepCall } from '../step.ts';
import { texts } from '../texts.ts';

export interface PasswordChangeDeps {
  /** Sets a person's password in their own name. @throws ClientRefusal when the directory does not take it */
  readonly setPassword: (subject: { readonly dn: string; readonly session: SessionOf }, password: string) => Promise<void>;
}

/** Longer ones are refused here; the directory has limits of its own. */
const passwordLengthMax = 1024;

/** Where somebody whose password must be changed changes it, before their sign-in goes on (`pwdReset`), or has expired. */
export function createPasswordChangeStep({ setPassword }: PasswordChangeDeps): Step {
  return {
    name: 'password-change',
    path: '/authn/password-change',
    mechanism: undefined,
    show: (call, fault): Drawn => ({ page: changePage(call, fault) }),
    take: async (call, form): Promise<Outcome> => {
      const { person, request, progress, nowMs } = call;
      const [fresh, again] = [form.get('password') ?? '', form.get('again') ?? ''];
      if (fresh === '' || fresh.length > passwordLengthMax)
        return { kind: 'fault', fault: { words: texts.newPasswordMissing, field: 'password' } };
      if (fresh !== again) return { kind: 'fault', fault: { words: texts.notRepeated, field: 'again' } };
      if (person === undefined) return { kind: 'fault', fault: { words: texts.changeNotDone } };
      const authenticatedMs = progress.proven.at(-1)?.atMs ?? nowMs;
      const session = { factors: progress.proven.length, authenticatedMs, address: request.address, isProtected: request.secure };
      try {
        await setPassword({ dn: person.dn, session }, fresh);
      } catch (thrown) {
        if (!(thrown instanceof ClientRefusal)) throw thrown;
        if (thrown.code === resultCodes.constraintViolation)
          return { kind: 'fault', fault: { words: texts.notTaken.replace('{why}', thrown.message), field: 'password' } };
        call.note('signin.passwordChange', errors.passwordNotChanged);
        return { kind: 'fault', fault: { words: texts.changeNotDone }, status: 503, error: errors.passwordNotChanged };
      }
      // The directory has taken `pwdReset` away with it, and the time runs anew: the decider, which reads the entry again, goes on.
      return { kind: 'moved', change: {}, renews: true };
    },
  };
}

function changePage(call: StepCall, fault: Fault | undefined) {
  const field = (id: 'password' | 'again', label: string) => {
    const faulty = fault?.field === id;
    return html`<label for="${id}">${label}</label>
<input id="${id}" name="${id}" type="password" autocomplete="new-password" required${faulty && html` aria-invalid="true" aria-describedby="${id}-fault"`}${
      (faulty || (fault === undefined && id === 'password')) && html` autofocus`
    }>
${faulty && html`<p class="fault" id="${id}-fault">${fault.words}</p>`}`;
  };
  const fields = html`<input type="hidden" autocomplete="username" value="${call.progress.userName ?? ''}">
${field('password', texts.newPassword)}
${field('again', texts.repeated)}
<button type="submit">${texts.change}</button>`;
  return stepPage(call, { title: texts.changeTitle, above: html`<p>${texts.changeWords}</p>`, fields }, fault);
}
