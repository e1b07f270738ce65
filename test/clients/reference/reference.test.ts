import test from 'ava';
import { withPrograms } from '../../support/programs.ts';
import { subjects, words } from './case.ts';
import { cases } from './cases.ts';
import { caseLine, compareAll, faultOf } from './compare.ts';
import type { Told } from './told.ts';
import { startWorlds } from './worlds.ts';

test('every control, extended operation and mechanism that has a name has cases', (t) => {
  const tried = new Set(cases.map(({ of }) => of));
  t.deepEqual(
    subjects.filter((subject) => !tried.has(subject)),
    [],
  );
});

withPrograms(
  test,
  'ldapsearch',
  'slapd',
  'openssl',
)(
  'ldap-utils are answered by Atrium as by slapd, but for what docs/slapd-differences.md says, whatever control, extended operation or mechanism they use',
  async (t) => {
    t.timeout(300_000);
    await using worlds = await startWorlds();
    const faults: string[] = [];
    let compared = 0;
    await compareAll(worlds, cases, (each) => {
      compared++;
      if (each.fault !== undefined) faults.push(caseLine(each));
    });
    t.deepEqual(faults, []);
    t.is(compared, cases.length);
  },
);

test('a difference that no row explains is a fault, and so is a row that explains none, or other codes', (t) => {
  const told: Told = { code: 0, matchedDN: '', text: '', entries: [], controls: [], said: [] };
  const refused: Told = { ...told, code: 32 };
  const made = { of: 'sorting', title: '', tool: 'ldapsearch' } as const;
  const row = ['sorting', 'any number of entries'] as const;
  t.is(faultOf(made, told, told, []), undefined);
  t.regex(faultOf(made, told, refused, ['code']) ?? '', /no row/);
  t.regex(faultOf({ ...made, differs: { row: ['sorting', 'nothing of the kind'] } }, told, refused, ['code']) ?? '', /has no row/);
  t.regex(faultOf({ ...made, differs: { row } }, told, told, []) ?? '', /does not/);
  t.regex(faultOf({ ...made, differs: { row } }, told, refused, ['code']) ?? '', /codes/);
  t.regex(faultOf({ ...made, differs: words }, told, told, ['text', 'entries']) ?? '', /more than the words/);
  t.is(faultOf({ ...made, differs: { row, codes: { atrium: 0, slapd: 32 } } }, told, refused, ['code']), undefined);
  t.is(faultOf({ ...made, differs: words }, told, told, ['text']), undefined);
});
