import { ClientRefusal, type Update } from '#client';
import { type Control, type LdifRecord, resultCodes } from '#ldap';

/**
 * Controls of change records (RFC 2849) that are sent along with them: what they ask for is judged under the caller's authority. Those that say for whom, over
 * which connection or in which transaction something is done are nobody's to give, and of those that only answer nothing could be told.
 */
const obeyed: ReadonlySet<string> = new Set([
  '1.3.6.1.1.12', // assertion (RFC 4528)
  '1.2.840.113556.1.4.1413', // permissive modify
  '1.2.840.113556.1.4.805', // tree delete
  '2.16.840.1.113730.3.4.2', // ManageDsaIT (RFC 3296)
  '1.3.6.1.4.1.4203.666.5.12', // relax rules
]);

/**
 * A record as it is sent.
 *
 * @throws ClientRefusal unavailableCriticalExtension (12) for a critical control that is not obeyed (RFC 4511 §4.1.11)
 */
export function updateOf(record: LdifRecord): Update {
  return { op: requestOf(record), controls: record.kind === 'content' ? [] : controlsOf(record.controls) };
}

function controlsOf(given: readonly Control[]): readonly Control[] {
  const unknown = given.find(({ oid, critical }) => critical && !obeyed.has(oid));
  if (unknown !== undefined) {
    const diagnostic = `the critical control ${unknown.oid} is not obeyed here (unavailableCriticalExtension)`;
    throw new ClientRefusal({ code: resultCodes.unavailableCriticalExtension, diagnostic, matchedDN: '' });
  }
  return given.filter(({ oid }) => obeyed.has(oid));
}

function requestOf(record: LdifRecord): Update['op'] {
  switch (record.kind) {
    case 'content':
    case 'add':
      return { kind: 'addRequest', entry: record.dn, attributes: record.attributes };
    case 'delete':
      return { kind: 'delRequest', entry: record.dn };
    case 'modify':
      return { kind: 'modifyRequest', object: record.dn, changes: record.changes };
    case 'modrdn': {
      const { newRdn, deleteOldRdn, newSuperior } = record;
      return { kind: 'modifyDNRequest', entry: record.dn, newRdn, deleteOldRdn, ...(newSuperior === undefined ? {} : { newSuperior }) };
    }
  }
}
