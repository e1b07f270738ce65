import type { ErrorRow } from '#catalogue';
import { type Account, credentialsErrors } from '#credentials';
import {
  besideRefusals,
  decide,
  holdsNothing,
  type Mechanism,
  type Named,
  type Next,
  policyRefusals,
  readDemand,
  type Situation,
  spokenNames,
} from '#policy';
import type { Applied } from './application.ts';
import { passes, refuses, says, type WhyRow } from './row.ts';
import type { AtPage } from './situation.ts';

/** Who signs in at the sign-in page, to which application, and what is known of both. */
export interface Browsing {
  readonly dn: string;
  readonly account: Pick<Account, 'bar'>;
  readonly at: AtPage;
  readonly applied: Pick<Applied, 'at' | 'before' | 'after'>;
  /** What is judged whatever one begins with. */
  readonly place: readonly WhyRow[];
  /** Whether rules of access let anybody sign in as them from there: judged with a password, and behind all else. */
  readonly access: WhyRow;
  /** What is judged of the account. */
  readonly barred: WhyRow;
  /** What is judged of the password. */
  readonly password: readonly WhyRow[];
}

/** What one may begin with on the page, and what becomes of who does. A code and a link by mail are asked for in one place each. */
interface Way {
  readonly mechanism: Mechanism;
  readonly rows: readonly WhyRow[];
}

const words: Readonly<Record<Mechanism, string>> = {
  password: 'the password',
  'security-key': 'a security key',
  'authenticator-app': 'a code of an authenticator app',
  'recovery-code': 'a recovery code',
  'email-code': 'a code by mail',
  'email-link': 'a link by mail',
};

/**
 * What becomes of somebody at the sign-in page, by each way that the page has for them: asked of the decision that leads the page (`decide`). The last row
 * says whether one of them leads in; where none does, why the one does not that the page asks for first.
 */
export function ofBrowser(browsing: Browsing): readonly WhyRow[] {
  const { at, applied, place, access, barred } = browsing;
  // Before anything is proven the page knows nobody.
  const first = decide({ ...at.begun, holds: holdsNothing, administrator: 'none', mfaRequired: false, mustChange: false });
  const begins = first.step === 'ask' ? [first.mechanism, ...first.others] : [];
  const ways = begins.map((mechanism): Way => ({ mechanism, rows: wayOf(browsing, mechanism) }));
  const open = ways.find(({ rows }) => !rows.some(isRefusal));
  const told = ways.flatMap(({ mechanism, rows }) => (mechanism === 'password' ? rows.slice(2) : rows));
  // What somebody has not keeps nobody out who has something else.
  const shown = open === undefined ? told : told.map((row) => (absences.has(row.code) ? { ...row, verdict: 'says' as const } : row));
  const others = at.begun.holds.primaryKey && !begins.includes('security-key') ? wayOf(browsing, 'security-key') : [];
  const beginning = ofFirst(browsing, first, begins);
  const rows = [...place, access, barred, ...applied.before, ...ofRisk(at), beginning, ...shown, ...others, ...applied.after];
  return [...rows, ofAll(browsing, beginning, ways, open)];
}

const isRefusal = ({ verdict }: WhyRow) => verdict === 'refuses';

const absences: ReadonlySet<string> = new Set([policyRefusals.noPrimaryKey.code, besideRefusals.emailNotMailed.code]);

const riskSetting = 'authn.riskOfNewNetwork';

function ofRisk({ risk }: AtPage): readonly WhyRow[] {
  if (risk === undefined) return [];
  const away = 'they have not signed in from this network within 90 days';
  switch (risk) {
    case 'unknown':
      return [says('risk', 'a network they have not signed in from counts as a risk: say from where to know more', riskSetting)];
    case 'none':
      return [passes('risk', 'they have signed in from this network before, or from none yet')];
    case 'elevated':
      return [says('risk', `${away}: an administrator without a second factor is offered one`, riskSetting)];
    case 'step-up':
      return [says('risk', `${away}: a second factor is required, and none by mail`, riskSetting)];
  }
}

/** What one may begin with. */
function ofFirst(browsing: Browsing, first: Next, begins: readonly Mechanism[]): WhyRow {
  const rule = 'first-factor';
  if (first.step === 'refuse') return refusedBy(browsing, rule, first);
  const spoken = `one begins with ${spokenOf(begins)}${begins[0] === 'security-key' ? ', and nothing else' : ''}`;
  return begins.includes('password') ? passes(rule, spoken) : says(rule, spoken, `stsFirstFactor of ${browsing.at.policyAt}`);
}

/** The rows of one way, the first two of the password's those of access and account. */
function wayOf(browsing: Browsing, mechanism: Mechanism): readonly WhyRow[] {
  const { begun } = browsing.at;
  switch (mechanism) {
    case 'password': {
      const changed = begun.mustChange
        ? [says('must-change', 'it is changed first, at the sign-in page', `pwdReset of ${browsing.dn}, or pwdMaxAge`)]
        : [];
      return [
        browsing.access,
        browsing.barred,
        ...browsing.password,
        ...changed,
        ofNext(browsing, 'second-factor', proven(browsing, 'password')),
      ];
    }
    case 'security-key':
      return [ofKey(browsing)];
    case 'email-code':
    case 'email-link':
      return [ofMail(browsing, mechanism)];
    case 'authenticator-app':
    case 'recovery-code':
      return [];
  }
}

/** Who has shown one factor, and has changed the password where it had to be. */
function proven({ at: { begun, risk = 'none' } }: Browsing, mechanism: Mechanism): Situation {
  const isRisky = risk === 'elevated' || risk === 'step-up';
  return { ...begun, proven: [{ mechanism, role: 'first' }], mustChange: false, risk: isRisky ? risk : 'none' };
}

function ofKey(browsing: Browsing): WhyRow {
  const rule = 'key-alone';
  const { begun } = browsing.at;
  const asked = decide({ ...begun, ticked: { secondFactor: false, passwordless: true } });
  if (asked.step === 'refuse') return refusedBy(browsing, rule, asked);
  if (asked.step === 'ask' && asked.enrols) return says(rule, 'in development mode who comes first sets a security key up for the name');
  if (!begun.holds.primaryKey) return says(rule, 'they hold none that is all one needs');
  // What bars the account is judged with the key, before what would come behind it.
  if (browsing.account.bar !== undefined) return refuses(rule, besideRefusals.sessionDisabled, browsing.barred.change);
  return ofNext(browsing, rule, proven(browsing, 'security-key'));
}

function ofMail(browsing: Browsing, mechanism: 'email-code' | 'email-link'): WhyRow {
  const { at, account, dn } = browsing;
  const stands = at.mailed[mechanism === 'email-code' ? 'code' : 'link'];
  if (account.bar === undefined && stands === 'good') return ofNext(browsing, mechanism, proven(browsing, mechanism));
  const attribute = stands === 'failed' ? 'stsEmailFirstFailures' : 'mail and stsVerifiedMail';
  return refuses(mechanism, besideRefusals.emailNotMailed, account.bar === undefined ? `${attribute} of ${dn}` : browsing.barred.change);
}

/** What comes after a first factor. */
function ofNext(browsing: Browsing, rule: string, situation: Situation): WhyRow {
  const [{ mechanism } = { mechanism: 'password' as const }] = situation.proven;
  const after = mechanism === 'password' ? 'after the password' : 'after it';
  const next = decide(situation);
  switch (next.step) {
    case 'ask':
      return next.enrols
        ? says(rule, `one is asked for and none is held: ${after} it is set up, ${words[next.mechanism]}`, placesOf(browsing, situation))
        : says(rule, `${after} is asked for: ${spokenOf([next.mechanism, ...next.others])}`);
    case 'enrol':
      return next.required
        ? says(rule, `one is required and none is held: ${after} it is set up, ${spokenOf(next.choices)}`, placesOf(browsing, situation))
        : passes(rule, `none is held and none is required; ${after} one is offered that may be ignored`);
    case 'refuse':
      return refusedBy(browsing, rule, next, situation);
    case 'changePassword':
      return says(rule, 'the password is changed first');
    case 'done':
      if (mechanism !== 'password' && isRefusal(browsing.access))
        return refuses(rule, credentialsErrors.holderElsewhere, browsing.access.change);
      return passes(rule, mechanism === 'password' ? 'none is held that is asked for, and none is required' : 'it is enough by itself');
  }
}

/**
 * Whether somebody comes in.
 *
 * @param begins  what is told of the first factor: where there is no way at all, why
 */
function ofAll({ place, applied }: Browsing, begins: WhyRow, ways: readonly Way[], open: Way | undefined): WhyRow {
  const rule = 'sign-in';
  const before = [...place, ...applied.before].find(isRefusal);
  if (before !== undefined) return { ...before, rule };
  if (open === undefined) return { ...(ways.flatMap(({ rows }) => rows).find(isRefusal) ?? begins), rule };
  const after = applied.after.find(isRefusal);
  return after === undefined ? passes(rule, `one comes in by ${words[open.mechanism]}`) : { ...after, rule };
}

type Refused = Next & { readonly step: 'refuse' };

function refusedBy(browsing: Browsing, rule: string, next: Refused, situation = browsing.at.begun): WhyRow {
  const row: ErrorRow = policyRefusals[next.why];
  return refuses(rule, { ...row, means: row.means.replace('{names}', spokenNames(next)) }, changeOf(browsing, next, situation));
}

/** The entries or settings that a refusal of the decision comes from. */
function changeOf(browsing: Browsing, { why, names }: Refused, situation: Situation): string {
  const { at, dn, applied } = browsing;
  switch (why) {
    case 'mechanismNotAccepted':
      return `stsFirstFactor of ${at.policyAt}`;
    case 'secondNotAccepted':
      return `stsSecondFactor of ${at.policyAt}`;
    case 'passwordlessRefused':
      return placesOf(browsing, situation) || `none: as an administrator ${dn} signs in with the password and the second factor`;
    case 'noPrimaryKey':
      return `a security key of ${dn} that is all one needs (/portal/keys, or an activation link)`;
    case 'hardwareKeyDemanded':
      return `a security key of ${dn}, or stsRequiredAcr of ${applied.at}`;
    case 'demandUnknown':
      return `stsRequiredAcr of ${applied.at}`;
    case 'emailNotEnough':
      return readDemand(situation.demand).noEmail
        ? `another factor of ${dn}, or stsRefuseEmailFactor of ${applied.at}`
        : `another factor of ${dn}, or ${placesOf(browsing, situation)}`;
    case 'secondFactorImpossible':
    case 'mechanismOff':
      return [...new Set(names.map((each) => placeOf(browsing, each)))].join(', ');
  }
}

function placeOf({ at, dn }: Browsing, named: Named): string {
  if (typeof named === 'string') return named;
  return `${named.attribute} of ${named.attribute === 'stsEmailFailures' ? dn : at.policyAt}`;
}

/** What requires two factors. */
function placesOf({ at: { policyAt }, dn, applied }: Browsing, { policy, mfaRequired, administrator, risk, demand }: Situation): string {
  const byRole = administrator === 'role' && policy.requireSecondFactorForAdministrators === 'always';
  const { twoFactors, securityKey } = readDemand(demand);
  return [
    ...(policy.requireSecondFactor === 'always' ? [`stsRequireSecondFactor of ${policyAt}`] : []),
    ...(mfaRequired ? [`stsMfaRequired of ${dn}`] : []),
    ...(byRole ? [`stsRequireSecondFactorForAdministrators of ${policyAt}`] : []),
    ...(twoFactors || securityKey ? [`stsRequiredAcr of ${applied.at}`] : []),
    ...(risk === 'step-up' ? [riskSetting] : []),
  ].join(', ');
}

function spokenOf(mechanisms: readonly Mechanism[]): string {
  return mechanisms.map((each) => words[each]).join(', or ');
}
