/** How far a consumer is, in the form that OpenLDAP gives it: `rid=001,csn=20261121191500.000000Z#000000#000#000000`. */
export interface Cookie {
  /** The consumer's own number for this connection, three digits. */
  readonly rid: string;
  /** Of the last change that it has; nothing for one that has nothing yet. */
  readonly csn: string | undefined;
}

const withoutRid = '000';
const csnForm = /^\d{14}\.\d{6}Z#[0-9a-f]{6}#([0-9a-f]{3})#[0-9a-f]{6}$/;
/** CSNs of other servers are not ours: of several, the one that we may have given. */
const ownSid = '000';

/** @returns nothing for a text that is no such cookie; whether its CSN is known, only the change log can say */
export function readCookie(text: string): Cookie | undefined {
  const fields = new Map<string, string>();
  for (const field of text.split(',')) {
    const at = field.indexOf('=');
    if (at < 1) return undefined;
    fields.set(field.slice(0, at), field.slice(at + 1));
  }
  const rid = fields.get('rid');
  if (rid === undefined || !/^\d{1,3}$/.test(rid)) return undefined;
  const csns = (fields.get('csn') ?? '').split(';').filter((csn) => csn !== '');
  if (!csns.every((csn) => csnForm.test(csn))) return undefined;
  return { rid: rid.padStart(3, '0'), csn: csns.find((csn) => csnForm.exec(csn)?.[1] === ownSid) };
}

/** A cookie as slapd writes it. `readCookie` reads it. */
export function cookieText({ rid, csn }: Cookie): string {
  return csn === undefined ? `rid=${rid}` : `rid=${rid},csn=${csn}`;
}

/** What a consumer gets that has come so far. */
export function cookieAt(asked: Cookie | undefined, csn: string | undefined): Cookie {
  return { rid: asked?.rid ?? withoutRid, csn };
}
