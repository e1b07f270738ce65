import test from 'ava';
import fc from 'fast-check';
import { readTap } from './tap.ts';

const said = `TAP version 13
ok 1 - store › commit › all or nothing
ok 2 - ldapsearch reads it # SKIP
not ok 3 - decide › first use enrols
  ---
    name: AssertionError
    message: msg
  ...
not ok 4 - test/web/pages.test.ts exited with a non-zero exit code: 1
ok 5 - last

1..5
# tests 5
# fail 2
`;

test('passed, failed and skipped tests are counted, and failed ones told with their details, however the output is cut', (t) => {
  fc.assert(
    fc.property(fc.array(fc.nat(said.length), { maxLength: 8 }), (cuts) => {
      const failed: [string, readonly string[]][] = [];
      const tap = readTap((title, details) => failed.push([title, details]));
      const at = [0, ...cuts.toSorted((a, b) => a - b), said.length];
      for (let i = 1; i < at.length; i++) tap.push(said.slice(at[i - 1], at[i]));
      t.deepEqual(tap.end(), { passed: 2, failed: 2, skipped: 1 });
      t.deepEqual(failed, [
        ['decide › first use enrols', ['    name: AssertionError', '    message: msg']],
        ['test/web/pages.test.ts exited with a non-zero exit code: 1', []],
      ]);
    }),
  );
});
