import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { type Round, type SignInRun, shareOf, signInSection, withSignIns } from '../../bench/sign-ins-report.ts';

const round = (bare: number, password: number, code: number): Round => {
  const rate = (perS: number) => ({ perS, p50Ms: 1500, p99Ms: 1800, processorMs: 63, generatorMs: 1 });
  const delays = { pageP50Ms: 3, pageP99Ms: 9, searchP50Ms: 0.2, searchP99Ms: 2 };
  return {
    bare: { perS: bare, processorMs: 55 },
    withPassword: rate(password),
    withCode: rate(code),
    idle: delays,
    busy: delays,
    during: password,
  };
};
const machine = { cores: 2, processor: 'any', memoryGiB: 8, kernel: '6.1', fileSystem: 'ext4', node: 'v26.10.0', slapd: '2.5.13' };
const run = (rounds: readonly Round[]): SignInRun => ({
  format: 1,
  kind: 'sign-ins',
  date: '2026-11-22T05:00:00.000Z',
  commit: 'abc1234',
  changed: false,
  machine,
  people: 12_000,
  concurrent: 50,
  sampleS: 8,
  rounds,
});

test('the share of sign-ins is the median of the rounds’ shares, and the gate of 0.85 is reached from above', (t) => {
  const rounds = [round(40, 36, 32), round(20, 17, 17), round(40, 38, 33)];
  t.is(shareOf(rounds, 'withPassword'), 0.9);
  t.is(shareOf(rounds, 'withCode'), 0.825);
  const lines = signInSection(run(rounds)).split('\n');
  t.regex(lines.find((each) => each.startsWith('| password |')) ?? '', /\| 0\.9 \| 0\.85 \| yes \|/);
  t.regex(lines.find((each) => each.startsWith('| password and code')) ?? '', /\| 0\.825 \| 0\.85 \| \*\*no\*\* \|/);
});

test('sign-ins go between their marks of bench/README.md, and what stands around them stays', (t) => {
  const page = readFileSync(join(import.meta.dirname, '../../bench/README.md'), 'utf8');
  const once = withSignIns(page, run([round(40, 36, 36)]));
  t.true(once.includes('| password and code of an app | 36 | 40 | 0.9 |'));
  t.is(withSignIns(once, run([round(40, 36, 36)])), once);
  t.is(once.slice(once.indexOf('## Results')), page.slice(page.indexOf('## Results')));
  t.throws(() => withSignIns('a page without marks', undefined));
});
