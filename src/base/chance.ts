/** Where unpredictable octets come from. Always an argument. */
export interface Chance {
  /** `count` octets fit for keys and secrets. */
  octets(count: number): Uint8Array;
}

export const systemChance: Chance = {
  octets: (count) => globalThis.crypto.getRandomValues(new Uint8Array(count)),
};

/** `octets` unpredictable octets as base64url, without padding. */
export function token(chance: Chance, octets: number): string {
  return Buffer.from(chance.octets(octets)).toString('base64url');
}

/** As `token`, for what people type, too: the first character is a letter, so that no command takes it for an option. One bit less. */
export function typedToken(chance: Chance, octets: number): string {
  const [first = 0, ...others] = chance.octets(octets);
  return Buffer.from([first & 0x7f, ...others]).toString('base64url');
}

/** A version 4 UUID in lower case (RFC 9562 §5.4). */
export function uuid4(chance: Chance): string {
  const b = chance.octets(16);
  b[6] = ((b[6] as number) & 0x0f) | 0x40;
  b[8] = ((b[8] as number) & 0x3f) | 0x80;
  const h = Buffer.from(b).toString('hex');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20)}`;
}
