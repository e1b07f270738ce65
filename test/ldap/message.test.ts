import test from 'ava';
import fc from 'fast-check';
import {
  createWriter,
  decodeAttributes,
  decodeMessage,
  encodeAttributes,
  encodeMessage,
  type Message,
  readFrame,
  resultCodes,
  resultName,
  walkAttributes,
  walkValues,
} from '#ldap';
import { holds } from '../support/holds.ts';
import { attribute, controls, message, text } from './arbitraries.ts';

const limits = { depthMax: 20 };
const frameLimits = { messageOctetsMax: 1_000_000 };
const hex = (octets: string) => new Uint8Array(Buffer.from(octets.replaceAll(' ', ''), 'hex'));
const utf8 = (one: string) => new TextEncoder().encode(one);

/** Octets by hand from RFC 4511's ASN.1; each is what its operation looks like on the wire. */
const wire: readonly [title: string, octets: string, message: Message][] = [
  [
    'RFC 4511 §4.2: a simple bind',
    '30 16 02 01 01 60 11 02 01 03 04 04 64 63 3d 61 80 06 73 65 63 72 65 74',
    {
      messageId: 1,
      op: { kind: 'bindRequest', version: 3, name: 'dc=a', authentication: { kind: 'simple', password: utf8('secret') } },
      controls: [],
    },
  ],
  [
    'RFC 4511 §4.2: a SASL bind names its mechanism and may lack credentials',
    '30 14 02 01 02 60 0f 02 01 03 04 00 a3 08 04 06 50 4c 41 49 4e 21',
    {
      messageId: 2,
      op: { kind: 'bindRequest', version: 3, name: '', authentication: { kind: 'sasl', mechanism: 'PLAIN!' } },
      controls: [],
    },
  ],
  ['RFC 4511 §4.3: unbind is [APPLICATION 2] NULL', '30 05 02 01 03 42 00', { messageId: 3, op: { kind: 'unbindRequest' }, controls: [] }],
  [
    'RFC 4511 §4.11: abandon is [APPLICATION 16] and the number of a message',
    '30 06 02 01 06 50 01 05',
    { messageId: 6, op: { kind: 'abandonRequest', messageId: 5 }, controls: [] },
  ],
  [
    'RFC 4511 §4.8: delete is the DN alone, here with a control of which nothing but the OID is given',
    '30 15 02 01 04 4a 04 64 63 3d 61 a0 0a 30 08 04 06 31 2e 32 2e 33 34',
    { messageId: 4, op: { kind: 'delRequest', entry: 'dc=a' }, controls: [{ oid: '1.2.34', critical: false }] },
  ],
  [
    'RFC 4511 §4.4.1: the notice of disconnection is an extended response of message 0',
    '30 24 02 01 00 78 1f 0a 01 34 04 00 04 00 8a 16 31 2e 33 2e 36 2e 31 2e 34 2e 31 2e 31 34 36 36 2e 32 30 30 33 36',
    {
      messageId: 0,
      op: {
        kind: 'extendedResponse',
        result: { code: resultCodes.unavailable, matchedDN: '', diagnostic: '' },
        oid: '1.3.6.1.4.1.1466.20036',
      },
      controls: [],
    },
  ],
];

for (const [title, octets, expected] of wire) {
  test(title, (t) => {
    const bytes = hex(octets);
    t.deepEqual(decodeMessage(bytes, limits), { kind: 'message', message: expected });
    t.deepEqual(encodeMessage(expected), bytes);
  });
}

test('RFC 4511 §4: every message is read as it was written', (t) => {
  holds(
    t,
    fc.property(message, (one) => {
      const bytes = encodeMessage(one);
      t.deepEqual(readFrame(bytes, 0, frameLimits), { kind: 'whole', next: bytes.length });
      t.deepEqual(decodeMessage(bytes, limits), { kind: 'message', message: one });
    }),
  );
});

test('RFC 4511 §5.1: a frame that is cut anywhere asks for more, and is then found whole', (t) => {
  holds(
    t,
    fc.property(message, fc.nat(), (one, cut) => {
      const bytes = encodeMessage(one);
      t.deepEqual(readFrame(bytes.subarray(0, cut % bytes.length), 0, frameLimits), { kind: 'more' });
      t.is(decodeMessage(bytes.subarray(0, cut % bytes.length), limits).kind, 'bad');
    }),
  );
});

test('arbitrary octets are refused, never thrown at the caller', (t) => {
  holds(
    t,
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      t.true(['whole', 'more', 'bad'].includes(readFrame(bytes, 0, frameLimits).kind));
      t.true(['message', 'bad'].includes(decodeMessage(bytes, limits).kind));
    }),
    { numRuns: 1000 },
  );
});

test('a message of which octets were changed is decoded or refused, never thrown at the caller', (t) => {
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });
  holds(
    t,
    fc.property(message, changes, (one, changed) => {
      const bytes = encodeMessage(one);
      for (const [at, octet] of changed) bytes[at % bytes.length] = octet;
      t.true(['message', 'bad'].includes(decodeMessage(bytes, limits).kind));
    }),
    { numRuns: 1000 },
  );
});

test('RFC 4511 §4.1.1.1: what is bad tells the message and the operation as far as they were read', (t) => {
  const badName = hex('30 0b 02 01 07 63 06 04 04 ff fe fd fc');
  t.like(decodeMessage(badName, limits), { kind: 'bad', why: 'string is not UTF-8', messageId: 7, requestTag: 0x63 });
  t.like(decodeMessage(hex('30 05 02 01 09 5f 00'), limits), { kind: 'bad', messageId: 9, requestTag: 0x5f });
  t.deepEqual(decodeMessage(hex('30 03 02 01 09'), limits), { kind: 'bad', why: 'no operation', messageId: 9 });
});

test('RFC 4511 §4: trailing components that are not known are passed over', (t) => {
  const bytes = hex('30 0a 02 01 03 42 00 8f 03 01 02 03');
  t.deepEqual(decodeMessage(bytes, limits), { kind: 'message', message: { messageId: 3, op: { kind: 'unbindRequest' }, controls: [] } });
});

test('RFC 4511 §5.1: the indefinite form of length is refused', (t) => {
  t.deepEqual(readFrame(hex('30 80 02 01'), 0, frameLimits), { kind: 'bad', why: 'indefinite length' });
  t.is(readFrame(hex('30 85 01 00 00 00 00'), 0, frameLimits).kind, 'bad');
});

test('what cannot begin a message is refused at its first octet', (t) => {
  t.is(readFrame(utf8('GET / HTTP/1.1\r\n'), 0, frameLimits).kind, 'bad');
  t.is(readFrame(new Uint8Array(0), 0, frameLimits).kind, 'more');
});

test('a message beyond the limit is refused before its content has arrived', (t) => {
  t.deepEqual(readFrame(hex('30 82 03 e9'), 0, { messageOctetsMax: 1000 }), { kind: 'bad', why: 'message of 1005 octets' });
  t.is(readFrame(hex('30 82 03 e4'), 0, { messageOctetsMax: 1000 }).kind, 'more');
});

test('frames are found one behind the other', (t) => {
  const one = encodeMessage({ messageId: 1, op: { kind: 'unbindRequest' }, controls: [] });
  const both = Buffer.concat([one, one]);
  t.deepEqual(readFrame(both, one.length, frameLimits), { kind: 'whole', next: both.length });
});

test('a length that runs over the element around it is refused', (t) => {
  t.like(decodeMessage(hex('30 05 02 01 03 42 01'), limits), { kind: 'bad' });
  t.like(decodeMessage(hex('30 07 02 01 03 4a 05 64 63'), limits), { kind: 'bad', requestTag: 0x4a });
});

test('the writer gives the octets of encodeMessage for an entry whose attributes were encoded before', (t) => {
  holds(
    t,
    fc.property(fc.array(attribute, { maxLength: 6 }), text, fc.nat(), controls, (attributes, dn, messageId, listed) => {
      const op = { kind: 'searchResultEntry' as const, object: dn.toWellFormed(), attributes };
      const writer = createWriter(16);
      writer.searchResultEntry(messageId, utf8(dn), [encodeAttributes(attributes)], listed);
      t.deepEqual(writer.take(), encodeMessage({ messageId, op, controls: listed }));
      const half = attributes.length >> 1;
      writer.searchResultEntry(messageId, utf8(dn), [
        encodeAttributes(attributes.slice(0, half)),
        encodeAttributes(attributes.slice(half)),
      ]);
      t.deepEqual(writer.take(), encodeMessage({ messageId, op, controls: [] }));
    }),
  );
});

test('what the writer gave is not written over by what follows', (t) => {
  holds(
    t,
    fc.property(fc.array(message, { minLength: 2, maxLength: 8 }), (messages) => {
      const writer = createWriter(64);
      const taken = messages.map((one) => {
        writer.message(one);
        t.is(writer.length, encodeMessage(one).length);
        return writer.take();
      });
      t.deepEqual(taken, messages.map(encodeMessage));
      t.is(writer.length, 0);
    }),
  );
});

test('only what was given back is written over by what follows, however that is mixed with what was not', (t) => {
  const step = fc.record({ one: message, next: fc.constantFrom('keep', 'reuse', 'write and reuse') });
  holds(
    t,
    fc.property(fc.array(step, { minLength: 2, maxLength: 30 }), (steps) => {
      const writer = createWriter(256);
      const kept: { taken: Uint8Array; octets: Uint8Array }[] = [];
      for (const { one, next } of steps) {
        const octets = encodeMessage(one);
        writer.message(one);
        const taken = writer.take();
        t.deepEqual(taken, octets);
        if (next === 'keep') kept.push({ taken, octets });
        if (next === 'write and reuse') {
          // Something stands behind it already: then it is not given back.
          writer.message(one);
          writer.reuse(taken);
          const behind = writer.take();
          kept.push({ taken, octets }, { taken: behind, octets });
        }
        if (next === 'reuse') writer.reuse(taken);
        for (const each of kept) t.deepEqual(each.taken, each.octets);
      }
    }),
  );
});

test('octets that were given back are written over', (t) => {
  const writer = createWriter(256);
  const one = { messageId: 1, op: { kind: 'delRequest' as const, entry: 'cn=a' }, controls: [] };
  writer.message(one);
  const first = writer.take();
  writer.reuse(first);
  writer.message(one);
  const second = writer.take();
  t.is(second.byteOffset, first.byteOffset);
  t.is(second.buffer, first.buffer);
});

test('attributes are walked over without decoding them', (t) => {
  holds(
    t,
    fc.property(fc.array(attribute, { maxLength: 6 }), (attributes) => {
      const bytes = encodeAttributes(attributes);
      t.deepEqual(decodeAttributes(bytes), attributes);
      const walked: unknown[] = [];
      walkAttributes(bytes, (start, end, from, to, valuesStart, valuesEnd) => {
        const values: Uint8Array[] = [];
        walkValues(bytes, valuesStart, valuesEnd, (a, b) => values.push(bytes.slice(a, b)));
        const description = Buffer.from(bytes.subarray(from, to)).toString();
        t.deepEqual(decodeAttributes(bytes.slice(start, end)), [{ description, values }]);
        walked.push({ description, values });
      });
      t.deepEqual(walked, attributes);
    }),
  );
});

test('octets that are no attributes are a defect of the caller, and thrown', (t) => {
  t.throws(() => walkAttributes(hex('30 05 04 01'), () => {}));
  t.throws(() => decodeAttributes(hex('30 05 04 01')));
});

test('result codes have the names of RFC 4511 §4.1.9', (t) => {
  t.is(resultName(49), 'invalidCredentials');
  t.is(resultName(50), 'insufficientAccessRights');
  t.is(resultName(12345), '12345');
});

test('RFC 4511 §4.1.1.1: a number is neither negative, nor empty, nor beyond maxInt', (t) => {
  t.like(decodeMessage(hex('30 05 02 01 ff 42 00'), limits), { kind: 'bad', why: 'negative integer' });
  t.like(decodeMessage(hex('30 04 02 00 42 00'), limits), { kind: 'bad', why: 'integer of 0 octets' });
  t.like(decodeMessage(hex('30 09 02 05 01 00 00 00 00 42 00'), limits), { kind: 'bad', why: 'integer of 5 octets' });
  t.is(decodeMessage(hex('30 08 02 04 7f ff ff ff 42 00'), limits).kind, 'message');
});
