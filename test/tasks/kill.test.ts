import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { formatLdifRecord } from '#ldap';
import { testEnvironment } from '../support/atrium.ts';
import { runCli, startCli } from '../support/cli.ts';
import { generatePeople } from '../support/people.ts';

const suffix = 'dc=example,dc=com';

test('an import that kill -9 ends in the middle goes on with the next start where it was, and adds each entry once', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-tasks-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const environment = { ...testEnvironment(join(folder, 'data')), STS_TASKS_ENTRIES_AT_ONCE: '7' };
  const records = [...generatePeople({ count: 1000, seed: 5, suffix })];
  mkdirSync(join(folder, 'data', 'exchange'), { recursive: true });
  const file = join(folder, 'people.ldif');
  writeFileSync(file, records.map(formatLdifRecord).join(''));
  const first = startCli(['serve'], environment);
  await first.until('ready ');
  const importing = startCli(['realm', 'import', file], environment);
  const done = async () => {
    const { stdout } = await runCli(['search', '(objectClass=stsTask)', 'stsTaskDone', 'stsTaskEnded', 'cn'], environment);
    return {
      count: Number(/^stsTaskDone: (\d+)$/m.exec(stdout)?.[1] ?? 0),
      ended: /^stsTaskEnded/m.test(stdout),
      name: /^cn: (.*)$/m.exec(stdout)?.[1],
    };
  };
  let before = await done();
  while (before.count < 50) before = await done();
  t.false(before.ended, 'it was killed in the middle');
  first.child.kill('SIGKILL');
  await first.ended;
  t.not((await importing.ended).status, 0, 'whoever followed it is told');

  const second = startCli(['serve'], environment);
  t.teardown(() => second.child.kill('SIGKILL'));
  await second.until('ready ');
  const resumed = await runCli(['realm', 'import', '--resume', before.name ?? ''], environment);
  t.is(resumed.status, 0, resumed.stderr);
  t.regex(resumed.stderr, /the service ended in the middle; it goes on/);
  t.regex(resumed.stderr, new RegExp(`^${records.length.toLocaleString('en')} entries added$`, 'm'));
  second.child.kill('SIGTERM');
  await second.ended;

  const alone = { ...testEnvironment(join(folder, 'alone')) };
  t.is((await runCli(['realm', 'import', file], alone)).status, 0);
  const [one, other] = [await runCli(['realm', 'export', 'default'], environment), await runCli(['realm', 'export', 'default'], alone)];
  t.is(one.stdout, other.stdout, 'the same as in a folder of its own, at once');
  t.is((await runCli(['doctor'], environment)).status, 0);
});

test('Ctrl-C ends an import that a running service does, and takes back what it added', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-tasks-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const environment = { ...testEnvironment(join(folder, 'data')), STS_TASKS_ENTRIES_AT_ONCE: '1' };
  const file = join(folder, 'people.ldif');
  writeFileSync(file, [...generatePeople({ count: 1000, seed: 5, suffix })].map(formatLdifRecord).join(''));
  const service = startCli(['serve'], environment);
  t.teardown(() => service.child.kill('SIGKILL'));
  await service.until('ready ');
  const importing = startCli(['realm', 'import', file], environment);
  const found = async (filter: string, ...attributes: string[]) => (await runCli(['search', filter, ...attributes], environment)).stdout;
  while (!/^stsTaskDone: [1-9]/m.test(await found('(objectClass=stsTask)', 'stsTaskDone')));
  importing.child.kill('SIGINT');
  const { status, stderr } = await importing.ended;
  t.is(status, 130, stderr);
  t.regex(stderr, /the import is cancelled/);
  while ((await found('(objectClass=person)', '1.1')).match(/^dn:/gm)?.length !== 1);
  t.is(await found('(objectClass=stsTask)', '1.1'), '');
});
