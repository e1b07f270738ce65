import type { SigningAlgorithm } from '#keys';
import type { Mode } from '#policy';
import type { Application } from '../applications/application.ts';
import type { Issuer } from '../issuer.ts';
import { features, fixed } from '../provider/configuration.ts';

/** What an authorization server is made of at this moment: the configuration it is built with, what is in force, and the applications that may use it. */
export interface Facts {
  readonly issuer: Issuer;
  readonly mode: Mode;
  /** Whether the request that asks came where nobody could read it. */
  readonly isProtected: boolean;
  readonly configuration: ReturnType<typeof fixed>;
  readonly features: typeof features;
  readonly algorithm: SigningAlgorithm;
  readonly codeTtlS: number;
  readonly accessTokenTtlS: number;
  /** `global.publicBaseUrl`, or empty. */
  readonly publicBaseUrl: string;
  /** Those that may use this server, and are not disabled. */
  readonly applications: readonly Application[];
}

export interface FactsGiven extends Pick<Facts, 'issuer' | 'isProtected' | 'algorithm' | 'codeTtlS' | 'accessTokenTtlS' | 'publicBaseUrl'> {
  readonly applications: readonly Application[];
}

export function factsOf({ issuer, algorithm, applications, ...rest }: FactsGiven): Facts {
  const mayUse = ({ disabled, servers }: Application) => !disabled && (servers.length === 0 || servers.includes(issuer.server));
  return {
    ...{ ...rest, issuer, algorithm, features, configuration: fixed(issuer, algorithm), mode: issuer.realm.mode },
    applications: applications.filter(mayUse),
  };
}

/** `yes`: of every application and request; `partly`: of those that say so; `no`. */
export type Enforced = 'yes' | 'partly' | 'no';

export interface Judged {
  readonly enforced: Enforced;
  readonly how: string;
}

/** One requirement of a document, and how this very server enforces it. */
export interface Requirement {
  readonly section: string;
  readonly requirement: string;
  readonly judge: (facts: Facts) => Judged;
}

export const yes = (how: string): Judged => ({ enforced: 'yes', how });
export const no = (how: string): Judged => ({ enforced: 'no', how });

/** Enforced when something that is configured says so. */
export function when(holds: boolean, how: string, otherwise: string): Judged {
  return holds ? yes(how) : no(otherwise);
}

/** Enforced of those applications that keep it: names those that do not. */
export function ofAll(applications: readonly Application[], keeps: (application: Application) => boolean, how: string): Judged {
  const others = applications.filter((application) => !keeps(application)).map(({ clientId }) => clientId);
  if (others.length === 0) return yes(applications.length === 0 ? `${how}; there are no applications yet` : how);
  const named = others.slice(0, namedMax).join(', ') + (others.length > namedMax ? ` and ${others.length - namedMax} others` : '');
  return { enforced: others.length === applications.length ? 'no' : 'partly', how: `${how}; not so of ${named}` };
}

const namedMax = 10;

export const isLoopback = (uri: string): boolean => /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/i.test(uri);
export const isPublic = ({ authMethod }: Application): boolean => authMethod === 'none';
/** Whether it may have tokens that a sign-out leaves. */
export const goesOn = ({ grantTypes, scopes }: Application): boolean =>
  grantTypes.includes('refresh_token') && scopes.includes('offline_access');
export const signsPeopleIn = ({ grantTypes }: Application): boolean => grantTypes.includes('authorization_code');
