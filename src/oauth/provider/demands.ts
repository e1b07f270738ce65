import { type ApplicationDemand, type Demand, demandOfApplication } from '#policy';

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

/**
 * What a request asks of the sign-in. What its application asks is asked beside it: both must be met.
 *
 * @see OpenID Connect Core §3.1.2.1, RFC 9470, specification document 1, "Demands by a relying party"
 */
export function demandsOf(params: Asking, application: ApplicationDemand): Demands {
  const acrValues = wordsOf(params.acr_values);
  const prompts = wordsOf(params.prompt);
  const maxAgeS = typeof params.max_age === 'string' || typeof params.max_age === 'number' ? Number(params.max_age) : undefined;
  return {
    demand: {
      ...(acrValues.length === 0 ? {} : { acrValues }),
      ...demandOfApplication(application),
    },
    ...(maxAgeS === undefined || !Number.isSafeInteger(maxAgeS) ? {} : { maxAgeS }),
    again: prompts.includes('login') || prompts.includes('select_account'),
  };
}

function wordsOf(value: unknown): readonly string[] {
  return typeof value === 'string' ? value.split(' ').filter((word) => word !== '') : [];
}
