import { text, utf8 } from '#base';

/** The first component of a definition: what follows its opening parenthesis (RFC 4517 §4.2.21, §4.2.27). */
export function firstComponent(value: Uint8Array, normalize: (part: Uint8Array) => Uint8Array | undefined): Uint8Array | undefined {
  const found = /^\s*\(\s*([^\s)]+)/.exec(text(value) ?? '');
  return found?.[1] === undefined ? undefined : normalize(utf8(found[1]));
}
