import type { ErrorRow } from '#catalogue';
import { errors } from './errors.ts';

/** Names that a careless parser would let reach an object's prototype. `proto` is how the specification's table writes it. */
const namesRefused = new Set(['constructor', 'prototype', 'proto', '__proto__']);

export type Target =
  | { readonly kind: 'target'; readonly path: string; readonly query: URLSearchParams; readonly whole: string }
  | { readonly kind: 'refused'; readonly error: ErrorRow; readonly path: string };

/**
 * Reads a request target in origin form or, since a server must take it, in absolute form. The raw text is judged: parsers after this one drop what they do not like.
 *
 * @param raw  the target as it came
 * @returns path and query with `whole`, both as they came, or why it is refused
 * @see RFC 9112 §3.2
 */
export function readTarget(raw: string): Target {
  const whole = raw.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
  const at = whole.indexOf('?');
  const path = at < 0 ? whole : whole.slice(0, at);
  // A path that begins with two slashes would be read as a host by whoever redirects to it.
  if (!whole.startsWith('/') || whole.startsWith('//')) return refused(errors.targetMalformed, path);
  const decoded = decodes(path);
  if (decoded === undefined || /[\p{Cc}\\]/u.test(decoded)) return refused(errors.targetMalformed, path);

  const query = new URLSearchParams(at < 0 ? '' : whole.slice(at + 1));
  for (const [name, value] of query) {
    if (namesRefused.has(name)) return refused(errors.queryNameRefused, path);
    if (/\p{Cc}/u.test(value) || /\p{Cc}/u.test(name)) return refused(errors.queryControlCharacter, path);
  }
  return { kind: 'target', path, query, whole };
}

function refused(error: ErrorRow, path: string): Target {
  return { kind: 'refused', error, path };
}

function decodes(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
