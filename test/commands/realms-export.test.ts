import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';

function folderOf(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-realms-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function tool(t: ExecutionContext, dataDir: string) {
  const well = async (...args: string[]) => {
    const { status, stdout, stderr } = await runCli(args, testEnvironment(dataDir));
    t.is(status, 0, `${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  };
  return { well };
}

test('an export has all realms, one inside another’s tree too; an import of it makes the same directory, and doctor finds nothing', async (t) => {
  const base = folderOf(t);
  const [first, second] = [join(base, 'first'), join(base, 'second')];
  await (await startTestAtrium({ dataDir: first })).stop();
  const { well } = tool(t, first);
  await well('realm', 'create', 'acme', '--name', 'Acme Ltd');
  await well('realm', 'create', 'sub', '--domain', 'sub.example.com');
  await well('person', 'add', 'ada', '--realm', 'acme', '--generate');
  await well('person', 'add', 'ada', '--realm', 'sub');
  const whole = join(base, 'whole.ldif');
  await well('export', '--operational', '--secrets', whole);
  const text = readFileSync(whole, 'utf8');
  for (const dn of ['o=acme', 'uid=ada,ou=people,o=acme', 'uid=ada,ou=people,dc=sub,dc=example,dc=com'])
    t.is(text.split('\n').filter((line) => line === `dn: ${dn}`).length, 1, dn);
  t.regex(await well('doctor'), /All is sound/);

  const other = tool(t, second);
  await other.well('import', whole);
  const again = join(base, 'again.ldif');
  await other.well('export', '--operational', '--secrets', again);
  t.is(readFileSync(again, 'utf8'), text);
  t.regex(await other.well('realm', 'list'), /acme +o=acme +Acme Ltd/);
  await other.well('doctor');

  const kept = join(base, 'kept.sqlite');
  await other.well('backup', kept);
  const third = tool(t, join(base, 'third'));
  await third.well('restore', kept);
  t.is(await third.well('realm', 'list'), await other.well('realm', 'list'));

  await using running = await startTestAtrium({ dataDir: second });
  const live = join(base, 'live.ldif');
  await other.well('export', live);
  const dns = (path: string) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('dn: '))
      .toSorted();
  t.deepEqual(dns(live), dns(whole));
  t.truthy(running.suffix);
});
