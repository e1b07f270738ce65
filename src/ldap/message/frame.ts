import { readLength } from '../ber/read.ts';

export type Frame =
  | { readonly kind: 'whole'; readonly next: number }
  | { readonly kind: 'more' }
  | { readonly kind: 'bad'; readonly why: string };

const more: Frame = { kind: 'more' };

/**
 * Finds the end of one LDAPMessage in what has arrived, without decoding it.
 *
 * @param at  offset of its first octet
 * @returns `whole` with the offset behind the message, `more` while octets are still to come, `bad` for what cannot become a
 *          message or is larger than the limit (told as soon as its length is known, before its content is kept)
 * @see RFC 4511 §4.1.1, §5.1
 */
export function readFrame(bytes: Uint8Array, at: number, limits: { readonly messageOctetsMax: number }): Frame {
  const tag = bytes[at];
  if (tag === undefined) return more;
  if (tag !== 0x30) return { kind: 'bad', why: 'not a SEQUENCE' };
  const length = readLength(bytes, at + 1);
  if (length.kind !== 'whole') return length;
  const next = length.next + length.octets;
  if (next - at > limits.messageOctetsMax) return { kind: 'bad', why: `message of ${next - at} octets` };
  return next <= bytes.length ? { kind: 'whole', next } : more;
}
