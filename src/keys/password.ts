import type { Chance } from '#base';

/** No characters that look like others, so that it can be copied from a terminal by hand. */
const upper = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const digits = '23456789';
const letters = `${upper}abcdefghijkmnopqrstuvwxyz${digits}`;
const groupLength = 4;

/** What a generated password has at least. */
export interface PasswordShape {
  readonly minLength: number;
  /** Dashes, of which one stands between two groups. */
  readonly minSymbols: number;
  readonly minUppercase: number;
  readonly minDigits: number;
}

const standing: PasswordShape = { minLength: 24, minSymbols: 4, minUppercase: 1, minDigits: 1 };

/**
 * Twenty characters in groups of four, 115 bits and more, with an upper-case letter and a digit as the default password policy asks.
 *
 * @param asked  more of something, where the policy in force asks for it
 */
export function generatePassword(chance: Chance, asked: PasswordShape = standing): string {
  const [minUppercase, minDigits] = [Math.max(1, asked.minUppercase), Math.max(1, asked.minDigits)];
  // A dash belongs to each group but one.
  const groups = Math.max(5, asked.minSymbols + 1, Math.ceil((asked.minLength + 1) / (groupLength + 1)), minUppercase + minDigits);
  const all = pick(chance, letters, groups * groupLength - minUppercase - minDigits);
  const mixed = shuffled(chance, `${all}${pick(chance, upper, minUppercase)}${pick(chance, digits, minDigits)}`);
  return (mixed.match(/.{4}/g) ?? []).join('-');
}

function pick(chance: Chance, from: string, count: number): string {
  let picked = '';
  for (let at = 0; at < count; at++) picked += from[below(chance, from.length)];
  return picked;
}

/** Fisher and Yates: each order is as likely as any other. */
function shuffled(chance: Chance, text: string): string {
  const characters = [...text];
  for (let at = characters.length - 1; at > 0; at--) {
    const other = below(chance, at + 1);
    [characters[at], characters[other]] = [characters[other] as string, characters[at] as string];
  }
  return characters.join('');
}

/** A number below another, at most 256. Octets beyond the last whole multiple are left out: otherwise some would come more often. */
function below(chance: Chance, count: number): number {
  for (;;) for (const octet of chance.octets(16)) if (octet < count * Math.floor(256 / count)) return octet % count;
}
