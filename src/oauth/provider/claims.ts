import type { ProviderDeps } from './deps.ts';

const prefix = 'urn:uuid:';

/** Who an entry is to applications: it stays when the entry is renamed. */
export function subOf(entryUuid: string): string {
  return prefix + entryUuid.toLowerCase();
}

export function uuidOf(sub: string): string | undefined {
  return sub.startsWith(prefix) ? sub.slice(prefix.length) : undefined;
}

/** What a person may be asked about. */
const told = ['profile', 'email', 'phone', 'address', 'groups'];

/** Which claims each scope tells, as the library has it. How and when somebody signed in is told with who they are, where a session recorded it. */
export function standingClaims({ claimNames }: Pick<ProviderDeps, 'claimNames'>): Record<string, string[]> {
  return {
    openid: ['sub', 'acr', 'amr', 'auth_time'],
    offline_access: [],
    ...Object.fromEntries(told.map((scope) => [scope, [...claimNames(scope)]])),
  };
}
