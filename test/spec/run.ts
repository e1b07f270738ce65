// `node test/spec/run.ts`: how many rules of the specification are held by a test, and which are open.
import { countRules } from './rule.ts';
import { rules, signinRules } from './rules.ts';

for (const { source, rule, standing } of rules) if (standing.kind === 'open') process.stdout.write(`${source}: ${rule}: ${standing.why}\n`);
for (const [name, of] of [
  ['document 1', signinRules],
  ['all', rules],
] as const) {
  const { held, later, open } = countRules(of);
  process.stdout.write(`${name}: ${held} held, ${later} later, ${open} open\n`);
}
