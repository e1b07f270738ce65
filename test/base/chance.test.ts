import test from 'ava';
import { systemChance } from '#base';

test('octets of chance: as many as are asked for, none of them twice, and whoever has some changes nobody else’s', (t) => {
  const counts = Array.from({ length: 4000 }, (_, at) => (at % 37 === 0 ? 5000 : 16 + (at % 50)));
  const given = counts.map((count) => systemChance.octets(count));
  t.deepEqual(
    given.map(({ length }) => length),
    counts,
  );
  // Sixteen in a row that come again by chance: in none of the lives of this universe.
  const seen = new Set<string>();
  for (const octets of given)
    for (let at = 0; at + 16 <= Math.min(octets.length, 96); at += 16) seen.add(Buffer.from(octets.subarray(at, at + 16)).toString('hex'));
  t.is(
    seen.size,
    counts.reduce((sum, count) => sum + Math.floor(Math.min(count, 96) / 16), 0),
  );
  const [mine, others] = [systemChance.octets(16), systemChance.octets(16)];
  const before = Buffer.from(others);
  mine.fill(1);
  t.deepEqual(Buffer.from(others), before);
  t.is(others.buffer.byteLength, 16);
});
