import type { Audit } from '#audit';
import type { ErrorRow } from '#catalogue';
import type { RawRequest, WebRealm } from '#web';

/** Leaves an audit row of a refusal that a page shows. */
export function noteRefusal(audit: Pick<Audit, 'record'>, realm: WebRealm, raw: RawRequest, error: ErrorRow, summary: string): void {
  const { door, correlationId, address } = raw;
  audit.record({ realm: realm.id, door, subject: '', action: 'oauth.request', outcome: 'refused', error, summary, correlationId, address });
}
