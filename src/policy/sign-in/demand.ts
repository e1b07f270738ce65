/** What a calling protocol asks of a sign-in. */
export interface Demand {
  /** A session that is there already is not enough: the person shows again who they are. */
  readonly reauthenticate?: boolean;
  /** Two factors, whatever the person holds. */
  readonly factors?: 'two';
  /** A security key, alone or after a password. */
  readonly hardwareKey?: boolean;
  /** No session that stands on an emailed code or link. */
  readonly refuseEmail?: boolean;
  /** OpenID Connect Core §3.1.2.1, RFC 9470: classes of authentication, one of which is asked for. */
  readonly acrValues?: readonly string[];
}

/** A demand in what it comes to. */
export interface Asked {
  readonly twoFactors: boolean;
  readonly securityKey: boolean;
  readonly noEmail: boolean;
  /** None of the classes that were named is one of this service: nobody can meet it. */
  readonly unknownClass: boolean;
}

/** How someone signed in, as far as demands are about it. */
export interface Shown {
  readonly amr: readonly string[];
  readonly acr: string;
  readonly mechanisms?: readonly string[];
}

/** Classes that any sign-in meets, and those that two factors meet. The rest of what is known needs a key beside a password. */
const oneFactorClasses: ReadonlySet<string> = new Set(['0', '1']);
const twoFactorsClass = 'mfa';
const keyClasses: ReadonlySet<string> = new Set(['hwk', 'phr', 'phrh']);
const emailed: ReadonlySet<string> = new Set(['email-code', 'email-link']);

/**
 * What a demand comes to. Of several classes the one that is met most easily is enough.
 *
 * @see specification document 1, "Demands by a relying party"
 */
export function readDemand({ factors, hardwareKey = false, refuseEmail = false, acrValues = [] }: Demand): Asked {
  const anything = acrValues.length === 0 || acrValues.some((value) => oneFactorClasses.has(value));
  const two = !anything && acrValues.includes(twoFactorsClass);
  const key = !anything && !two && acrValues.some((value) => keyClasses.has(value));
  return {
    twoFactors: factors === 'two' || two || key,
    securityKey: hardwareKey || key,
    noEmail: refuseEmail,
    unknownClass: !anything && !two && !key,
  };
}

/** Whether a sign-in is what a demand asks for. When it was is not looked at. */
export function meetsDemand({ amr, acr, mechanisms = [] }: Shown, demand: Demand): boolean {
  const { twoFactors, securityKey, noEmail, unknownClass } = readDemand(demand);
  return (
    !unknownClass &&
    (!twoFactors || acr === 'mfa') &&
    (!securityKey || amr.includes('hwk')) &&
    (!noEmail || !mechanisms.some((mechanism) => emailed.has(mechanism)))
  );
}

/** What an application asks of every sign-in to it, by its entry. */
export interface ApplicationDemand {
  readonly requiredAcr?: string | undefined;
  readonly refuseEmailFactor: boolean;
}

/** The demand of an application, which stands beside those of its requests. */
export function demandOfApplication({ requiredAcr, refuseEmailFactor }: ApplicationDemand): Demand {
  return { ...(requiredAcr === undefined ? {} : requiredOf(requiredAcr)), ...(refuseEmailFactor ? { refuseEmail: true } : {}) };
}

function requiredOf(requiredAcr: string): Demand {
  switch (requiredAcr) {
    case '0':
    case '1':
      return {};
    case 'mfa':
      return { factors: 'two' };
    case 'hwk':
    case 'phr':
    case 'phrh':
      return { factors: 'two', hardwareKey: true };
  }
  // One that this service does not have: nobody may be let in as if it were met.
  return { acrValues: [requiredAcr] };
}
