import type { Chance } from './chance.ts';

/** 32 characters of which no two are taken for each other: no 0 and O, no 1 and I. 256 is a multiple of 32, so that none comes oftener. */
export const typableAlphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** Draws what people type from a screen or a sheet of paper. @param length  characters; 5 bits each */
export function drawTypable(chance: Chance, length: number): string {
  return [...chance.octets(length)].map((octet) => typableAlphabet[octet % typableAlphabet.length]).join('');
}

/** As it is printed: in groups with dashes between them, which nobody has to type. @param groupSize  0 for unbroken */
export function printedInGroups(code: string, groupSize: number): string {
  if (groupSize === 0) return code;
  const groups: string[] = [];
  for (let at = 0; at < code.length; at += groupSize) groups.push(code.slice(at, at + groupSize));
  return groups.join('-');
}

/** What was typed, without the dashes and spaces that it may be printed with, and in upper case. */
export function withoutGroups(typed: string): string {
  return typed.replace(/[\s\p{Pd}]/gu, '').toUpperCase();
}
