import type { EmailVerification, Verifying } from '#factors';
import { parseMailAddress } from '#mail';
import type { Browser } from '#people';
import type { AuthnPolicy } from '#policy';
import type { Session } from '#sessions';
import { fillText, type Handler, type Limit, type PageReply, type Reply, type WebRealm, type WebRequest } from '#web';
import { type EmailPage, emailPage, type OwnEmail, sendable, takesEmail } from './email-pages.ts';
import { ownHandler } from './frame.ts';
import type { Own, OwnDeps } from './own.ts';
import type { OwnEntry } from './pages.ts';
import { emailTexts } from './texts.ts';

export interface EmailPageDeps extends OwnDeps {
  readonly readOwn: (realm: WebRealm, session: Session, attributes: readonly string[], browser: Browser) => Promise<OwnEntry | undefined>;
  readonly policyOf: (realm: WebRealm) => Promise<AuthnPolicy>;
  readonly canMail: (realm: string) => boolean;
  readonly verification: EmailVerification;
  /** Writes in the person's name whether they want an emailed second factor; false when the directory does not let them. */
  readonly wantEmail: (acting: Own['acting'], wants: boolean) => Promise<boolean>;
}

const home = '/portal/mfa/email';
const codeForm = /^\d{6}$/;

/** The page on which people confirm their addresses and choose codes by mail. */
export function createEmailHandlers(deps: EmailPageDeps): Readonly<Record<'emailPage' | 'email', Handler>> {
  const own = (fresh: boolean, answer: (request: WebRequest, at: At) => Promise<Reply>): Handler =>
    ownHandler(deps, { fresh, back: home }, async (request, mine) =>
      answer(request, { ...mine, email: await ownEmail(deps, request, mine) }),
    );
  const page = ({ realm }: WebRequest, { email, csrfToken }: At, more: Partial<EmailPage> & Wait = {}): PageReply => {
    const { status = 200, limited, ...rest } = more;
    const shown = emailPage({ realm, email, csrfToken, asksCode: false, done: undefined, fault: undefined, ...rest });
    return { kind: 'page', status, page: shown, ...(limited === undefined ? {} : { limited }) };
  };
  return {
    emailPage: own(false, async (request, at) => {
      const done = (['verified', 'on', 'off'] as const).find((each) => request.query.get('done') === each);
      return page(request, at, { asksCode: request.query.get('sent') === '1', done });
    }),
    email: own(true, async (request, at) => {
      const { form, refused: error } = await request.openForm(() => at.subject);
      if (error !== undefined) return { ...page(request, at, { fault: { words: emailTexts.stale }, status: 403 }), error };
      const named = form.get('do') ?? '';
      const outcome = Object.hasOwn(acts, named) ? await acts[named as keyof typeof acts](deps, request, at, form) : refused;
      return typeof outcome === 'string' ? { kind: 'redirect', status: 303, to: `${home}?${outcome}` } : page(request, at, outcome);
    }),
  };
}

interface At extends Own {
  readonly email: OwnEmail;
}

interface Wait {
  readonly status?: number;
  readonly limited?: Limit;
}

/** Where to go on, by a query; or what went wrong. */
type Outcome = string | (Pick<EmailPage, 'fault'> & Partial<Pick<EmailPage, 'asksCode'>> & Wait);
type Act = (deps: EmailPageDeps, request: WebRequest, at: At, form: URLSearchParams) => Promise<Outcome>;

const refused = { fault: { words: emailTexts.refused }, status: 403 } as const;

const acts = {
  send: (deps, request, at, form) => send(deps, request, at, form.get('address') ?? ''),
  confirm: (deps, request, at, form) => confirm(deps, request, at, form.get('code') ?? ''),
  on: async (deps, _, at) => (at.email.isSecond && at.person.holdings.email?.verified === true ? await want(deps, at, true) : refused),
  off: (deps, _, at) => want(deps, at, false),
} as const satisfies Record<string, Act>;

async function want({ wantEmail }: EmailPageDeps, { acting }: At, wants: boolean): Promise<Outcome> {
  return (await wantEmail(acting, wants)) ? `done=${wants ? 'on' : 'off'}` : refused;
}

/** Only an address of the person's entry is ever written to, whatever the form says. */
async function send({ verification, clock }: EmailPageDeps, request: WebRequest, at: At, given: string): Promise<Outcome> {
  const { email } = at;
  const address = email.canSend ? sendable(email).find((one) => one === given) : undefined;
  const parsed = address === undefined ? undefined : parseMailAddress(address);
  if (parsed === undefined) return refused;
  const sent = await verification.send(verifying(request, at, clock.nowMs()), parsed);
  return sent.kind === 'limited' ? limited(sent, false) : 'sent=1';
}

async function confirm({ verification, clock }: EmailPageDeps, request: WebRequest, at: At, given: string): Promise<Outcome> {
  const code = given.replace(/\s/g, '');
  const again = (words: string): Outcome => ({ fault: { words, field: 'code' }, asksCode: true });
  if (!codeForm.test(code)) return again(emailTexts.wrongForm);
  const judged = await verification.confirm(verifying(request, at, clock.nowMs()), at.email.addresses, code);
  switch (judged.kind) {
    case 'limited':
      return limited(judged, true);
    case 'verified':
      return 'done=verified';
    case 'wrong':
      return again(judged.left === 1 ? emailTexts.wrongOnce : fillText(emailTexts.wrong, { count: judged.left }));
    case 'over':
      return { fault: { words: emailTexts.over } };
    case 'ended':
      return { fault: { words: emailTexts.ended } };
  }
}

function limited(limit: Limit, asksCode: boolean): Outcome {
  return { fault: { words: fillText(emailTexts.limited, { count: limit.waitS }) }, limited: limit, asksCode };
}

function verifying({ realm }: WebRequest, { session, person, email, visit }: At, nowMs: number): Verifying {
  return { realm, sid: session.sid, person, rules: email.rules, visit, nowMs };
}

async function ownEmail(deps: EmailPageDeps, request: WebRequest, { session, person }: Own): Promise<OwnEmail> {
  const { realm } = request;
  const entry = await deps.readOwn(realm, session, ['mail', 'stsVerifiedMail'], request);
  const policy = await deps.policyOf(realm);
  return {
    addresses: entry?.all('mail') ?? [],
    confirmed: new Set(entry?.all('stsVerifiedMail').map((address) => address.toLowerCase())),
    person,
    rules: policy,
    canSend: deps.canMail(realm.id),
    isSecond: takesEmail(policy),
  };
}
