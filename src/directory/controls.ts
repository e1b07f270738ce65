import { text } from '#base';
import { refuse } from '#catalogue';
import type { Control, Request } from '#ldap';
import { errors } from './errors.ts';
import type { Connection } from './types.ts';

/** Proxied authorization (RFC 4370). */
export const proxiedAuthorizationOid = '2.16.840.1.113730.3.4.18';
/** Names the door and the client's address behind a bind that the web layer makes. */
export const doorControlOid = '2.25.83716444157178576224225129172109131643.5.1';

type Operation = Request['kind'];

/** One control: where it counts and on which operations. */
interface ControlRow {
  readonly oid: string;
  readonly operations: readonly Operation[];
  /** Only for who has shown the secret of this start on the web layer's own socket. */
  readonly trustedOnly: boolean;
}

const rows: readonly ControlRow[] = [
  {
    oid: proxiedAuthorizationOid,
    operations: ['searchRequest', 'modifyRequest', 'addRequest', 'delRequest', 'modifyDNRequest', 'compareRequest', 'extendedRequest'],
    trustedOnly: true,
  },
  { oid: doorControlOid, operations: ['bindRequest'], trustedOnly: true },
];

function rowFor(connection: Connection, operation: Operation, oid: string): ControlRow | undefined {
  return rows.find((row) => row.oid === oid && row.operations.includes(operation) && (!row.trustedOnly || connection.trusted));
}

/** What the root DSE names at this door. */
export function supportedControls(connection: Connection): string[] {
  return rows.filter((row) => !row.trustedOnly || connection.trusted).map(({ oid }) => oid);
}

/**
 * Those controls of a request that count here; others are ignored.
 *
 * @throws Refusal `controlUnknown` (LDAP 12) for a critical one that does not (RFC 4511 §4.1.11)
 */
export function recognizedControls(connection: Connection, operation: Operation, controls: readonly Control[]): readonly Control[] {
  if (controls.length === 0) return controls;
  const recognized: Control[] = [];
  for (const control of controls) {
    if (rowFor(connection, operation, control.oid) !== undefined) recognized.push(control);
    else if (control.critical) throw refuse(errors.controlUnknown, { oid: control.oid });
  }
  return recognized;
}

/** Whose authority a request asks to act under: an authzId, `dn:` and a name, empty for anonymous (RFC 4370 §3). */
export function readProxied(control: Control): string {
  const authzId = text(control.value ?? new Uint8Array(0));
  // RFC 4370 §3: it is always critical, and one that is not must be refused.
  if (!control.critical || authzId === undefined) throw refuse(errors.controlMalformed, { oid: control.oid });
  if (authzId === '') return '';
  if (!authzId.toLowerCase().startsWith('dn:')) throw refuse(errors.proxyDenied);
  return authzId.slice(3);
}

/** By which door of the web layer a password came, and from where. */
export interface OuterDoor {
  readonly door: string;
  readonly address: string;
}

/** Reads the value of the door control: SEQUENCE { door OCTET STRING, address OCTET STRING }. */
export function readDoor(control: Control): OuterDoor {
  const [door, address, ...more] = octetStrings(control.value ?? new Uint8Array(0)) ?? [];
  if (door === undefined || address === undefined || more.length > 0) throw refuse(errors.controlMalformed, { oid: control.oid });
  return { door, address };
}

/** A sequence of octet strings, each with a length of one octet: a door's name and an address are never longer. */
function octetStrings(bytes: Uint8Array): string[] | undefined {
  if (bytes[0] !== 0x30 || bytes[1] === undefined || bytes[1] > 0x7f || bytes.length !== bytes[1] + 2) return undefined;
  const strings: string[] = [];
  for (let at = 2; at < bytes.length; ) {
    const length = bytes[at + 1];
    if (bytes[at] !== 0x04 || length === undefined || length > 0x7f || at + 2 + length > bytes.length) return undefined;
    const string = text(bytes.subarray(at + 2, at + 2 + length));
    if (string === undefined) return undefined;
    strings.push(string);
    at += 2 + length;
  }
  return strings;
}
