import type { Audit } from '#audit';
import type { AuthenticationEvent } from './session.ts';

/** When something was last signed in with, and from where. */
export interface Use {
  readonly atMs: number;
  /** The browser's address. */
  readonly address: string;
}

/** Rows that are looked at, the newest first: who signs in all day long with one thing may not be told of what they have not used for long. */
const rowsMax = 200;
const actions = ['session.begin', 'session.resume'] as const;

/** How somebody signed in, for the audit trail: a recovery code is named there. */
export function waysOf({ mechanisms = [] }: Pick<AuthenticationEvent, 'mechanisms'>): string {
  return mechanisms.length === 0 ? '' : ` by ${mechanisms.join(' and ')}`;
}

/**
 * When each mechanism last signed somebody in, as far back as the audit trail goes.
 *
 * @param subject  `urn:uuid:` and the entryUUID
 * @returns by the name of the mechanism
 */
export async function lastUses(audit: Pick<Audit, 'query'>, realm: string, subject: string): Promise<ReadonlyMap<string, Use>> {
  const uses = new Map<string, Use>();
  for (const action of actions) {
    for (const { summary, timeMs: atMs, address } of await audit.query({ realm, subject, action, outcome: 'success', limit: rowsMax })) {
      for (const way of readWays(summary)) if (atMs > (uses.get(way)?.atMs ?? 0)) uses.set(way, { atMs, address });
    }
  }
  return uses;
}

/** The mechanisms that `waysOf` has written. */
function readWays(summary: string): readonly string[] {
  return / by ([a-z-]+(?: and [a-z-]+)*)(?:;|$)/.exec(summary)?.[1]?.split(' and ') ?? [];
}
