import { text, utf8 } from '#base';

const integer = /^(?:0|-?[1-9]\d*)$/;

/**
 * An INTEGER of any length as text whose octets order as the numbers do: a sign, how many digits the length has, the length, the digits.
 * Negative numbers are written with every digit turned round, so that the larger magnitude stands first.
 *
 * @see RFC 4517 §4.2.20 (integerOrderingMatch)
 */
export function normalInteger(value: Uint8Array): Uint8Array | undefined {
  const given = text(value) ?? '';
  if (!integer.test(given)) return undefined;
  const negative = given.startsWith('-');
  const digits = negative ? given.slice(1) : given;
  const length = String(digits.length);
  const magnitude = `${String.fromCharCode(0x40 + length.length)}${length}${digits}`;
  if (!negative) return utf8(`p${magnitude}`);
  // Octets 0x30–0x4f mirror onto each other: '0' with 'O', 'A' with '>'.
  return utf8(`n${Array.from(magnitude, (character) => String.fromCharCode(0x7f - character.charCodeAt(0))).join('')}`);
}
