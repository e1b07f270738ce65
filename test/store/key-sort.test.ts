import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { createKeySorter } from '../../src/store/load/sort.ts';

// Few octets and many rows, so that keys repeat, agree in long beginnings and are each other's beginnings.
const key = fc.oneof(
  fc.uint8Array({ maxLength: 3, max: 2 }),
  fc.uint8Array({ minLength: 0, maxLength: 9, max: 1 }),
  fc.constantFrom('inetOrgPerson', 'inetOrgPersonal', 'inetOrgPerson\0').map((text) => new Uint8Array(Buffer.from(text))),
  fc.uint8Array({ maxLength: 20 }),
);

test('rows come out by attribute, key and id, each once, whether they fitted into memory or went to files', (t) => {
  let spilled = 0;
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), key, fc.integer({ min: 0, max: 2 })), { maxLength: 200, size: 'max' }),
      fc.constantFrom(1, 400, 1_000_000),
      (rows, budget) => {
        const folder = mkdtempSync(join(tmpdir(), 'atrium-sort-'));
        try {
          const sorter = createKeySorter(folder, budget);
          const given: [number, string, number][] = [];
          let id = 1;
          for (const [attribute, octets, step] of rows) {
            id += step;
            sorter.add(attribute, octets, id);
            given.push([attribute, Buffer.from(octets).toString('latin1'), id]);
          }
          const got: string[] = [];
          sorter.drain((attribute, octets, number) => got.push(`${attribute} ${Buffer.from(octets).toString('latin1')} ${number}`));
          // Latin-1 text compares as its octets do.
          given.sort(([a, k, i], [b, l, j]) => a - b || (k < l ? -1 : k > l ? 1 : i - j));
          const wanted = [...new Set(given.map((row) => row.join(' ')))];
          if (budget < 1000 && rows.length > 20) spilled++;
          return got.join('\n') === wanted.join('\n');
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      },
    ),
    { numRuns: 100 },
  );
  t.true(spilled > 10);
});
