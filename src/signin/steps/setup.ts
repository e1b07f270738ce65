import type { Enrollable } from '#policy';
import { html } from '#web';
import { errors } from '../errors.ts';
import { stepPage } from '../pages.ts';
import type { Drawn, Outcome, Step } from '../step.ts';
import { choiceTexts, texts } from '../texts.ts';

/** Where somebody without a second factor is sent: to enrol one, or, where it is only offered, to ignore that. */
export function createSetupStep(): Step {
  return {
    name: 'setup',
    path: '/authn/mfa-setup',
    mechanism: undefined,
    show: (call, fault): Drawn => {
      const { required, choices } = call;
      const above = html`<p>${required ? texts.setupRequired : texts.setupOffered}</p>`;
      const fields = html`${choices.map(
        (choice) => html`<section class="choice"><h2>${choiceTexts[choice][0]}</h2><p>${choiceTexts[choice][1]}</p>
<button type="submit" name="choice" value="${choice}">${choiceTexts[choice][2]}</button></section>
`,
      )}${!required && html`<button type="submit" name="choice" value="ignore" class="outline">${texts.ignore}</button>`}`;
      return { page: stepPage(call, { title: texts.setupTitle, above, fields }, fault) };
    },
    take: async ({ required, choices, note }, form): Promise<Outcome> => {
      const choice = form.get('choice');
      if (choice === 'ignore') {
        if (required) {
          note('authn.mfa.enrolment', errors.ignoreRefused);
          return { kind: 'fault', fault: { words: texts.ignoreRefused }, status: 403, error: errors.ignoreRefused };
        }
        return { kind: 'moved', change: { declined: true, enrolling: undefined, underWay: undefined } };
      }
      const enrolling: Enrollable | undefined = choices.find((each) => each === choice);
      if (enrolling === undefined) return { kind: 'fault', fault: { words: texts.choiceMissing } };
      return { kind: 'moved', change: { enrolling, underWay: undefined } };
    },
  };
}
