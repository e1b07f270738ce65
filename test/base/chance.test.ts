import test from 'ava';
import { typedToken } from '#base';

test('what people type begins with a letter, whatever chance gives: no command takes it for an option', (t) => {
  const begins = (first: number) => typedToken({ octets: (count) => new Uint8Array(count).fill(0xff).with(0, first) }, 9);
  for (let first = 0; first < 256; first++) t.regex(begins(first), /^[A-Za-z][\w-]{11}$/);
  t.is(new Set(Array.from({ length: 128 }, (_, first) => begins(first))).size, 128, 'one bit goes, and no more');
});
