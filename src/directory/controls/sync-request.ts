import { text, utf8 } from '#base';
import { type Control, encodeBer, type Response } from '#ldap';
import { type Cookie, cookieText, readCookie } from '../sync/cookie.ts';
import { type ControlKind, malformed, readControl } from './kind.ts';

/** What a consumer wants (RFC 4533 §2.2). */
export interface SyncRequest {
  /** Whether it goes on listening once it is up to date. */
  readonly persists: boolean;
  readonly cookie: Cookie | undefined;
}

/** Those of Atrium have some fifty; those of OpenLDAP one CSN for each server that writes. */
const cookieOctetsMax = 16_384;

const modes: Readonly<Record<number, boolean>> = { 1: false, 3: true };

/** Content synchronisation (RFC 4533): a search whose answers keep a copy equal. */
export const syncRequest: ControlKind<SyncRequest> = {
  oid: '1.3.6.1.4.1.4203.1.9.1.1',
  name: 'sync request',
  operations: ['searchRequest'],
  read(control) {
    const { mode, cookie } = readControl(control, (ber) =>
      ber.sequence(() => {
        const read = { mode: ber.enumerated(), cookie: ber.tag === octetString ? ber.octets() : undefined };
        // reloadHint: whoever cannot be told the differences is sent everything, as slapd does, whatever it prefers.
        if (ber.more) ber.boolean();
        return read;
      }),
    );
    const persists = modes[mode];
    if (cookie !== undefined && cookie.length > cookieOctetsMax) throw malformed(control);
    const parsed = cookie === undefined || cookie.length === 0 ? undefined : readCookie(text(cookie) ?? '');
    if (persists === undefined || (parsed === undefined && cookie !== undefined && cookie.length > 0)) throw malformed(control);
    return { persists, cookie: parsed };
  },
};

const octetString = 0x04;
const stateOid = '1.3.6.1.4.1.4203.1.9.1.2';
const doneOid = '1.3.6.1.4.1.4203.1.9.1.3';
const infoOid = '1.3.6.1.4.1.4203.1.9.1.4';

/** RFC 4533 §2.3. */
const states = { add: 1, modify: 2, delete: 3 } as const;

export type SyncState = keyof typeof states;

/** What has become of the entry that this comes with (RFC 4533 §2.3). */
export function syncState(state: SyncState, uuid: string, cookie: Cookie | undefined): Control {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.enumerated(states[state]);
      ber.octets(Buffer.from(uuid.replaceAll('-', ''), 'hex'));
      if (cookie !== undefined) ber.octets(utf8(cookieText(cookie)));
    }),
  );
  return { oid: stateOid, critical: false, value };
}

/** @param refreshDeletes  false: what was not named is gone (RFC 4533 §2.4) */
export function syncDone(cookie: Cookie, refreshDeletes: boolean): Control {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.octets(utf8(cookieText(cookie)));
      if (refreshDeletes) ber.boolean(true);
    }),
  );
  return { oid: doneOid, critical: false, value };
}

/** A word between the entries (RFC 4533 §2.5): a newer cookie, or the end of the refresh in one of its two ways. */
export function syncInfo(kind: 'newCookie' | 'refreshDelete' | 'refreshPresent', cookie: Cookie): Response {
  const value = encodeBer((ber) => {
    const octets = utf8(cookieText(cookie));
    if (kind === 'newCookie') ber.octets(octets, 0x80);
    // refreshDone is true unless it says otherwise.
    else ber.sequence(() => ber.octets(octets), kind === 'refreshDelete' ? 0xa1 : 0xa2);
  });
  return { kind: 'intermediateResponse', oid: infoOid, value };
}
