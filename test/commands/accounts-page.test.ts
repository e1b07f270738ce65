import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';

const root = join(import.meta.dirname, '../..');
const sections = ['Disabled', 'A time of its own', 'Deleted, and restored', 'Why somebody is not let in'];

/** The commands of a section of docs/accounts.md, as they stand there. */
function commandsOf(section: string): string[] {
  const page = readFileSync(join(root, 'docs/accounts.md'), 'utf8');
  const [, text = ''] = page.split(`\n## ${section}\n`);
  const own = text.split('\n## ')[0] ?? '';
  return [...own.matchAll(/^\$ atrium (.*)$/gm)].map(([, line = '']) => line);
}

test('the commands of docs/accounts.md do what they say, one after the other, in the demo realm', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-accounts-page-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const environment = testEnvironment(join(folder, 'data'));
  writeFileSync(join(folder, 'password.txt'), 'Correct-horse-8-battery\n');
  const imported = await runCli(['import', join(root, 'ldif/demo.ldif')], environment);
  t.is(imported.status, 0, imported.stderr);
  let ran = 0;
  for (const line of sections.flatMap(commandsOf)) {
    const [command = '', input] = line.split(' < ');
    const text = input === undefined ? undefined : readFileSync(join(folder, input), 'utf8');
    const { status, stderr } = await runCli(command.split(' '), environment, text);
    t.is(status, 0, `${line}: ${stderr}`);
    ran++;
  }
  t.true(ran >= 11, String(ran));
});
