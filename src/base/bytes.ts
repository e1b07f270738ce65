const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const empty: Uint8Array = new Uint8Array(0);

/** Text up to this length is encoded here where it is ASCII: for so little the encoder costs more to call than to run. */
const shortMax = 64;

/** Text as UTF-8 octets. */
export function utf8(text: string): Uint8Array {
  const { length } = text;
  if (length > shortMax) return encoder.encode(text);
  const octets = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) return encoder.encode(text);
    octets[i] = unit;
  }
  return octets;
}

/** UTF-8 octets as text, or `undefined` when they are not UTF-8. */
export function text(bytes: Uint8Array): string | undefined {
  if (bytes.length <= shortMax && isAscii(bytes)) return Buffer.prototype.latin1Slice.call(bytes, 0, bytes.length);
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function isAscii(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if ((bytes[i] as number) >= 0x80) return false;
  return true;
}

/** Joins octet strings into a new one. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** Orders octet strings as SQLite's memcmp does: octet by octet, the shorter first. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}

/** Lower-case hexadecimal digits of octets. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
