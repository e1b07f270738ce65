import test from 'ava';
import { relative } from '#web';

const nowMs = Date.parse('2026-11-21T12:00:00Z');
const rule: readonly [apartS: number, said: string][] = [
  [0, 'just now'],
  [-59, 'just now'],
  [-60, '1 min ago'],
  [-3000, '50 min ago'],
  [-3599, '1 h ago'],
  [-7200, '2 h ago'],
  [-86_400, '1 day ago'],
  [-200_000, '2 days ago'],
  [30, 'in 1 min'],
  [3600, 'in 1 h'],
  [172_800, 'in 2 days'],
];

for (const [apartS, said] of rule) {
  test(`a time ${apartS} s from now is "${said}"`, (t) => t.is(relative(nowMs + apartS * 1000, nowMs), said));
}
