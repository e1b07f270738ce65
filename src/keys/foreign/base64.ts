/** crypt(3)'s own base64: other letters than RFC 4648's, and the low six bits first. */
const letters = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Octets three to four letters; one that is left gives two, two give three. */
export function encode64(octets: Uint8Array): string {
  let text = '';
  for (let at = 0; at < octets.length; at += 3) {
    const group = octets.subarray(at, at + 3);
    let bits = group.reduceRight((sum, octet) => sum * 256 + octet, 0);
    for (let count = 0; count <= group.length; count++) {
      text += letters[bits & 63];
      bits >>>= 6;
    }
  }
  return text;
}

/** A number of six bits for each letter. */
export function number64(text: string): number {
  return [...text].reduceRight((sum, letter) => sum * 64 + letters.indexOf(letter), 0);
}
