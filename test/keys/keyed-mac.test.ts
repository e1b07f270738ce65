import test from 'ava';
import fc from 'fast-check';
import { utf8 } from '#base';
import { hmacSha256, keyedMac } from '#keys';

test('the name of a message under a key is its HMAC, whatever its length and whatever came before it', (t) => {
  const key = utf8('0123456789abcdef0123456789abcdef');
  const mac = keyedMac(key);
  const hold = (text: string, behind: Uint8Array) => {
    const whole = Buffer.concat([utf8(text), behind]);
    t.is(mac(text, behind), Buffer.from(hmacSha256(key, whole)).toString('latin1'));
  };
  hold('', new Uint8Array());
  hold('ü'.repeat(5000), utf8('x'.repeat(5000)));
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 600 }), fc.uint8Array({ maxLength: 600 }), hold));
});
