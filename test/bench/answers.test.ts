import test from 'ava';
import { utf8 } from '#base';
import type { Response } from '#ldap';
import { differencesOf } from '../../bench/answers.ts';
import type { Answer } from '../../bench/connection.ts';
import { search } from '../../bench/requests.ts';

const request = search('ou=people,dc=example,dc=com', { kind: 'equality', description: 'uid', value: utf8('u0000001') });
const done = (code: number, diagnostic = ''): Response => ({ kind: 'searchResultDone', result: { code, matchedDN: '', diagnostic } });
const entry = (object: string, attributes: Readonly<Record<string, readonly string[]>>): Response => ({
  kind: 'searchResultEntry',
  object,
  attributes: Object.entries(attributes).map(([description, values]) => ({ description, values: values.map(utf8) })),
});
const answer = (...responses: readonly Response[]): Answer => ({ responses, octets: 0 });
const differences = (a: Answer, s: Answer, written?: ReadonlySet<string>) => differencesOf(request, a, s, written);

test('answers are the same when entries, attributes and values are, in whatever order and spelling of names', (t) => {
  const a = answer(entry('uid=a,dc=x', { cn: ['A', 'B'], sn: ['C'] }), entry('uid=b,dc=x', {}), done(0));
  const s = answer(entry('uid=b,dc=x', {}), entry('UID=a,dc=x', { SN: ['C'], cn: ['B', 'A'] }), done(0, 'in words of its own'));
  t.deepEqual(differences(a, s), []);
});

test('what differs is named: a result, an entry, an attribute, a value', (t) => {
  const base = answer(entry('uid=a,dc=x', { cn: ['A'] }), done(0));
  const only = (s: Answer) => {
    const [difference, ...more] = differences(base, s);
    t.deepEqual(more, []);
    t.true(difference?.includes('u0000001'), 'the request is named');
    return difference ?? '';
  };
  t.regex(only(answer(entry('uid=a,dc=x', { cn: ['A'] }), done(4))), /result success, slapd sizeLimitExceeded/);
  t.regex(only(answer(done(0))), /only Atrium returns uid=a,dc=x/);
  t.regex(only(answer(entry('uid=a,dc=x', { cn: ['A'] }), entry('uid=b,dc=x', {}), done(0))), /only slapd returns uid=b,dc=x/);
  t.regex(only(answer(entry('uid=a,dc=x', { cn: ['A'], sn: ['S'] }), done(0))), /sn is absent, with slapd \["S"\]/);
  t.regex(only(answer(entry('uid=a,dc=x', { cn: ['a'] }), done(0))), /cn is \["A"\], with slapd \["a"\]/);
  t.regex(only(answer(entry('uid=a,dc=x', { cn: ['A', 'A'] }), done(0))), /cn is/);
});

test('values of an attribute that was written are left out, but not whether it is there', (t) => {
  const written = new Set(['mobile']);
  const mobile = (...values: readonly string[]) => answer(entry('uid=a,dc=x', { mobile: values }), done(0));
  t.deepEqual(differences(mobile('1'), mobile('2'), written), []);
  t.is(differences(mobile('1'), answer(entry('uid=a,dc=x', {}), done(0)), written).length, 1);
});

test('no answer at all is a difference', (t) => {
  t.is(differencesOf(request, answer(done(0)), undefined).length, 1);
});
