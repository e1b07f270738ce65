import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import test from 'ava';
import { codes, csrf, open, post, send } from './house.ts';

const form = `csrf=${csrf.issue('me')}&name=Ada`;
const bomb = Buffer.alloc(6 * 1024 * 1024, 'a');

for (const [encoding, compress] of [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const) {
  test(`a form compressed with ${encoding} is read`, async (t) => {
    const { port } = await open(t);
    const answer = await post(port, compress(form), [`Content-Encoding: ${encoding}`]);
    t.is(answer.status, 200);
    t.true(answer.body.includes('<h1>taken Ada</h1>'));
  });

  test(`STS-HTTP-0004: a ${encoding} bomb is refused with 413 although it is small on the way`, async (t) => {
    const house = await open(t);
    const octets = compress(bomb);
    t.true(octets.length < 100_000);
    t.is((await post(house.port, octets, [`Content-Encoding: ${encoding}`])).status, 413);
    t.deepEqual(codes(house), ['STS-HTTP-0004']);
    t.is((await post(house.port, form)).status, 200);
  });

  test(`STS-HTTP-0013: ${encoding} that is cut off or no ${encoding} at all is refused with 400`, async (t) => {
    const house = await open(t);
    const octets = compress(form.repeat(20));
    t.is((await post(house.port, octets.subarray(0, octets.length - 9), [`Content-Encoding: ${encoding}`])).status, 400);
    t.is((await post(house.port, 'this is plain text', [`Content-Encoding: ${encoding}`])).status, 400);
    t.deepEqual(codes(house), ['STS-HTTP-0013', 'STS-HTTP-0013']);
  });
}

test('STS-HTTP-0004: a body over 5 MB is refused with 413, by its length or by counting', async (t) => {
  const house = await open(t);
  t.is((await post(house.port, bomb)).status, 413);
  const chunk = Buffer.alloc(65_536, 'a');
  const chunks = Array.from({ length: 90 }, () => [Buffer.from('10000\r\n'), chunk, Buffer.from('\r\n')]).flat();
  const answer = await post(house.port, Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]), ['Transfer-Encoding: chunked']);
  t.is(answer.status, 413);
  t.is(answer.headers.get('connection'), 'close');
  t.deepEqual(codes(house), ['STS-HTTP-0004', 'STS-HTTP-0004']);
});

test('a body of exactly the limit is read', async (t) => {
  const { port } = await open(t, { settings: { 'http.bodyOctetsMax': 2000 } });
  const padded = `${form}&pad=${'a'.repeat(2000 - form.length - 5)}`;
  t.is(padded.length, 2000);
  t.is((await post(port, padded)).status, 200);
  t.is((await post(port, `${padded}a`)).status, 413);
});

for (const header of [
  'Content-Type: application/x-www-form-urlencoded; charset=iso-8859-1',
  'Content-Encoding: zstd',
  'Content-Encoding: gzip, gzip',
]) {
  test(`STS-HTTP-0012: ${header} is not read and refused with 415`, async (t) => {
    const house = await open(t);
    t.is((await post(house.port, form, [header])).status, 415);
    t.deepEqual(codes(house), ['STS-HTTP-0012']);
  });
}

test('charset=utf-8 is read, in capitals and quotes too', async (t) => {
  const { port } = await open(t);
  t.is((await post(port, form, ['Content-Type: application/x-www-form-urlencoded; charset="UTF-8"'])).status, 200);
});

test('a body of another media type is refused with 415', async (t) => {
  const house = await open(t);
  t.is((await post(house.port, '{}', ['Content-Type: application/json'])).status, 415);
  t.deepEqual(codes(house), ['STS-HTTP-9004']);
});

test('STS-HTTP-0013: a body shorter than its Content-Length is refused with 400', async (t) => {
  const house = await open(t);
  t.is((await post(house.port, form, [`Content-Length: ${form.length + 10}`], { end: true })).status, 400);
  t.deepEqual(codes(house), ['STS-HTTP-0013']);
});

test('STS-HTTP-0013: a chunked body that breaks off or is no chunk is refused with 400', async (t) => {
  const house = await open(t);
  t.is((await post(house.port, '5\r\nname=\r\n', ['Transfer-Encoding: chunked'], { end: true })).status, 400);
  t.is((await post(house.port, 'zz\r\nname=\r\n', ['Transfer-Encoding: chunked'])).status, 400);
  t.deepEqual(codes(house), ['STS-HTTP-0013', 'STS-HTTP-0013']);
});

test('both Content-Length and Transfer-Encoding are refused: two readers would see two requests', async (t) => {
  const { port } = await open(t);
  t.is((await post(port, '0\r\n\r\n', ['Transfer-Encoding: chunked', 'Content-Length: 5'])).status, 400);
});

test('a form of more fields than http.formFieldsMax, or not in UTF-8, is refused with 400', async (t) => {
  const house = await open(t, { settings: { 'http.formFieldsMax': 10 } });
  t.is((await post(house.port, `${form}${'&a=1'.repeat(8)}`)).status, 200);
  t.is((await post(house.port, `${form}${'&a=1'.repeat(9)}`)).status, 400);
  t.is((await post(house.port, Uint8Array.of(0x61, 0x3d, 0xff))).status, 400);
  t.deepEqual(codes(house), ['STS-HTTP-9006', 'STS-HTTP-9006']);
});

test('STS-HTTP-0015 and 0016: a form without a token, or with the token of another, is told so to its handler', async (t) => {
  const house = await open(t);
  for (const token of ['', `csrf=${csrf.issue('another')}&`, 'csrf=!!&']) {
    const answer = await post(house.port, `${token}name=Ada`);
    t.true(answer.body.includes('<h1>refused Ada</h1>'), token);
  }
  t.deepEqual(codes(house), ['STS-HTTP-0015', 'STS-HTTP-0016', 'STS-HTTP-0016']);
});

test('what a handler is given is escaped in the page', async (t) => {
  const { port } = await open(t);
  const answer = await post(port, `csrf=${csrf.issue('me')}&name=${encodeURIComponent(`<script>"'&\``)}`);
  t.true(answer.body.includes('taken &lt;script&gt;&quot;&#39;&amp;&#96;'));
});

test('STS-HTTP-0004: compressed octets that come to nothing are counted as they arrive', async (t) => {
  const house = await open(t);
  // Empty stored blocks (RFC 1951 §3.2.4): five octets each, for no output at all.
  const header = gzipSync('').subarray(0, 10);
  const blocks = Buffer.alloc(65_535, Buffer.from('000000ffff', 'hex'));
  const chunk = (octets: Buffer) => Buffer.concat([Buffer.from(`${octets.length.toString(16)}\r\n`), octets, Buffer.from('\r\n')]);
  const body = Buffer.concat([chunk(header), ...Array.from({ length: 85 }, () => chunk(blocks)), Buffer.from('0\r\n\r\n')]);
  t.is((await post(house.port, body, ['Content-Encoding: gzip', 'Transfer-Encoding: chunked'])).status, 413);
  t.deepEqual(codes(house), ['STS-HTTP-0004']);
});

test('a client that sends all before it reads gets to read why its body was refused', async (t) => {
  const { port } = await open(t);
  const head = 'POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000000\r\n\r\n';
  const answer = await send(port, [head, ...Array.from({ length: 50 }, () => Buffer.alloc(100_000))], { writeFirst: true });
  t.is(answer.status, 404);
  t.is(answer.headers.get('connection'), 'close');
});
