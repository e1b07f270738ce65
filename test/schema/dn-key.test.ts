import test from 'ava';
import fc from 'fast-check';
import { compareBytes, utf8 } from '#base';
import { type Dn, parseDn } from '#ldap';
import { isDirectlyBelow, isWithin, keysAbove, keysBelow, normalizeDn, normalizeRdn, parentKey } from '#schema';
import { holds } from '../support/holds.ts';
import { readTestSchema } from '../support/schema.ts';

const schema = readTestSchema();

function key(dn: Dn): Uint8Array {
  const found = normalizeDn(schema, dn);
  if (found === undefined) throw new Error('no key');
  return found;
}

/** Values with the octets that mean something in keys, and few enough of them that equal names come up. */
const value = fc.array(fc.constantFrom('a', 'B', ' ', '=', ',', '+'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
const octets = fc.uint8Array({ minLength: 1, maxLength: 4, max: 4 });
const assertion = fc.oneof(
  fc.record({ type: fc.constantFrom('cn', 'CN', '2.5.4.3', 'uid', 'ou'), value: value.map(utf8) }),
  // Compared octet by octet, so that every octet reaches the key.
  fc.record({ type: fc.constant('nisPublicKey'), value: octets }),
);
const rdn = fc.uniqueArray(assertion, { minLength: 1, maxLength: 2, selector: ({ type }) => schema.attributeType(type)?.key });
const dn = fc.array(rdn, { maxLength: 4 });

test('directly below a name stands whose superior it is, and nobody else', (t) => {
  holds(
    t,
    fc.property(dn, dn, rdn, (one, other, first) => {
      const [parent, elsewhere] = [key(one), key(other)];
      const child = key([first, ...one]);
      return (
        isDirectlyBelow(child, parent) &&
        !isDirectlyBelow(parent, parent) &&
        !isDirectlyBelow(key([first, first, ...one]), parent) &&
        isDirectlyBelow(elsewhere, parent) === (elsewhere.length > 0 && compareBytes(parentKey(elsewhere) ?? child, parent) === 0)
      );
    }),
  );
});

test('all below a name, and nothing else, begin with its key and the end of a level', (t) => {
  holds(
    t,
    fc.property(dn, dn, (above, other) => {
      const base = key(above);
      const below = [...other, ...above];
      if (!isWithin(key(below), base)) return false;
      const { from, before } = keysBelow(base);
      const inRange = (one: Uint8Array) =>
        one.length > 0 && (above.length === 0 || compareBytes(one, from) >= 0) && (before === undefined || compareBytes(one, before) < 0);
      return other.length === 0 ? Buffer.compare(key(below), base) === 0 : inRange(key(below));
    }),
    { numRuns: 500 },
  );
});

test('a name is within another exactly when the other is its end, level by level', (t) => {
  holds(
    t,
    fc.property(dn, dn, (one, other) => {
      const levels = (name: Dn) => name.map((each) => Buffer.from(normalizeRdn(schema, each) ?? []).toString('hex'));
      const [a, b] = [levels(one), levels(other)];
      const isEnd = b.length <= a.length && a.slice(a.length - b.length).join() === b.join();
      return isWithin(key(one), key(other)) === isEnd;
    }),
    { numRuns: 1000 },
  );
});

test('the key of a child leads to that of its superior, and its level is the key of its RDN', (t) => {
  holds(
    t,
    fc.property(rdn, dn, (own, above) => {
      const level = normalizeRdn(schema, own);
      if (level === undefined) return false;
      const child = key([own, ...above]);
      const parent = parentKey(child);
      if (parent === undefined || compareBytes(parent, key(above)) !== 0) return false;
      return (
        compareBytes(child.subarray(child.length - level.length), level) === 0 &&
        child.length === level.length + (above.length > 0 ? parent.length + 1 : 0)
      );
    }),
  );
});

test('the root has no superior, and its key no octets', (t) => {
  t.is(key([]).length, 0);
  t.is(parentKey(key([])), undefined);
});

test('a name of unknown or unnameable types has no key', (t) => {
  t.is(normalizeDn(schema, [[{ type: 'nonsense', value: utf8('x') }]]), undefined);
  t.is(normalizeDn(schema, [[{ type: 'jpegPhoto', value: utf8('x') }]]), undefined);
});

test('the keys above an entry lead from a base down to its superior', (t) => {
  const keyOf = (text: string) => normalizeDn(schema, parseDn(text) ?? []) ?? new Uint8Array(0);
  const key = keyOf('uid=ada,ou=people,dc=example,dc=com');
  t.deepEqual([...keysAbove(key, keyOf('dc=example,dc=com'))], ['dc=example,dc=com', 'ou=people,dc=example,dc=com'].map(keyOf));
  t.deepEqual([...keysAbove(key, key)], []);
  t.deepEqual([...keysAbove(key, keyOf('dc=org'))], []);
});

test('RFC 4512 §2.3: an RDN that names a type twice is none, by whatever name', (t) => {
  for (const text of ['uid=a+uid=a', 'uid=a+uid=b', 'cn=a+2.5.4.3=b', 'cn=a+sn=b+commonName=c'])
    t.is(normalizeDn(schema, parseDn(`${text},dc=com`) ?? []), undefined);
  t.not(normalizeDn(schema, parseDn('cn=a+sn=a,dc=com') ?? []), undefined);
});
