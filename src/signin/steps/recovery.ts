import { ClientRefusal, type Verification, type Verified } from '#client';
import { html } from '#web';
import { errors } from '../errors.ts';
import { noteLimited } from '../limited.ts';
import { faultId, stepPage } from '../pages.ts';
import type { Drawn, Fault, Outcome, Step, StepCall } from '../step.ts';
import { texts } from '../texts.ts';

export interface RecoveryDeps {
  /** Lets the directory judge a code and spend it. @throws ClientRefusal when nothing was judged, or it could not be spent */
  readonly verify: (asked: Verification) => Promise<Verified>;
}

/** In the audit trail. */
const action = 'signin.recoveryCode';

/** A recovery code in the place of a code or a key. Never asked for: only a link leads here. */
export function createRecoveryStep({ verify }: RecoveryDeps): Step {
  return {
    name: 'recovery',
    path: '/authn/backup-code',
    mechanism: 'recovery-code',
    show: (call, fault): Drawn => ({ page: codePage(call, fault) }),
    take: async (call, form): Promise<Outcome> => {
      const { person, request } = call;
      const code = form.get('code') ?? '';
      if (code.trim() === '') return fault(texts.recoveryMissing);
      if (person === undefined) return fault(texts.recoveryWrong);
      try {
        const secret = { kind: 'recovery', code } as const;
        const judged = await verify({
          dn: person.dn,
          secret,
          door: 'signin',
          address: request.address,
          isProtected: request.secure,
        });
        if (judged.kind === 'accepted') return { kind: 'proven', amr: ['otp'] };
        if (judged.kind === 'limited') return noteLimited(call, action, judged);
        return fault(texts.recoveryWrong);
      } catch (thrown) {
        if (!(thrown instanceof ClientRefusal)) throw thrown;
        // What cannot be spent lets nobody in.
        call.note(action, errors.codeNotJudged);
        return { kind: 'fault', fault: { words: texts.recoveryNotJudged }, status: 503, error: errors.codeNotJudged };
      }
    },
  };
}

function fault(words: string): Outcome & { readonly kind: 'fault' } {
  return { kind: 'fault', fault: { words, field: 'code' } };
}

function codePage(call: StepCall, fault: Fault | undefined) {
  const faulty = fault?.field === 'code';
  const fields = html`<label for="code">${texts.recoveryCode}</label>
<input id="code" name="code" type="text" class="code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="128" required autofocus${
    faulty && html` aria-invalid="true" aria-describedby="${faultId}"`
  }>
${faulty && html`<p class="fault" id="${faultId}">${fault.words}</p>`}
<button type="submit">${texts.goOn}</button>`;
  const failed = fault === undefined ? {} : { failed: texts.recoveryTitleFailed };
  return stepPage(call, { title: texts.recoveryTitle, ...failed, above: html`<p>${texts.recoveryWords}</p>`, fields }, fault);
}
