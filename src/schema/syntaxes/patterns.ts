import { text } from '#base';

/** The productions that several syntaxes of RFC 4517 share, as regular expressions over text. */
export const numericOid = '(?:0|[1-9]\\d*)(?:\\.(?:0|[1-9]\\d*))+';
export const descr = '[A-Za-z][A-Za-z0-9-]*';
/** RFC 4517 §3.2: PrintableCharacter. */
export const printable = "[A-Za-z0-9'()+,\\-.=/:? ]";

/** A test of octets against a pattern over their text. `fullmatch` of the pattern is implied. */
export function matchesPattern(pattern: string): (value: Uint8Array) => boolean {
  const expression = new RegExp(`^(?:${pattern})$`, 's');
  return (value) => {
    const given = text(value);
    return given !== undefined && expression.test(given);
  };
}

/** Whether the octets are one DER or BER element of the wanted tag with nothing behind it. */
export function isElement(value: Uint8Array, tag: number): boolean {
  const first = value[1];
  if (value[0] !== tag || first === undefined) return false;
  if (first < 0x80) return value.length === first + 2;
  const count = first & 0x7f;
  if (count === 0 || count > 4 || value.length < count + 2) return false;
  let octets = 0;
  for (let i = 0; i < count; i++) octets = octets * 256 + (value[2 + i] as number);
  return value.length === octets + count + 2;
}
