import type { Demand } from '#sessions';

/** What a request, and its application, ask of the sign-in. */
export interface Demands {
  readonly demand: Demand;
  /** How old the sign-in may be, in seconds. */
  readonly maxAgeS?: number;
  /** Whether the person is to show again who they are, however fresh the session is. */
  readonly again: boolean;
}

interface Asking {
  readonly acr_values?: unknown;
  readonly max_age?: unknown;
  readonly prompt?: unknown;
}

interface Asked {
  readonly requiredAcr?: string;
  readonly refuseEmailFactor: boolean;
}

/**
 * What a request asks of the sign-in. What its application asks is asked beside it: both must be met.
 *
 * @see OpenID Connect Core §3.1.2.1, RFC 9470, specification document 1, "Demands by a relying party"
 */
export function demandsOf(params: Asking, { requiredAcr, refuseEmailFactor }: Asked): Demands {
  const acrValues = wordsOf(params.acr_values);
  const prompts = wordsOf(params.prompt);
  const maxAgeS = typeof params.max_age === 'string' || typeof params.max_age === 'number' ? Number(params.max_age) : undefined;
  return {
    demand: {
      ...(acrValues.length === 0 ? {} : { acrValues }),
      ...(requiredAcr === undefined ? {} : requiredOf(requiredAcr)),
      ...(refuseEmailFactor ? { refuseEmail: true } : {}),
    },
    ...(maxAgeS === undefined || !Number.isSafeInteger(maxAgeS) ? {} : { maxAgeS }),
    again: prompts.includes('login') || prompts.includes('select_account'),
  };
}

/** A class that an application asks for in any case, beside what its requests ask for. */
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

function wordsOf(value: unknown): readonly string[] {
  return typeof value === 'string' ? value.split(' ').filter((word) => word !== '') : [];
}
