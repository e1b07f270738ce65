import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { findProgram, withPrograms } from '../support/programs.ts';
import { proveEquality } from './prove.ts';

// The short form of `npm run equality`, which asks 100,000 and other ones each time. A gate asks the same of every commit.
const asked = { searches: 1000, people: 150, seed: 84_111 };

withPrograms(test, 'slapd')(
  'generated searches are answered as by a plain evaluation of all entries and as by slapd, with writes between them',
  async (t) => {
    t.timeout(300_000);
    const folder = mkdtempSync(join(tmpdir(), 'atrium-equality-'));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const proved = await proveEquality({ ...asked, folder, slapd: findProgram('slapd'), differencesMax: 1, progress: () => undefined });
    const { searches, people, seed } = asked;
    const again = `npm run equality -- --searches ${searches} --people ${people} --seed ${seed}`;
    t.deepEqual(proved.differences, [], again);
    t.is(proved.searches, searches);
    // A proof of nothing proves nothing: entries came, writes were carried out, most of it was held against slapd.
    t.true(proved.entries > searches && proved.carriedOut > proved.writes / 2, again);
    t.true(proved.slapd > searches / 2, again);
  },
);
