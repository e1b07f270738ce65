import { type Mechanism, mechanisms } from './mechanism.ts';

/** How people of a realm may sign in. Its entry is `cn=default,ou=authnPolicies` below the realm's suffix. */
export interface AuthnPolicy {
  readonly firstFactors: readonly Mechanism[];
  readonly secondFactors: readonly Mechanism[];
  /** Of whom a second factor is asked: of those who hold one, or of everybody. */
  readonly requireSecondFactor: 'if-held' | 'always';
  /** The same of administrators who hold none; `offer`: they may ignore it. */
  readonly requireSecondFactorForAdministrators: 'offer' | 'always' | 'if-held';
  /** Off stops new enrolments only, never a factor already held. */
  readonly totpEnrolment: boolean;
  readonly recoveryCodeEnrolment: boolean;
  readonly emailCodeTtlS: number;
  /** Wrong codes before the step ends. */
  readonly emailCodeAttempts: number;
  /** Consecutive failures before a person's emailed factor is turned off. */
  readonly emailFailureLimit: number;
}

/** In force where neither the realm nor the default realm has an entry, and for what an entry does not say. */
export const builtInAuthnPolicy: AuthnPolicy = {
  firstFactors: ['password', 'security-key'],
  secondFactors: ['security-key', 'authenticator-app', 'recovery-code'],
  requireSecondFactor: 'if-held',
  requireSecondFactorForAdministrators: 'offer',
  totpEnrolment: true,
  recoveryCodeEnrolment: true,
  emailCodeTtlS: 600,
  emailCodeAttempts: 5,
  emailFailureLimit: 10,
};

/** The entry's values of an attribute, by its name in lower case. */
type Values = (attribute: string) => readonly string[];

/**
 * The policy of an entry. What cannot be read asks for the most: a mistyped policy never lets in whom it was made to keep out.
 *
 * @see specification document 1, "Authentication policy"
 */
export function readAuthnPolicy(values: Values): AuthnPolicy {
  const standing = builtInAuthnPolicy;
  return {
    firstFactors: mechanismsIn(values('stsfirstfactor')) ?? standing.firstFactors,
    secondFactors: mechanismsIn(values('stssecondfactor')) ?? standing.secondFactors,
    requireSecondFactor: wordOf(values('stsrequiresecondfactor'), required, 'always') ?? standing.requireSecondFactor,
    requireSecondFactorForAdministrators:
      wordOf(values('stsrequiresecondfactorforadministrators'), requiredOfAdministrators, 'always') ??
      standing.requireSecondFactorForAdministrators,
    totpEnrolment: flagOf(values('ststotpenrolment')) ?? standing.totpEnrolment,
    recoveryCodeEnrolment: flagOf(values('stsrecoverycodeenrolment')) ?? standing.recoveryCodeEnrolment,
    emailCodeTtlS: numberOf(values, 'stsEmailCodeTtl') ?? standing.emailCodeTtlS,
    emailCodeAttempts: numberOf(values, 'stsEmailCodeAttempts') ?? standing.emailCodeAttempts,
    emailFailureLimit: numberOf(values, 'stsEmailFailureLimit') ?? standing.emailFailureLimit,
  };
}

/** What is wrong with an attribute of a policy, in words that follow its name. */
export interface PolicyFault {
  readonly attribute: string;
  readonly why: string;
}

/**
 * What nobody can have meant with an entry of a policy, for the directory to refuse when it is written.
 *
 * @returns the first fault; `undefined` where there is none
 */
export function faultOfAuthnPolicy(values: Values): PolicyFault | undefined {
  return (
    faultOfFactors('stsFirstFactor', values, first, 'a first factor') ??
    faultOfFactors('stsSecondFactor', values, second, 'a second factor') ??
    faultOfWord('stsRequireSecondFactor', values, required) ??
    faultOfWord('stsRequireSecondFactorForAdministrators', values, requiredOfAdministrators) ??
    faultOfNumber('stsEmailCodeTtl', values, ' seconds') ??
    faultOfNumber('stsEmailCodeAttempts', values, ' wrong codes') ??
    faultOfNumber('stsEmailFailureLimit', values, ' failures') ??
    faultOfWhole(readAuthnPolicy(values))
  );
}

/** Whether a policy takes something that is mailed: it is off where neither list names it. */
export function takesEmail({ firstFactors, secondFactors }: Pick<AuthnPolicy, 'firstFactors' | 'secondFactors'>): boolean {
  return [...firstFactors, ...secondFactors].some((each) => emailed.has(each));
}

const required = ['if-held', 'always'] as const;
const requiredOfAdministrators = ['offer', 'always', 'if-held'] as const;

/** An authenticator app can never be a first factor, and a recovery code stands in for a second one; a password is where one begins. */
const first: readonly Mechanism[] = ['password', 'security-key', 'email-code', 'email-link'];
const second: readonly Mechanism[] = ['security-key', 'authenticator-app', 'recovery-code', 'email-code', 'email-link'];
const emailed: ReadonlySet<Mechanism> = new Set(['email-code', 'email-link']);

const bounds: Readonly<Record<string, readonly [min: number, max: number]>> = {
  stsEmailCodeTtl: [30, 600],
  stsEmailCodeAttempts: [1, 20],
  stsEmailFailureLimit: [1, 100],
};

/** A word that is none is no mechanism: a list of such words accepts nothing. */
function mechanismsIn(values: readonly string[]): readonly Mechanism[] | undefined {
  if (values.length === 0) return undefined;
  const named = new Set(values.map((value) => value.toLowerCase()));
  return mechanisms.filter((mechanism) => named.has(mechanism));
}

function wordOf<Word extends string>([value]: readonly string[], words: readonly Word[], strictest: Word): Word | undefined {
  return value === undefined ? undefined : (words.find((word) => word === value.toLowerCase()) ?? strictest);
}

function flagOf([value]: readonly string[]): boolean | undefined {
  return value === undefined ? undefined : value.toUpperCase() === 'TRUE';
}

function numberOf(values: Values, attribute: string): number | undefined {
  const [value] = values(attribute.toLowerCase());
  if (value === undefined) return undefined;
  const [min, max] = bounds[attribute] ?? [0, 0];
  const number = Number(value);
  return /^\d{1,9}$/.test(value) ? Math.min(max, Math.max(min, number)) : min;
}

function faultOfFactors(attribute: string, values: Values, words: readonly Mechanism[], role: string): PolicyFault | undefined {
  for (const value of values(attribute.toLowerCase())) {
    const word = value.toLowerCase();
    if (words.some((each) => each === word)) continue;
    const isOther = mechanisms.some((each) => each === word);
    return {
      attribute,
      why: `${isOther ? `${word} can never be ${role}` : `${shown(value)} is no mechanism`}; it may hold ${words.join(', ')}`,
    };
  }
  return undefined;
}

function faultOfWord(attribute: string, values: Values, words: readonly string[]): PolicyFault | undefined {
  const [value] = values(attribute.toLowerCase());
  if (value === undefined || words.includes(value.toLowerCase())) return undefined;
  return { attribute, why: `it is ${words.slice(0, -1).join(', ')} or ${words.at(-1)}, not ${shown(value)}` };
}

function faultOfNumber(attribute: string, values: Values, unit: string): PolicyFault | undefined {
  const [value] = values(attribute.toLowerCase());
  const [min, max] = bounds[attribute] ?? [0, 0];
  if (value === undefined || (/^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max)) return undefined;
  return { attribute, why: `it is from ${min} to ${max}${unit}, not ${shown(value)}` };
}

/** A policy by which nobody could ever sign in. */
function faultOfWhole({ firstFactors, secondFactors, requireSecondFactor }: AuthnPolicy): PolicyFault | undefined {
  if (secondFactors.length > 0 && secondFactors.every((each) => each === 'recovery-code'))
    return {
      attribute: 'stsSecondFactor',
      why: 'a recovery code stands in for another second factor, so that one must be named beside it',
    };
  if (requireSecondFactor !== 'always') return undefined;
  const reaches = (from: Mechanism) =>
    from !== 'security-key' && secondFactors.some((each) => each !== 'recovery-code' && !(emailed.has(from) && emailed.has(each)));
  if (firstFactors.some(reaches)) return undefined;
  const why =
    'nobody could sign in: no first factor that is accepted can be followed by a second one (a security key alone is never followed, nor an emailed factor by another)';
  return { attribute: 'stsRequireSecondFactor', why };
}

const shownLengthMax = 40;

/** A word that came from outside, short and on one line. */
function shown(word: string): string {
  const line = word.replace(/\p{Cc}/gu, '?');
  return line.length > shownLengthMax ? `${line.slice(0, shownLengthMax)}…` : line === '' ? 'empty' : line;
}
