import type { Brand } from '#base';

/** An address that mail may be sent to: `local@domain` in ASCII. */
export type MailAddress = Brand<string, 'MailAddress'>;

/** RFC 5321 §4.5.3.1.1, §4.5.3.1.3: octets of what stands before the @, and of the whole. */
const localMax = 64;
const wholeMax = 254;

const atoms = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const form = new RegExp(`^(${atoms}(?:\\.${atoms})*)@(${label}(?:\\.${label})*)$`);

/**
 * Reads an address as it may stand in an envelope and in a header.
 *
 * The dot-string form of RFC 5321 §4.1.2 alone: quoted strings, comments, address literals and what is beyond ASCII are refused, so that no text can be
 * read as two addresses, or as a header.
 *
 * @returns `undefined` for what is none
 */
export function parseMailAddress(text: string): MailAddress | undefined {
  if (text.length > wholeMax) return undefined;
  const local = form.exec(text)?.[1];
  return local !== undefined && local.length <= localMax ? (text as MailAddress) : undefined;
}
