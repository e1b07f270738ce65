/** Where unpredictable octets come from. Always an argument. */
export interface Chance {
  /** `count` octets fit for keys and secrets. */
  octets(count: number): Uint8Array;
}

/** Fetched at a time: a call of the system's source costs many times what its octets do, and most who ask need a few. */
const storeOctets = 4096;
const store = new Uint8Array(storeOctets);
/** Where what was not given out yet begins. */
let from = storeOctets;

export const systemChance: Chance = {
  octets: (count) => {
    if (count > storeOctets >> 3) return globalThis.crypto.getRandomValues(new Uint8Array(count));
    if (from + count > storeOctets) {
      globalThis.crypto.getRandomValues(store);
      from = 0;
    }
    const octets = store.slice(from, from + count);
    // Nobody gets them again, and nothing of a key stays behind.
    store.fill(0, from, from + count);
    from += count;
    return octets;
  },
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
