import test from 'ava';
import fc from 'fast-check';
import { deniedTarget, parseReturnTarget, type ReturnTarget, resumedTarget } from '#sessions';

const lengthMax = 8192;

function target(text: string): ReturnTarget {
  const parsed = parseReturnTarget(text, lengthMax);
  if (parsed === undefined) throw new Error(`not a target: ${text}`);
  return parsed;
}

const taken = [
  '/',
  '/portal',
  '/portal/',
  '/oauth2/authorize?client_id=x&redirect_uri=https%3A%2F%2Frp.example%2Fcb&scope=openid%20email',
  '/a?next=//evil.example&u=http://evil.example/%2f%5c%0d%0a',
  '/a?',
  '/a?b=%zz&&=&c',
  "/a-b_c.d~e!$&'()*+,;=:@f",
  '/caf%C3%A9',
  '/%ff',
  '/realms/acme',
  '/a/realm/acme',
  '/a?x=[1]&y={2}|`^',
];
for (const text of taken) test(`a path on this service is taken as it is: ${text}`, (t) => t.is(target(text) as string, text));

const refused: readonly [what: string, text: string][] = [
  ['nothing', ''],
  ['a name without a slash', 'portal'],
  ['another scheme', 'https://evil.example/'],
  ['a script', 'javascript:alert(1)'],
  ['a data address', 'data:text/html,x'],
  ['a host without a scheme', '//evil.example/'],
  ['three slashes', '///evil.example'],
  ['a backslash for a slash', '/\\evil.example'],
  ['two backslashes', '\\\\evil.example'],
  ['a backslash later in the path', '/a\\b'],
  ['a backslash in the query', '/a?b\\c'],
  ['an escaped slash', '/%2f%2fevil.example'],
  ['an escaped slash in capitals', '/a%2Fb'],
  ['an escaped backslash', '/%5Cevil.example'],
  ['a slash escaped twice', '/%252fevil.example'],
  ['a dot segment', '/./portal'],
  ['a double dot segment', '/portal/../admin'],
  ['a double dot segment at the end', '/portal/..'],
  ['dots that lead to a host', '/..//evil.example'],
  ['dots that are escaped', '/%2e%2e/%2e/evil'],
  ['an empty segment', '/a//b'],
  ['two slashes at the end', '/a//'],
  ['a tab, which browsers take out', '/\t/evil.example'],
  ['a line end', '/a\nb'],
  ['a second header', '/a\r\nSet-Cookie: x=y'],
  ['an escaped line end in the path', '/a%0d%0aSet-Cookie:%20x'],
  ['an escaped NUL', '/a%00'],
  ['NUL', '/a\0'],
  ['DEL', '/a\x7f'],
  ['a space', '/a b'],
  ['a leading space', ' /a'],
  ['a fragment', '/a#b'],
  ['a fragment behind a query', '/a?b#c'],
  ['a letter outside ASCII', '/é'],
  ['a slash of another alphabet', '/\uff0f/evil.example'],
  ['a zero-width space', '/\u200b/evil.example'],
  ['a lone surrogate', '/\ud800'],
  ['a half escape', '/a%2'],
  ['an escape that is none', '/a%zz'],
  ['quotes and brackets', '/"><script>'],
  ['credentials before a host', 'http://this.service@evil.example/'],
  ['an @ behind two slashes', '//x@evil.example'],
  ["another realm's prefix", '/realm/acme/portal'],
  ["another realm's prefix alone", '/realm?a=b'],
  ["another realm's prefix, escaped", '/%72eal%6D/acme'],
  ['more than the limit', `/${'a'.repeat(lengthMax)}`],
];
for (const [what, text] of refused) test(`a return target is refused: ${what}`, (t) => t.is(parseReturnTarget(text, lengthMax), undefined));

test('whatever is taken leads a browser to this very host and path', (t) => {
  const piece = fc.constantFrom(
    '/',
    '\\',
    '.',
    '..',
    '%2f',
    '%5c',
    '%2e',
    '%09',
    '%',
    ':',
    '@',
    '?',
    '#',
    '&',
    ' ',
    '\t',
    '\n',
    'http:',
    'evil.example',
    'a',
    ';',
    'é',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      const parsed = parseReturnTarget(text, lengthMax);
      if (parsed === undefined) return;
      for (const base of ['http://this.example/portal', 'https://this.example:8443/a/b?c']) {
        const resolved = new URL(parsed, base);
        t.is(resolved.origin, new URL(base).origin);
        t.is(resolved.pathname, parsed.split('?')[0] ?? '');
      }
      for (const next of [resumedTarget(parsed), deniedTarget(parsed)]) t.is(parseReturnTarget(next, lengthMax * 2), next);
    }),
    { numRuns: 5000 },
  );
});

const resumed: readonly [from: string, to: string][] = [
  ['/a', '/a'],
  ['/a?prompt=login', '/a'],
  ['/a?prompt', '/a'],
  ['/a?prompt=login&b=1', '/a?b=1'],
  ['/a?b=1&prompt=login', '/a?b=1'],
  ['/a?b=1&prompt=login&prompt=consent&b=2', '/a?b=1&b=2'],
  ['/a?b=%7e%7E+x%20y&&prompt=none&c=&=d&b=%7e', '/a?b=%7e%7E+x%20y&&c=&=d&b=%7e'],
  ['/a?%70rompt=login&b=1', '/a?b=1'],
  ['/a?pro%6Dpt=login', '/a'],
  ['/a?Prompt=login&prompts=1&xprompt=2&b=prompt', '/a?Prompt=login&prompts=1&xprompt=2&b=prompt'],
  ['/a?b=x;prompt=y', '/a?b=x;prompt=y'],
  ['/a?b=%26prompt%3Dlogin', '/a?b=%26prompt%3Dlogin'],
  ['/a?', '/a?'],
  ['/a?b=%zz&prompt=x', '/a?b=%zz'],
];
for (const [from, to] of resumed) {
  test(`the original request whole, with only prompt removed: ${from}`, (t) => t.is(resumedTarget(target(from)) as string, to));
}

test('removing prompt leaves every other parameter byte for byte, in its order', (t) => {
  const part = fc.stringMatching(/^[a-z%=+;.0-9{}~]{0,12}$/);
  fc.assert(
    fc.property(fc.array(fc.oneof(part, fc.constantFrom('prompt=login', 'prompt=', 'prompt')), { maxLength: 8 }), (parts) => {
      const whole = parseReturnTarget(`/a?${parts.join('&')}`, lengthMax);
      if (whole === undefined) return;
      const isPrompt = (one: string) => [...new URLSearchParams(one).keys()][0] === 'prompt';
      const rest = parts.filter((one) => !isPrompt(one));
      const expected = rest.length === parts.length ? whole : rest.length === 0 ? '/a' : `/a?${rest.join('&')}`;
      t.is(resumedTarget(whole) as string, expected);
    }),
    { numRuns: 2000 },
  );
});

const denied: readonly [from: string, to: string][] = [
  ['/a', '/a?authn_error=access_denied'],
  ['/a?', '/a?authn_error=access_denied'],
  ['/a?b=1', '/a?b=1&authn_error=access_denied'],
  ['/a?b=1&', '/a?b=1&authn_error=access_denied'],
  ['/a?prompt=login&b=%7e', '/a?prompt=login&b=%7e&authn_error=access_denied'],
  ['/a?authn_error=access_denied&b=1', '/a?b=1&authn_error=access_denied'],
];
for (const [from, to] of denied) {
  test(`Cancel returns to the caller with authn_error=access_denied: ${from}`, (t) => t.is(deniedTarget(target(from)) as string, to));
}
