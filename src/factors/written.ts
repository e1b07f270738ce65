import type { Audit } from '#audit';
import { refuse } from '#catalogue';
import { ClientRefusal, type DirectoryClient, type SessionOf } from '#client';
import { errors } from './errors.ts';

/** In whose name a factor is changed: its person's own, with the session they have. */
export interface InName {
  readonly dn: string;
  readonly session: SessionOf;
}

/** Whose factor it is. */
export interface Holder {
  readonly realm: string;
  readonly entryUuid: string;
}

/** Who changes a factor of theirs, and from where. */
export interface Changing extends InName, Holder {
  readonly visit: { readonly door: string; readonly address: string; readonly correlationId: string };
}

export interface Writing {
  readonly client: Pick<DirectoryClient, 'as'>;
  readonly audit: Pick<Audit, 'record'>;
}

/**
 * Puts values in the place of all that a person has of a factor's attribute; none take it away. What came of it is in the audit trail.
 *
 * @param said  the action of the audit row, and what it says when it is done
 * @throws Refusal `factorNotWritten` when the directory does not take it
 */
export async function replaceFactor(
  { client, audit }: Writing,
  { realm, dn, session, visit }: Changing,
  { attribute, values }: { readonly attribute: string; readonly values: readonly Uint8Array[] },
  { action, summary }: { readonly action: string; readonly summary: string },
): Promise<void> {
  const event = { realm, subject: dn, action, ...visit };
  try {
    await client.as({ dn, session }).modify(dn, [{ operation: 'replace', attribute: { description: attribute, values } }]);
  } catch (thrown) {
    if (!(thrown instanceof ClientRefusal)) throw thrown;
    const refusal = refuse(errors.factorNotWritten, { why: thrown.message });
    audit.record({ ...event, outcome: 'refused', error: refusal.row, summary: refusal.tells });
    throw refusal;
  }
  audit.record({ ...event, outcome: 'success', summary });
}
