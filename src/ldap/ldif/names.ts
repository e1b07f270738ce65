import { parseDescription } from '../description.ts';

export interface Name {
  readonly text: string;
  readonly lower: string;
}

/** Attribute descriptions seen lately, found by their octets: a file repeats a few of them on nearly every line. */
export interface Names {
  readonly slots: (Name | undefined)[];
  readonly loose: boolean;
}

const slotCount = 256;

/** @param loose  takes names with underscores */
export function createNames(loose = false): Names {
  return { slots: new Array<Name | undefined>(slotCount).fill(undefined), loose };
}

/** The description from `start` to `end`; `undefined` for octets that are none (RFC 4512 §2.5). */
export function nameOf(names: Names, bytes: Buffer, start: number, end: number): Name | undefined {
  let hash = end - start;
  for (let i = start; i < end; i++) hash = (hash * 31 + (bytes[i] as number)) | 0;
  const slot = hash & (slotCount - 1);
  const known = names.slots[slot];
  if (known && equals(known.text, bytes, start, end)) return known;
  const text = bytes.toString('latin1', start, end);
  if (!parseDescription(text) && !(names.loose && looseForm.test(text))) return undefined;
  const name = { text, lower: text.toLowerCase() };
  names.slots[slot] = name;
  return name;
}

const looseForm = /^[A-Za-z][A-Za-z0-9_-]{0,127}(?:;[A-Za-z0-9_-]{1,127})*$/;

function equals(text: string, bytes: Buffer, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== bytes[start + i]) return false;
  return true;
}
