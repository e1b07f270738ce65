import type { Chance } from '#base';

/** 32 characters of which no two are taken for each other: no 0 and O, no 1 and I. 256 is a multiple of 32, so that none comes oftener. */
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** Draws a set of recovery codes. @param length  characters of each; 5 bits each */
export function drawCodes(chance: Chance, count: number, length: number): readonly string[] {
  const codes = new Set<string>();
  while (codes.size < count) codes.add([...chance.octets(length)].map((octet) => alphabet[octet % alphabet.length]).join(''));
  return [...codes];
}

/** A code as it is printed: in groups with dashes between them, which nobody has to type. */
export function printedCode(code: string, groupSize: number): string {
  if (groupSize === 0) return code;
  const groups: string[] = [];
  for (let at = 0; at < code.length; at += groupSize) groups.push(code.slice(at, at + groupSize));
  return groups.join('-');
}
