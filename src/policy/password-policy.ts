/** What a realm asks of passwords. Its entry is `cn=default,ou=passwordPolicies` below the realm's suffix. */
export interface PasswordPolicy {
  /** SCRAM mechanisms, in upper case, for which verifiers are written when a password is set. */
  readonly scramMechanisms: readonly string[];
  /** Fewest characters. */
  readonly minLength: number;
  /** Fewest that are neither letters nor digits. */
  readonly minSymbols: number;
  readonly minUppercase: number;
  readonly minDigits: number;
  /** So many of a person's last passwords, the one that they have among them, they may not take again. */
  readonly history: number;
  /** Seconds after which a password expires (`pwdMaxAge`); 0: never. */
  readonly maxAgeS: number;
  /** Seconds before that from which on clients that ask are warned (`pwdExpireWarning`). */
  readonly warnS: number;
  /** How often an expired password is let in all the same (`pwdGraceAuthNLimit`). */
  readonly graceLogins: number;
  /** Seconds that a password stands before its owner may set another (`pwdMinAge`). */
  readonly minAgeS: number;
}

/** In force where neither the realm nor the default realm has an entry, and for what an entry does not say. */
export const builtInPasswordPolicy: PasswordPolicy = {
  scramMechanisms: [],
  minLength: 12,
  minSymbols: 1,
  minUppercase: 1,
  minDigits: 1,
  history: 5,
  maxAgeS: 0,
  warnS: 0,
  graceLogins: 0,
  minAgeS: 0,
};

type Values = (attribute: string) => readonly string[];

const bounds = {
  stsPasswordMinLength: [1, 128],
  stsPasswordMinSymbols: [0, 16],
  stsPasswordMinUppercase: [0, 16],
  stsPasswordMinDigits: [0, 16],
  stsPasswordHistory: [0, 24],
  // draft-behera-ldap-password-policy §5.2: seconds, ten years of them at most, and 0 for what is off.
  pwdMaxAge: [0, 315_360_000],
  pwdExpireWarning: [0, 315_360_000],
  pwdGraceAuthNLimit: [0, 100],
  pwdMinAge: [0, 315_360_000],
} as const;

type NumberName = keyof typeof bounds;

/**
 * The policy of an entry. A number that is none asks for the most that can be asked for; of the times it counts as not given.
 *
 * @param values    the entry's values of an attribute, by its name in lower case
 * @param standing  what holds for what it does not say
 * @see specification document 1, "Password policy"
 */
export function readPasswordPolicy(values: Values, standing = builtInPasswordPolicy): PasswordPolicy {
  const number = (name: NumberName, otherwise: number) => {
    const [value] = values(name.toLowerCase());
    const [min, max] = bounds[name];
    if (value === undefined) return otherwise;
    return /^\d{1,9}$/.test(value) ? Math.min(max, Math.max(min, Number(value))) : max;
  };
  const time = (name: NumberName, otherwise: number) => {
    const [value] = values(name.toLowerCase());
    return value !== undefined && isWithin(name, value) ? Number(value) : otherwise;
  };
  return {
    scramMechanisms: [...new Set(values('stsscrammechanism').map((value) => value.toUpperCase()))],
    minLength: number('stsPasswordMinLength', standing.minLength),
    minSymbols: number('stsPasswordMinSymbols', standing.minSymbols),
    minUppercase: number('stsPasswordMinUppercase', standing.minUppercase),
    minDigits: number('stsPasswordMinDigits', standing.minDigits),
    history: number('stsPasswordHistory', standing.history),
    maxAgeS: time('pwdMaxAge', standing.maxAgeS),
    warnS: time('pwdExpireWarning', standing.warnS),
    graceLogins: time('pwdGraceAuthNLimit', standing.graceLogins),
    minAgeS: time('pwdMinAge', standing.minAgeS),
  };
}

function isWithin(name: NumberName, value: string): boolean {
  const [min, max] = bounds[name];
  return /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max;
}

/** What nobody can have meant with an entry, for the directory to refuse when it is written. */
export function faultOfPasswordPolicy(values: Values): { readonly attribute: string; readonly why: string } | undefined {
  for (const attribute of Object.keys(bounds) as NumberName[]) {
    const [value] = values(attribute.toLowerCase());
    const [min, max] = bounds[attribute];
    if (value !== undefined && !isWithin(attribute, value)) return { attribute, why: `it is from ${min} to ${max}` };
  }
  return faultOfAges(readPasswordPolicy(values));
}

/** Times that contradict each other: nobody could change a password before it expires, or everybody would be warned from the first day on. */
function faultOfAges({ maxAgeS, warnS, minAgeS }: PasswordPolicy): { readonly attribute: string; readonly why: string } | undefined {
  if (maxAgeS === 0) return undefined;
  if (minAgeS >= maxAgeS) return { attribute: 'pwdMinAge', why: 'it is less than pwdMaxAge' };
  return warnS >= maxAgeS ? { attribute: 'pwdExpireWarning', why: 'it is less than pwdMaxAge' } : undefined;
}

/** A rule that a password does not keep: `length`, or one of what it is made of, in words for who sets it. */
export interface PasswordFault {
  readonly rule: 'length' | 'quality';
  readonly why: string;
}

/**
 * Which rule of a policy a password does not keep; `undefined` for one that keeps them all. Never says anything of the password.
 *
 * @param password  as typed; a text of which characters can be told apart
 */
export function faultOfPassword(policy: PasswordPolicy, password: string): PasswordFault | undefined {
  if ([...password].length < policy.minLength)
    return { rule: 'length', why: `it must have at least ${amount(policy.minLength, 'character')}` };
  const why = faultOfQuality(policy, password);
  return why === undefined ? undefined : { rule: 'quality', why };
}

function faultOfQuality(policy: PasswordPolicy, password: string): string | undefined {
  const characters = [...password];
  const count = (form: RegExp) => characters.filter((character) => form.test(character)).length;
  if (count(/[^\p{L}\p{N}\p{M}]/u) < policy.minSymbols)
    return `it must have at least ${amount(policy.minSymbols, 'character')} that ${policy.minSymbols === 1 ? 'is' : 'are'} neither letter nor digit`;
  if (count(/\p{Lu}/u) < policy.minUppercase) return `it must have at least ${amount(policy.minUppercase, 'upper-case letter')}`;
  if (count(/\p{Nd}/u) < policy.minDigits) return `it must have at least ${amount(policy.minDigits, 'digit')}`;
  return undefined;
}

function amount(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}
