import type { Brand } from '#base';
import { realmSegment } from '#web';

/** A path of a realm with its query, without the realm's prefix, as a browser may be sent to it: `/portal?x=1`. */
export type ReturnTarget = Brand<string, 'ReturnTarget'>;

const schemeAndHost = 'http://service.invalid';

/**
 * Takes a text for a path of the realm it is said in, or for nothing.
 *
 * Everything that some browser, proxy or router might read as another host, another path or another header is refused, not repaired: another
 * scheme or host, `//`, backslashes, control characters, spaces, dot segments, and slashes, backslashes, dots or percent signs of the path
 * written as escapes. A query keeps whatever visible ASCII it has: nothing in it can lead elsewhere. A path under another realm's prefix is none of this
 * realm.
 *
 * @param lengthMax  in characters
 * @see specification document 1, "Redirect contract with the calling protocol", rule 3
 */
export function parseReturnTarget(text: string, lengthMax: number): ReturnTarget | undefined {
  if (text.length > lengthMax) return undefined;
  // RFC 3986 §2: a URL is written in visible ASCII. A fragment never reaches a server, so no request has one.
  if (!/^\/[\x21-\x7e]*$/.test(text) || /[\\#<>"]/.test(text)) return undefined;

  const path = pathOf(text);
  if (!/^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/.test(path)) return undefined;
  if (/%(?:2[ef5]|5c|[01][0-9a-f]|7f)/i.test(path)) return undefined;
  const segments = path.split('/').slice(1);
  const first = (segments[0] ?? '').replace(/%(..)/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  if (first === realmSegment) return undefined;
  if (segments.some((segment, at) => segment === '.' || segment === '..' || (segment === '' && at < segments.length - 1))) return undefined;

  // What a browser makes of it, as the last word: still this host, still this path.
  const resolved = URL.parse(text, schemeAndHost);
  return resolved?.origin === schemeAndHost && resolved.pathname === path ? (text as ReturnTarget) : undefined;
}

/**
 * Where a signed-in browser goes: the original request whole, with only `prompt` removed.
 *
 * @see specification document 1, "Redirect contract with the calling protocol", rule 2
 */
export function resumedTarget(target: ReturnTarget): ReturnTarget {
  return without(target, 'prompt');
}

/**
 * Where Cancel leads: to the caller, who makes its own protocol's refusal of it.
 *
 * @see specification document 1, "Redirect contract with the calling protocol", rule 4
 */
export function deniedTarget(target: ReturnTarget): ReturnTarget {
  const asked = without(target, 'authn_error');
  const joint = asked.includes('?') ? (/[?&]$/.test(asked) ? '' : '&') : '?';
  return `${asked}${joint}authn_error=access_denied` as ReturnTarget;
}

/** Takes out every parameter of a name, however it is escaped, and touches nothing else. */
function without(target: ReturnTarget, name: string): ReturnTarget {
  const path = pathOf(target);
  if (path.length === target.length) return target;
  const parts = target.slice(path.length + 1).split('&');
  const kept = parts.filter((part) => nameOf(part) !== name);
  if (kept.length === parts.length) return target;
  return (kept.length === 0 ? path : `${path}?${kept.join('&')}`) as ReturnTarget;
}

/** A parameter's name as a form decoder reads it. */
function nameOf(part: string): string {
  return new URLSearchParams(part).keys().next().value ?? '';
}

function pathOf(target: string): string {
  const question = target.indexOf('?');
  return question < 0 ? target : target.slice(0, question);
}
