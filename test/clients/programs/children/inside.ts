// What runs in the copy of the machine: Atrium, what the page says, the program, and its test.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyStep, installHere, prepareMachine, runHere } from '../apply.ts';
import { readPage } from '../page.ts';
import { isProgram, rowOf } from '../programs.ts';
import { startRelay } from '../relay.ts';
import { step } from '../steps.ts';
import { startWorld } from '../world.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const [, , name = '', archives = ''] = process.argv;
if (!isProgram(name)) throw new Error(`no program is called ${name}`);
const program = rowOf(name);

prepareMachine(archives);
if (program.afresh !== undefined && existsSync(`/etc/${name}`)) await runHere('sh', ['-c', program.afresh]);
await program.before?.();
const record = process.env['LAB_RECORD'] ?? '';
{
  const settings = { STS_LDAP_WORKERS: process.env['LAB_WORKERS'] ?? '0', ...program.settings };
  await using world = await startWorld(['389', record === '' ? '636' : '1636'], settings);
  const tls = join(world.atrium.dataDir, 'tls');
  using relay =
    record === '' ? undefined : await startRelay(636, 389, { certFile: join(tls, 'server.pem'), keyFile: join(tls, 'server.key') });
  let done = true;
  for (const page of ['README', ...program.pages]) {
    done &&= await step(`docs/clients/${page}.md: what it says can be done`, async () => {
      for (const each of readPage(page)) await applyStep(each, world, root);
      if (page === program.pages.at(-1)) installHere(program.packages);
    });
  }
  const told = {
    ...world,
    heard: () =>
      relay &&
      writeFileSync(
        record,
        relay
          .recorded()
          .map((each) => `${JSON.stringify(each)}\n`)
          .join(''),
      ),
  };
  if (done) await (await program.test()).test(told, program.group);
}
process.stdout.write('end\n');
process.exit(0);
