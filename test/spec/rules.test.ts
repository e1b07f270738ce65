import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { countRules, laterSubjects, type SpecRule, type Standing } from './rule.ts';
import { rules, signinRules } from './rules.ts';

const tests = join(import.meta.dirname, '..');

/** Rules whose test is not there, or no longer called so; that wait for what nothing may wait for; that are open and do not say why. */
function unheld(listed: readonly SpecRule[]): string[] {
  return listed.flatMap(({ source, standing }) => {
    if (standing.kind === 'later') {
      return laterSubjects.includes(standing.subject) ? [] : [`${source}: ${standing.subject} is nothing that a rule may wait for`];
    }
    if (standing.kind === 'open') return standing.why === '' ? [`${source}: does not say why it is open`] : [];
    const path = join(tests, standing.file);
    if (!/\.test\.ts$/.test(standing.file) || !existsSync(path)) return [`${source}: there is no test ${standing.file}`];
    const isThere = standing.title !== '' && readFileSync(path, 'utf8').includes(standing.title);
    return isThere ? [] : [`${source}: ${standing.file} has no test called ${standing.title}`];
  });
}

test('each rule of the specification that is said to be held has its test, and only what belongs to a following part is later', (t) => {
  t.deepEqual(unheld(rules), []);
});

test('a rule whose test is gone is caught, and one that waits for anything else', (t) => {
  const planted: readonly Standing[] = [
    { kind: 'held', file: 'spec/no-such.test.ts', title: 'a' },
    { kind: 'held', file: 'spec/rules.test.ts', title: 'no such words, spelled '.concat('backwards') },
    { kind: 'held', file: 'spec/rules.test.ts', title: '' },
    { kind: 'held', file: 'spec/rules.ts', title: 'rules' },
    { kind: 'later', subject: 'some day' as never },
    { kind: 'open', why: '' },
  ];
  for (const standing of planted) t.is(unheld([{ source: 'planted', rule: 'planted', standing }]).length, 1, JSON.stringify(standing));
});

test('no rule is listed twice', (t) => {
  const seen = new Set<string>();
  t.deepEqual(
    rules.flatMap(({ source }) => (seen.size < seen.add(source).size ? [] : source)),
    [],
  );
});

/** How many rules nothing holds yet, of all the documents that are listed. The number only falls. */
const openMax = 36;

test('rules that nothing holds yet become fewer', (t) => {
  const { held, later, open } = countRules(rules);
  const ofSignin = countRules(signinRules);
  t.log(
    `document 1: ${ofSignin.held} held, ${ofSignin.later} later, ${ofSignin.open} open; all: ${held} held, ${later} later, ${open} open`,
  );
  t.true(open <= openMax);
});
