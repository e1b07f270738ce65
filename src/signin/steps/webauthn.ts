import type { Audit } from '#audit';
import { type ErrorRow, Refusal } from '#catalogue';
import { answerField, askingParts, type Ceremony, ceremonyScript, factorsErrors, type Webauthn } from '#factors';
import { sessionsErrors } from '#sessions';
import type { Limits } from '#state';
import { type Handler, html } from '#web';
import { noteLimited } from '../limited.ts';
import { stepPage } from '../pages.ts';
import type { Known, Registry } from '../password.ts';
import type { Drawn, Fault, Outcome, Step, StepCall } from '../step.ts';
import { texts } from '../texts.ts';

export interface WebauthnDeps {
  readonly webauthn: Webauthn;
  readonly registry: Pick<Registry, 'byUuid' | 'nobody'>;
  readonly limits: Limits;
  readonly audit: Pick<Audit, 'record'>;
}

const name = 'webauthn';

/** Security keys in both roles: as a second factor, and as the only credential. What enrols on first use is decided by the frame. */
export function createWebauthnStep({ webauthn, registry, limits, audit }: WebauthnDeps): Step {
  return {
    name,
    path: '/authn/webauthn',
    mechanism: 'security-key',
    show: (call, fault) => draw({ webauthn, audit }, call, fault),
    take: async (call, form) => {
      const { request, realm } = call;
      const answer = form.get(answerField) ?? '';
      const owner = isUnnamed(call) ? webauthn.ownerOf(answer) : undefined;
      const person = owner === undefined ? personOf(call) : ((await registry.byUuid(realm, owner)) ?? nobody);
      if (person === undefined) return refused(factorsErrors.keyUnknown);
      const identity = person === nobody ? registry.nobody(realm, owner ?? '') : person.dn;
      const attempt = await limits.enter({ realm: realm.id, identity, address: request.address });
      if (attempt.kind === 'limited') return noteLimited(call, 'signin.webauthn', attempt);
      const outcome = await judged({ webauthn, audit }, call, person, answer);
      if (outcome.kind === 'proven') await attempt.succeeded();
      return outcome;
    },
  };
}

/** Whom a key means that nobody has, and whom one means that is asked for without a name: they hold nothing, and are refused like anybody's wrong key. */
const nobody: Known = {
  dn: '',
  entryUuid: '',
  disabled: false,
  isBuiltIn: false,
  mustChange: false,
  holdings: { keys: [], app: undefined, recoveryCodesLeft: undefined, email: undefined, mfaRequired: false },
};

function isUnnamed({ progress, role }: StepCall): boolean {
  return progress.ticked.unnamed === true && role === 'first';
}

function personOf(call: StepCall): Known | undefined {
  return call.person ?? (isUnnamed(call) ? nobody : undefined);
}

/** The script: the same for everybody, under a name that changes with it. */
export const sendScript: Handler = () => {
  const { type, body, gzipped } = ceremonyScript();
  return { kind: 'file', type, body, gzipped };
};

/** Verifies what was posted, in the role and with the challenge that the waiting request carries. */
async function judged({ webauthn, audit }: Drawing, call: StepCall, person: Known, answer: string): Promise<Outcome> {
  const { request, progress, nowMs, enrols } = call;
  const ceremony = ceremonyOf(call, person);
  // The same words as for a key that is not accepted.
  if (person.disabled) return told(audit, call, person, sessionsErrors.disabled, factorsErrors.keyUnknown);
  // Whoever enrols shows what they have shown so far; whoever asserts has just authenticated.
  const last = progress.proven.at(-1);
  const authenticatedMs = enrols && last !== undefined ? last.atMs : nowMs;
  // An assertion writes the key's own counter and use, for which no session has to be strong; and in development mode the first who claims a name with a key
  // is taken for who it is, whatever they hold beside it.
  const factors = enrols && last !== undefined ? progress.proven.length : 2;
  const session = { factors, authenticatedMs, address: request.address, isProtected: request.secure };
  try {
    const { challenge, role } = await webauthn.claim(ceremony, holderOf(call), answer);
    // The page before this one had another challenge, and may have been in another role.
    if (challenge !== challengeOf(call) || role !== ceremony.role) return told(audit, call, person, factorsErrors.challengeGone);
    const given = { ...ceremony, answer, challenge, session };
    await (enrols ? webauthn.enrol(given, texts.keyName, 'first') : webauthn.present(given));
    return { kind: 'proven', amr: ['hwk'], person };
  } catch (thrown) {
    // Another sign-in of theirs was faster: what that one enrolled is asked for now.
    if (thrown instanceof Refusal && thrown.row === factorsErrors.notTheFirst)
      return { kind: 'moved', change: { underWay: undefined, enrolling: undefined } };
    if (thrown instanceof Refusal) return refused(thrown.row);
    throw thrown;
  }
}

type Drawing = Pick<WebauthnDeps, 'webauthn' | 'audit'>;

async function draw({ webauthn }: Drawing, call: StepCall, fault: Fault | undefined): Promise<Drawn> {
  const { enrols, progress } = call;
  const person = personOf(call);
  const title = enrols ? texts.keyAdd : texts.keyUse;
  if (person === undefined) return { page: stepPage(call, { title, fields: html`` }, fault ?? { words: factorsErrors.keyUnknown.says }) };
  // Whoever sent it twice may be about to be let in by the first: to begin anew here would take that away.
  if (fault?.kept?.['challenge'] === 'gone') {
    const below = html`<p><a href="${call.action}" role="button">${texts.keyAgain}</a></p>`;
    return { page: stepPage(call, { title, fields: html``, below }, fault) };
  }
  try {
    const ceremony = ceremonyOf(call, person);
    // Each page has a challenge of its own, and the one before is worth nothing: an answer is judged once, whatever came of it.
    const { challenge, untilMs } = await webauthn.mint(ceremony, holderOf(call));
    const options = await (enrols
      ? webauthn.creation(ceremony, challenge, progress.userName ?? person.dn)
      : webauthn.request(ceremony, challenge));
    const { above, fields } = askingParts(enrols ? 'create' : 'get', options);
    const page = stepPage(call, { title, above: html`${enrols && html`<p>${addWords(call)}</p>`}${above}`, fields }, fault);
    return { page: { ...page, script: ceremonyScript().path }, change: { underWay: { step: name, untilMs, data: { challenge } } } };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return { page: stepPage(call, { title, fields: html`` }, fault ?? { words: thrown.says }) };
  }
}

/** Whose a challenge is: another sign-in's answers nothing. */
function holderOf({ id }: StepCall): string {
  return `signin ${id}`;
}

function addWords({ role }: StepCall): string {
  return role === 'first' ? texts.keyAddFirst : texts.keyAddSecond;
}

/** The role is the one of the waiting request; nothing of it is read from a form. */
function ceremonyOf({ realm, request, role }: StepCall, person: Known): Ceremony {
  const { origin, door, address, correlationId } = request;
  return { realm, origin, person, role: role === 'first' ? 'primary' : 'mfa', visit: { door, address, correlationId } };
}

/** The challenge of the page that was drawn last. */
function challengeOf({ progress: { underWay } }: StepCall): unknown {
  return underWay?.step === name ? underWay.data['challenge'] : undefined;
}

function refused(error: ErrorRow, shown: ErrorRow = error): Outcome & { readonly kind: 'fault' } {
  const kept = error === factorsErrors.challengeGone ? { kept: { challenge: 'gone' } } : {};
  return { kind: 'fault', fault: { words: shown.says ?? '', ...kept }, status: shown.sees.http ?? 400, error };
}

/** What no ceremony has recorded. */
function told(audit: WebauthnDeps['audit'], call: StepCall, person: Known, error: ErrorRow, shown: ErrorRow = error): Outcome {
  record(audit, call, person, error, error.means);
  return refused(error, shown);
}

function record(audit: WebauthnDeps['audit'], { realm, request }: StepCall, { dn }: Known, error: ErrorRow, summary: string): void {
  const { door, address, correlationId } = request;
  const action = 'authn.key.present';
  audit.record({ realm: realm.id, subject: dn, action, outcome: 'refused', error, summary, door, address, correlationId });
}
