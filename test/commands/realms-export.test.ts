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

test('an export of all realms of a stopped folder has them, one inside another’s tree too; an import of it makes the same directory, and doctor finds nothing', async (t) => {
  const base = folderOf(t);
  const [first, second] = [join(base, 'first'), join(base, 'second')];
  await (await startTestAtrium({ dataDir: first })).stop();
  const { well } = tool(t, first);
  await well('realm', 'create', 'acme', '--name', 'Acme Ltd');
  await well('realm', 'create', 'sub', '--domain', 'sub.example.com');
  await well('person', 'add', 'ada', '--realm', 'acme', '--generate');
  await well('person', 'add', 'ada', '--realm', 'sub');
  const whole = join(base, 'whole.ldif');
  await well('export', '--all', '--operational', '--secrets', whole);
  const text = readFileSync(whole, 'utf8');
  for (const dn of ['o=acme', 'uid=ada,ou=people,o=acme', 'uid=ada,ou=people,dc=sub,dc=example,dc=com'])
    t.is(text.split('\n').filter((line) => line === `dn: ${dn}`).length, 1, dn);
  t.regex(await well('doctor'), /All is sound/);

  const other = tool(t, second);
  await other.well('import', whole);
  const again = join(base, 'again.ldif');
  await other.well('export', '--all', '--operational', '--secrets', again);
  t.is(readFileSync(again, 'utf8'), text);
  t.regex(await other.well('realm', 'list'), /acme +o=acme +Acme Ltd/);
  await other.well('doctor');

  const kept = join(base, 'kept.sqlite');
  await other.well('backup', kept);
  const third = tool(t, join(base, 'third'));
  await third.well('restore', kept);
  t.is(await third.well('realm', 'list'), await other.well('realm', 'list'));

  await using running = await startTestAtrium({ dataDir: second });
  const dns = (ldif: string) => ldif.split('\n').filter((line) => line.startsWith('dn: '));
  const each = await Promise.all(['default', 'acme', 'sub'].map((id) => other.well('realm', 'export', id)));
  const ofNone = dns(text).filter((dn) => /(cn=tasks|ou=realms),dc=example,dc=com$/.test(dn));
  t.deepEqual(
    [...each.flatMap(dns), ...ofNone].toSorted(),
    dns(text).toSorted(),
    'realm by realm it is the same, beside a running service',
  );
  t.is((await runCli(['export'], testEnvironment(second))).stdout, each[0] ?? '', 'the short spelling is of the default realm');
  const all = await runCli(['export', '--all'], testEnvironment(second));
  t.deepEqual([all.status, all.stdout], [2, '']);
  t.regex(all.stderr, /--all is for a stopped service/);
  t.truthy(running.suffix);
});
