import test from 'ava';
import { utf8 } from '#base';
import { Refusal } from '#catalogue';
import { checkKek, constantTimeEqual, hmacSha256, keysErrors, sha256 } from '#keys';

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

test('FIPS 180-4: SHA-256 of "abc"', (t) => {
  t.is(hexOf(sha256('abc')), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  t.deepEqual(sha256(utf8('abc')), sha256('abc'));
});

// RFC 4231 §4.2, §4.3 and §4.7, whose key is longer than a block.
const vectors: readonly [key: Uint8Array, data: string, mac: string][] = [
  [new Uint8Array(20).fill(0x0b), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  [utf8('Jefe'), 'what do ya want for nothing?', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
  [
    new Uint8Array(131).fill(0xaa),
    'Test Using Larger Than Block-Size Key - Hash Key First',
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  ],
];
for (const [key, data, mac] of vectors) {
  test(`RFC 4231: HMAC-SHA-256 of "${data}"`, (t) => t.is(hexOf(hmacSha256(key, data)), mac));
}

test('constantTimeEqual compares octets and answers for different lengths too', (t) => {
  t.true(constantTimeEqual(utf8('abc'), utf8('abc')));
  t.false(constantTimeEqual(utf8('abc'), utf8('abd')));
  t.false(constantTimeEqual(utf8('abc'), utf8('ab')));
  t.true(constantTimeEqual(utf8(''), utf8('')));
});

test('STS-KEYS-0002: a key-encryption key that is empty or under 32 bytes is refused', (t) => {
  for (const kek of ['', 'x'.repeat(31)]) {
    const refusal = t.throws(() => checkKek(kek, 'product'), { instanceOf: Refusal });
    t.is(refusal?.row, keysErrors.kekTooShort);
  }
  t.notThrows(() => checkKek('x'.repeat(32), 'product'));
  t.notThrows(() => checkKek('é'.repeat(16), 'product'), 'bytes are counted, not characters');
});

test('development mode starts without a key-encryption key, but not with a short one', (t) => {
  t.notThrows(() => checkKek('', 'development'));
  t.throws(() => checkKek('short', 'development'), { instanceOf: Refusal });
});
