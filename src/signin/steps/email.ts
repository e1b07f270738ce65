import { type Chance, uuid4 } from '#base';
import { Refusal } from '#catalogue';
import { type EmailFactors, type EmailRules, factorAddress, factorsErrors } from '#factors';
import { keysErrors } from '#keys';
import type { AuthnPolicy, Mechanism } from '#policy';
import { fillText, html, type Page, pathIn, type SafeHtml, type WebRealm, type WebRequest } from '#web';
import { errors } from '../errors.ts';
import { noteLimited } from '../limited.ts';
import { faultId, loginHref, stepPage } from '../pages.ts';
import type { Known, Registry } from '../password.ts';
import type { Drawn, Fault, Outcome, Step, StepCall } from '../step.ts';
import { emailTexts, texts } from '../texts.ts';

export interface EmailStepDeps {
  readonly email: EmailFactors;
  readonly registry: Registry;
  /** The authentication policy in force in a realm, as it is now. */
  readonly policyOf: (realm: WebRealm) => Promise<AuthnPolicy>;
  /** Where browsers reach this service, for an address in a mail; `undefined` where only the request itself says so, which anybody may have written. */
  readonly baseOf: (door: WebRequest['door']) => string | undefined;
  readonly chance: Chance;
}

const rows = {
  code: { name: 'email-code', path: '/authn/email-code', mechanism: 'email-code' },
  link: { name: 'email-link', path: '/authn/email-link', mechanism: 'email-link' },
} as const satisfies Record<string, { readonly name: string; readonly path: string; readonly mechanism: Mechanism }>;

const userNameLengthMax = 256;
const codeForm = /^\d{6}$/;
const linkForm = /^[\w-]{43}$/;

/**
 * A code or a link that is mailed, as a first or as a second factor. GET mails nothing and spends nothing.
 *
 * As a first factor a name that nobody has is answered like any other: the same searches, the same hash, the same writes, the same words.
 *
 * @see specification document 1, "Emailed code or link"
 */
export function createEmailStep(deps: EmailStepDeps, kind: 'code' | 'link'): Step {
  const row = rows[kind];
  return {
    ...row,
    show: async (call, fault): Promise<Drawn> => ({ page: await pageOf(deps, kind, call, fault) }),
    elsewhere: (realm) => (kind === 'link' ? elsewherePage(realm) : undefined),
    take: async (call, form) => {
      try {
        const presented = form.get(kind === 'code' ? 'code' : 'token');
        return presented === null || form.has('again') ? await send(deps, kind, call, form) : await judge(deps, kind, call, presented);
      } catch (thrown) {
        if (thrown instanceof Refusal && thrown.row === keysErrors.hashQueueFull)
          return { kind: 'fault', fault: { words: texts.busy }, status: 503, error: errors.notJudged };
        throw thrown;
      }
    },
  };
}

async function send(deps: EmailStepDeps, kind: 'code' | 'link', call: StepCall, form: URLSearchParams): Promise<Outcome> {
  const { email, registry, policyOf, baseOf, chance } = deps;
  const { realm, request, id, role, progress, nowMs, waitsUntilMs } = call;
  const rules = await policyOf(realm);
  const userName = (form.get('username') ?? progress.userName ?? '').trim();
  if (role === 'first' && userName === '') return { kind: 'fault', fault: { words: emailTexts.userNameMissing, field: 'username' } };
  // Nobody is made an entry by asking for a mail.
  const found = role === 'second' ? call.person : await findPerson(registry, realm, userName);
  const person = factorAddress(found, role, rules, kind) === undefined ? undefined : found;
  const identity = identityOf(registry, realm, found, userName);
  const sent = await email.send({
    ...asking(call, kind, found, identity, rules),
    person,
    nowMs,
    waitsUntilMs,
    linkOf: (secret) =>
      `${baseOf(request.door) ?? ''}${pathIn(realm, `${rows.link.path}?authn=${encodeURIComponent(id)}&token=${secret}`)}`,
  });
  if (sent.kind === 'limited') return noteLimited(call, 'signin.email.send', sent, { username: userName });
  const underWay = { step: rows[kind].name, untilMs: sent.untilMs, data: { identity } };
  if (role === 'second') return { kind: 'moved', change: { underWay } };
  // A name that nobody has is looked up at the next step, like any other.
  return {
    kind: 'moved',
    change: { underWay, userName: userName.slice(0, userNameLengthMax), entryUuid: person?.entryUuid ?? uuid4(chance) },
  };
}

async function judge(deps: EmailStepDeps, kind: 'code' | 'link', call: StepCall, given: string): Promise<Outcome> {
  const { email, registry, policyOf } = deps;
  const { realm, progress, person } = call;
  const presented = given.replace(/\s/g, '');
  const field = kind === 'code' ? { field: 'code' } : {};
  if (!(kind === 'code' ? codeForm : linkForm).test(presented))
    return { kind: 'fault', fault: { words: kind === 'code' ? emailTexts.wrongForm : emailTexts.over, ...field } };
  const rules = await policyOf(realm);
  // As when it was sent: whose address no mail goes to would otherwise be counted under another name here than there.
  const sentFor = progress.underWay?.step === rows[kind].name ? progress.underWay.data['identity'] : undefined;
  const identity = typeof sentFor === 'string' ? sentFor : identityOf(registry, realm, person, progress.userName ?? '');
  const judged = await email.judge(asking(call, kind, person, identity, rules), presented);
  switch (judged.kind) {
    case 'limited':
      return noteLimited(call, 'signin.email', judged);
    case 'right':
      return person === undefined ? over() : { kind: 'proven', amr: ['otp'], person };
    case 'over':
      return over();
    case 'ended':
      // The step is over, and so is what was reached: whoever guesses begins anew.
      return { kind: 'fault', fault: { words: emailTexts.ended }, status: 403, error: factorsErrors.emailEnded, change: begunAnew(kind) };
    case 'wrong': {
      const words =
        kind === 'link'
          ? emailTexts.wrongLink
          : judged.left === 1
            ? emailTexts.wrongOnce
            : fillText(emailTexts.wrong, { count: judged.left });
      return { kind: 'fault', fault: { words, ...field }, error: factorsErrors.emailWrong };
    }
  }
}

function begunAnew(kind: 'code' | 'link') {
  return { proven: [], underWay: { step: rows[kind].name, untilMs: 0, data: {} } };
}

function over(): Outcome {
  return { kind: 'fault', fault: { words: emailTexts.over }, error: factorsErrors.emailOver };
}

function asking(
  { realm, request, id, role }: StepCall,
  kind: 'code' | 'link',
  person: Known | undefined,
  identity: string,
  rules: EmailRules,
) {
  const { door, address, correlationId } = request;
  return { realm, key: `sign-in ${id}`, person, identity, role, kind, rules, visit: { door, address, correlationId } };
}

async function findPerson(registry: Registry, realm: WebRealm, userName: string): Promise<Known | undefined> {
  return userName.length > userNameLengthMax ? undefined : registry.find({ ...realm, mode: 'product' }, userName);
}

function identityOf(registry: Registry, realm: WebRealm, person: Known | undefined, userName: string): string {
  return person?.dn ?? registry.nobody(realm, userName.slice(0, userNameLengthMax));
}

async function pageOf(deps: EmailStepDeps, kind: 'code' | 'link', call: StepCall, fault: Fault | undefined): Promise<Page> {
  if (fault?.words === emailTexts.ended) return endedPage(call);
  const words = emailTexts[kind];
  const { progress, role, person, request, nowMs } = call;
  const isSent = progress.underWay?.step === rows[kind].name && nowMs < progress.underWay.untilMs;
  const rules = await deps.policyOf(call.realm);
  const shown = role === 'second' ? masked(factorAddress(person, 'second', rules) ?? '') : '';
  if (!isSent) {
    const fields = html`${role === 'first' && userNameField(progress.userName ?? fault?.kept?.['username'] ?? '', fault)}
<button type="submit">${words.send}</button>`;
    const where = role === 'first' ? emailTexts.askFirst : fillText(emailTexts.askSecond, { address: shown });
    return stepPage(call, { title: words.title, above: html`<p>${words.ask} ${where}</p>`, fields }, fault);
  }
  const token = request.query.get('token') ?? '';
  if (kind === 'link' && linkForm.test(token)) return openedPage(call, token, fault);
  const sent =
    role === 'first'
      ? fillText(emailTexts.sentFirst, { name: progress.userName ?? '' })
      : fillText(emailTexts.sentSecond, { address: shown });
  return kind === 'code' ? codePage(call, sent, fault) : linkPage(call, sent, fault);
}

function codePage(call: StepCall, sent: string, fault: Fault | undefined): Page {
  const faulty = fault?.field === 'code';
  const fields = html`<label for="code">${emailTexts.codeLabel}</label>
<input id="code" name="code" type="text" class="code" inputmode="numeric" autocomplete="one-time-code" required autofocus aria-describedby="${faulty ? 'code-fault code-hint' : 'code-hint'}"${faulty && html` aria-invalid="true"`}>
${faulty && html`<p class="fault" id="code-fault">${fault.words}</p>`}
<p class="quiet" id="code-hint">${emailTexts.codeHint}</p>
<button type="submit">${emailTexts.goOn}</button>
<button type="submit" class="outline" name="again" value="1" formnovalidate>${emailTexts.code.again}</button>`;
  return stepPage(call, { title: emailTexts.code.titleSent, above: html`<p>${sent}</p>`, fields }, fault);
}

function linkPage(call: StepCall, sent: string, fault: Fault | undefined): Page {
  const fields = html`<button type="submit" class="outline" name="again" value="1">${emailTexts.link.again}</button>`;
  return stepPage(call, { title: emailTexts.link.titleSent, above: html`<p>${sent}</p>\n<p>${emailTexts.sentLink}</p>`, fields }, fault);
}

function openedPage(call: StepCall, token: string, fault: Fault | undefined): Page {
  const fields = html`<input type="hidden" name="token" value="${token}">
<button type="submit">${emailTexts.goOn}</button>`;
  return stepPage(call, { title: emailTexts.titleOpened, above: html`<p>${emailTexts.opened}</p>`, fields }, fault);
}

function userNameField(value: string, fault: Fault | undefined): SafeHtml {
  const faulty = fault?.field === 'username';
  return html`<label for="username">${emailTexts.userName}</label>
<input id="username" name="username" type="text" value="${value}" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus${faulty && html` aria-invalid="true" aria-describedby="username-fault"`}>
${faulty && html`<p class="fault" id="username-fault">${fault.words}</p>`}`;
}

function endedPage({ realm, id, parked }: StepCall): Page {
  return {
    title: emailTexts.ended,
    layout: 'card',
    main: html`<h1>${emailTexts.ended}</h1>
<p id="${faultId}">${emailTexts.endedWords}</p>
<p><a href="${loginHref(realm, id)}" role="button">${texts.startAgain}</a></p>
<p class="ways"><a href="${pathIn(realm, parked.cancelTarget)}">${texts.cancel}</a></p>`,
  };
}

function elsewherePage(_realm: WebRealm): Page {
  return {
    title: emailTexts.elsewhere,
    layout: 'card',
    main: html`<h1>${emailTexts.elsewhere}</h1>
<p>${emailTexts.elsewhereWords}</p>
<p>${emailTexts.elsewhereAdvice}</p>`,
  };
}

/** Enough of an address for who knows it: `a•••@example.com`. */
function masked(address: string): string {
  const at = address.indexOf('@');
  return at < 1 ? '' : `${address.slice(0, 1)}•••${address.slice(at)}`;
}
