import { type Chance, drawTypable } from '#base';

/** Draws a set of recovery codes. @param length  characters of each; 5 bits each */
export function drawCodes(chance: Chance, count: number, length: number): readonly string[] {
  const codes = new Set<string>();
  while (codes.size < count) codes.add(drawTypable(chance, length));
  return [...codes];
}
