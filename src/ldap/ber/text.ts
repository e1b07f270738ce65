const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** UTF-8 octets as text, `undefined` for others. Nearly all text of LDAP is ASCII, and that takes the short way. */
export function textOf(bytes: Buffer, start: number, end: number): string | undefined {
  for (let i = start; i < end; i++) {
    if ((bytes[i] as number) >= 0x80) {
      try {
        return decoder.decode(bytes.subarray(start, end));
      } catch {
        return undefined;
      }
    }
  }
  return bytes.toString('latin1', start, end);
}
