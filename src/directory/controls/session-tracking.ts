import { type ControlKind, malformed, readControl } from './kind.ts';

/** For whom a client says that it acts. Nothing of it is proved. */
export interface TrackedSession {
  readonly sourceIp: string;
  readonly sourceName: string;
  readonly format: string;
  readonly identifier: string;
}

/** draft-wahl-ldap-session-03 §2.1 */
const octetsMax = { sourceIp: 128, sourceName: 65_536, format: 1024, identifier: 65_536 } as const;

/** Session tracking (draft-wahl-ldap-session §2): SEQUENCE { sessionSourceIp, sessionSourceName, formatOID, sessionTrackingIdentifier }. */
export const sessionTracking: ControlKind<TrackedSession> = {
  oid: '1.3.6.1.4.1.21008.108.63.1',
  name: 'session tracking',
  operations: [
    'bindRequest',
    'searchRequest',
    'modifyRequest',
    'addRequest',
    'delRequest',
    'modifyDNRequest',
    'compareRequest',
    'extendedRequest',
  ],
  read(control) {
    const session = readControl(control, (ber) =>
      ber.sequence(() => ({ sourceIp: ber.string(), sourceName: ber.string(), format: ber.string(), identifier: ber.string() })),
    );
    const { sourceIp, sourceName, format, identifier } = session;
    const isTooLong =
      sourceIp.length > octetsMax.sourceIp ||
      sourceName.length > octetsMax.sourceName ||
      format.length > octetsMax.format ||
      identifier.length > octetsMax.identifier;
    if (isTooLong) throw malformed(control);
    return session;
  },
};

/** So much of each part is shown: what names a session is short. */
const shownMax = 64;

/** What the audit row says of it: nothing but what can be printed, each part in quotation marks that it cannot close. */
export function sessionText({ sourceIp, sourceName, format, identifier }: TrackedSession): string {
  const parts = { from: sourceIp, host: sourceName, format, id: identifier };
  const said = Object.entries(parts).filter(([, text]) => text !== '');
  return said.map(([name, text]) => `${name} ${quoted(text)}`).join(' ');
}

function quoted(text: string): string {
  const characters = Array.from(text.slice(0, 2 * (shownMax + 1)));
  const shown = characters
    .slice(0, shownMax)
    .join('')
    .replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '?')
    .replace(/["\\]/g, "'");
  return `"${shown}${characters.length > shownMax ? '…' : ''}"`;
}
