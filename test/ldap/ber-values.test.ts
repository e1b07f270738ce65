import test from 'ava';
import { decodeBer, encodeBer } from '#ldap';

const limits = { depthMax: 10, filterItemsMax: 10 };

test('what is written is what is read, element by element', (t) => {
  const bytes = encodeBer((ber) =>
    ber.sequence(() => {
      ber.number(300);
      ber.enumerated(2);
      ber.boolean(true);
      ber.octets(Uint8Array.of(1, 2));
      ber.string('zwölf', 0x81);
      ber.filter({ kind: 'present', description: 'cn' });
      ber.sequence(() => {
        for (const each of ['a', 'b']) ber.string(each);
      }, 0xa2);
      ber.elements(encodeBer((inner) => inner.number(7)));
    }),
  );
  const value = decodeBer(bytes, (ber) =>
    ber.sequence(() => [
      ber.number(),
      ber.enumerated(),
      ber.boolean(),
      [...ber.octets()],
      ber.tag === 0x81 ? ber.string(0x81) : undefined,
      ber.filter(limits),
      ber.list(() => ber.string(), 0xa2),
      [...ber.element()],
    ]),
  );
  t.deepEqual(value, [300, 2, true, [1, 2], 'zwölf', { kind: 'present', description: 'cn' }, ['a', 'b'], [0x02, 0x01, 0x07]]);
});

test('octets that are not just what is read are no value', (t) => {
  const two = encodeBer((ber) => {
    ber.number(1);
    ber.number(2);
  });
  t.is(
    decodeBer(two, (ber) => ber.number()),
    undefined,
    'something follows',
  );
  const inner = encodeBer((ber) => ber.sequence(() => ber.elements(two)));
  t.is(
    decodeBer(inner, (ber) => ber.sequence(() => ber.number())),
    undefined,
    'something follows within',
  );
  for (let octets = 0; octets < inner.length; octets++) {
    t.is(
      decodeBer(inner.subarray(0, octets), (ber) => ber.list(() => ber.number())),
      undefined,
      `cut off after ${octets}`,
    );
  }
  t.is(
    decodeBer(Uint8Array.of(), (ber) => ber.element()),
    undefined,
  );
  t.is(
    decodeBer(Uint8Array.of(0x04, 0x01, 0xff), (ber) => ber.string()),
    undefined,
    'no UTF-8',
  );
});

test('a defect of who reads is no bad value', (t) => {
  t.throws(() =>
    decodeBer(Uint8Array.of(0x02, 0x01, 0x07), () => {
      throw new Error('a defect');
    }),
  );
});
