import type { Chance } from '#base';

/** No characters that look like others, so that it can be copied from a terminal by hand. */
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const groups = 5;
const groupLength = 4;

/** Twenty characters in groups, 115 bits and more, with an upper-case letter and a digit as the default password policy asks. */
export function generatePassword(chance: Chance): string {
  for (;;) {
    const text = pick(chance, groups * groupLength);
    if (/[A-Z]/.test(text) && /[0-9]/.test(text)) return (text.match(/.{4}/g) ?? []).join('-');
  }
}

function pick(chance: Chance, count: number): string {
  let picked = '';
  while (picked.length < count) {
    for (const octet of chance.octets(count)) {
      // Octets beyond the last whole multiple are left out: otherwise some letters would come more often.
      const letter = octet < letters.length * Math.floor(256 / letters.length) ? letters[octet % letters.length] : undefined;
      if (letter !== undefined && picked.length < count) picked += letter;
    }
  }
  return picked;
}
