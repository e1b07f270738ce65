import { concat, text, utf8 } from '#base';
import { prepareKey, preparePart, prepareSpaced } from '../prepare.ts';
import type { Position } from '../types.ts';

/** The lines of a postal address, `$` between them, `\24` and `\5C` for `$` and `\` (RFC 4517 §3.3.28). */
function lines(value: Uint8Array): Uint8Array[] | undefined {
  return text(value)
    ?.split('$')
    .map((line) => utf8(line.replace(/\\24/g, '$').replace(/\\5c/gi, '\\')));
}

/** The lines, each prepared: they are compared one by one (RFC 4517 §4.2.12). No prepared line holds the control character between them. */
export function listKey(value: Uint8Array): Uint8Array | undefined {
  return joined(lines(value), (line) => prepareKey(line, 'fold'));
}

/** The same with the spaces in which a part of a line is looked for (RFC 4518 §2.6.1). */
export function listSpaced(value: Uint8Array): Uint8Array | undefined {
  return joined(lines(value), (line) => prepareSpaced(line, 'fold'));
}

/** A part lies within one line, since it holds nothing that could stand for the end of one (RFC 4517 §4.2.13). */
export function listPart(part: Uint8Array, position: Position): Uint8Array | undefined {
  return preparePart(part, position, 'fold');
}

function joined(parts: Uint8Array[] | undefined, prepare: (line: Uint8Array) => Uint8Array | undefined): Uint8Array | undefined {
  if (parts === undefined) return undefined;
  const prepared: Uint8Array[] = [];
  for (const part of parts) {
    const line = prepare(part);
    if (line === undefined) return undefined;
    if (prepared.length > 0) prepared.push(Uint8Array.of(0x0a));
    prepared.push(line);
  }
  return concat(prepared);
}
