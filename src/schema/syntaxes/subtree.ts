import { utf8 } from '#base';
import { descr, numericOid } from './patterns.ts';

/** How deep a refinement may nest. */
const depthMax = 32;

/** Thrown and caught in this file only. */
class Unfit extends Error {}

/** Reads the words of a value one behind the other. */
class Words {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Takes what a sticky pattern finds here. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  need(pattern: RegExp): string {
    const found = this.take(pattern);
    if (found === undefined) throw new Unfit();
    return found;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }
}

const distance = / +(?:0|[1-9]\d{0,9})/y;
const localName = /"(?:[^"]|"")*"/y;
const open = / *\{ */y;
const close = / *\}/y;
const comma = / *, */y;
const objectIdentifier = new RegExp(` *(?:${descr}|${numericOid})`, 'y');

/**
 * Whether a text is a SubtreeSpecification (RFC 3672 §2.1 and appendix A): its components in their order, each once at most.
 *
 * @param isDn  whether a text is a name, here one that is relative to another
 */
export function isSubtreeSpecification(text: string, isDn: (value: Uint8Array) => boolean): boolean {
  const words = new Words(text);
  const name = () => {
    const quoted = words.need(localName);
    if (!isDn(utf8(quoted.slice(1, -1).replaceAll('""', '"')))) throw new Unfit();
  };
  const components: readonly [begins: RegExp, read: () => void][] = [
    [/base +/y, name],
    [/specificExclusions +/y, () => list(words, () => exclusion(words, name))],
    [/minimum(?= )/y, () => void words.need(distance)],
    [/maximum(?= )/y, () => void words.need(distance)],
    [/specificationFilter +/y, () => refinement(words, depthMax)],
  ];
  try {
    words.need(/\{ */y);
    let isFirst = true;
    for (const [begins, read] of components) {
      if (words.take(isFirst ? begins : new RegExp(` *, *${begins.source}`, 'y')) === undefined) continue;
      read();
      isFirst = false;
    }
    words.need(close);
    return words.isAtEnd;
  } catch (error) {
    if (error instanceof Unfit) return false;
    throw error;
  }
}

function exclusion(words: Words, name: () => void): void {
  words.need(/chop(?:Before|After):/y);
  name();
}

function refinement(words: Words, depth: number): void {
  if (depth === 0) throw new Unfit();
  switch (words.need(/(?:item|and|or|not):/y)) {
    case 'item:':
      words.need(objectIdentifier);
      return;
    case 'not:':
      refinement(words, depth - 1);
      return;
    case 'and:':
    case 'or:':
      list(words, () => refinement(words, depth - 1));
      return;
  }
}

function list(words: Words, element: () => void): void {
  words.need(open);
  if (words.take(close) !== undefined) return;
  do element();
  while (words.take(comma) !== undefined);
  words.need(close);
}
