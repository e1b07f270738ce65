// `npm run test:reference`: every control, extended operation and mechanism, tried with ldap-utils on Atrium and on Debian's slapd. With words behind
// it, only the cases whose lines hold one of them.
import { installPrograms } from '../../gate/install.ts';
import { cases } from './cases.ts';
import { caseLine, compareAll } from './compare.ts';
import { startWorlds } from './worlds.ts';

const words = process.argv.slice(2);
installPrograms();
const chosen = cases.filter(({ of, title }) => words.length === 0 || words.some((word) => `${of}: ${title}`.includes(word)));
const total = { same: 0, different: 0, failed: 0 };

await using worlds = await startWorlds();
await compareAll(worlds, chosen, (compared) => {
  total[compared.fault !== undefined ? 'failed' : compared.differing.length > 0 ? 'different' : 'same']++;
  process.stdout.write(`${caseLine(compared)}\n`);
});
process.exitCode = total.failed > 0 || chosen.length === 0 ? 1 : 0;
process.stdout.write(`${total.same} the same, ${total.different} different as it is written down, ${total.failed} failed\n`);
