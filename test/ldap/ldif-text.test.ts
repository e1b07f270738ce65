import test from 'ava';
import fc from 'fast-check';
import { utf8 } from '#base';
import { createLdifText, encodeAttributes, formatLdifRecord } from '#ldap';
import { holds } from '../support/holds.ts';

// Lengths around the places where lines are folded, and octets that want base64.
const value = fc.oneof(
  fc.stringMatching(/^[ -~]{0,200}$/).map(utf8),
  fc.integer({ min: 60, max: 240 }).map((length) => utf8('x'.repeat(length))),
  fc.uint8Array({ maxLength: 120 }),
  fc.string().map(utf8),
);
const attribute = fc.record({
  description: fc.constantFrom('cn', 'cn;lang-de', 'description', 'jpegPhoto'),
  values: fc.array(value, { minLength: 1, maxLength: 4 }),
});

test('entries out of encoded octets are the same text as out of records', (t) => {
  const ldif = createLdifText(64);
  holds(
    t,
    fc.property(
      fc.array(fc.record({ dn: fc.string({ maxLength: 160 }), attributes: fc.array(attribute, { maxLength: 5 }) }), { maxLength: 4 }),
      (entries) => {
        let wanted = '';
        for (const { dn, attributes } of entries) {
          wanted += formatLdifRecord({ kind: 'content', line: 0, dn, attributes });
          ldif.entry(utf8(dn), encodeAttributes(attributes));
        }
        return Buffer.from(ldif.take()).toString('latin1') === wanted;
      },
    ),
    { numRuns: 1000 },
  );
});

test('entries that lie one behind the other are the same text as one by one', (t) => {
  const one = createLdifText(64);
  const many = createLdifText(64);
  const zero = Uint8Array.of(0);
  holds(
    t,
    fc.property(
      fc.array(fc.record({ dn: fc.stringMatching(/^[^\0]{1,100}$/), attributes: fc.array(attribute, { maxLength: 5 }) }), { maxLength: 4 }),
      (entries) => {
        const pieces: Uint8Array[] = [];
        for (const { dn, attributes } of entries) {
          one.entry(utf8(dn), encodeAttributes(attributes));
          pieces.push(utf8(dn), zero, encodeAttributes(attributes), zero);
        }
        const count = many.entries(Buffer.concat(pieces));
        const taken = many.take();
        const same = Buffer.from(taken).equals(one.take());
        many.reuse(taken.buffer);
        return same && count === entries.length;
      },
    ),
    { numRuns: 500 },
  );
});
