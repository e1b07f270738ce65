import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { rules, type SpecRule } from './rules.ts';

const tests = join(import.meta.dirname, '..');

/** Rules whose test is not there, or no longer called so. */
function unheld(listed: readonly SpecRule[]): string[] {
  return listed.flatMap(({ source, held }) => {
    if (held === undefined) return [];
    const [file, title] = held;
    const path = join(tests, file);
    if (!existsSync(path)) return [`${source}: there is no ${file}`];
    return readFileSync(path, 'utf8').includes(title) ? [] : [`${source}: ${file} has no test called ${title}`];
  });
}

test('each rule of the specification that is said to be held has its test', (t) => {
  t.deepEqual(unheld(rules), []);
});

test('a rule whose test is gone is caught', (t) => {
  t.is(unheld([{ source: 'planted', rule: 'planted', held: ['spec/no-such.test.ts', 'a'] }]).length, 1);
  t.is(unheld([{ source: 'planted', rule: 'planted', held: ['spec/rules.ts', 'no such words, spelled '.concat('backwards')] }]).length, 1);
});

test('no rule is listed twice', (t) => {
  const sources = rules.map(({ source }) => source);
  t.is(new Set(sources).size, sources.length);
});

/** How many rules nothing holds yet. The number only falls. */
const openMax = 6;

test('rules that nothing holds yet become fewer', (t) => {
  t.true(rules.filter(({ held }) => held === undefined).length <= openMax);
});
