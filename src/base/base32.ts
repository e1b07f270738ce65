const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const bitsOfLetter = 5;

/** Octets in base32 (RFC 4648 §6), in upper case and without padding: as authenticator apps take secrets. */
export function base32Of(octets: Uint8Array): string {
  let out = '';
  let bits = 0;
  let held = 0;
  for (const octet of octets) {
    held = (held << 8) | octet;
    for (bits += 8; bits >= bitsOfLetter; ) {
      bits -= bitsOfLetter;
      out += letters[held >>> bits];
      held &= (1 << bits) - 1;
    }
  }
  return bits === 0 ? out : out + letters[held << (bitsOfLetter - bits)];
}

/** @returns the octets of base32 in either case, padded or not; `undefined` for what no octets are written as */
export function fromBase32(given: string): Uint8Array | undefined {
  if (!/^[A-Za-z2-7]*=*$/.test(given)) return undefined;
  const bare = given.replace(/=+$/, '').toUpperCase();
  const octets = new Uint8Array(Math.floor((bare.length * bitsOfLetter) / 8));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (const letter of bare) {
    held = (held << bitsOfLetter) | letters.indexOf(letter);
    bits += bitsOfLetter;
    if (bits < 8) continue;
    bits -= 8;
    octets[at++] = held >>> bits;
    held &= (1 << bits) - 1;
  }
  // What is left over stands for nothing: whole letters of it, or bits that are set, no encoder wrote.
  return bits < bitsOfLetter && held === 0 ? octets : undefined;
}
