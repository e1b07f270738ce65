import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';
import { type TestAtrium, testEnvironment } from '../support/atrium.ts';
import { lendCli } from '../support/lent-cli.ts';

const root = join(import.meta.dirname, '..', '..');

/** A page of docs/, with the commands that it shows. */
export interface Page {
  readonly text: string;
  /** Commands, one block behind the other; entries are added as the administrator. */
  readonly blocks: readonly string[];
}

/** @param kinds  languages of blocks that are run */
export function readDocsPage(name: string, kinds: readonly ('sh' | 'ldif')[] = ['sh']): Page {
  const text = readFileSync(join(root, 'docs', name), 'utf8');
  const found = [...text.matchAll(/^```(sh|ldif)\n(.*?)^```/gms)].filter(([, kind]) => kinds.some((each) => each === kind));
  const blocks = found.map(([, kind, block = '']) => (kind === 'sh' ? block : `ldapadd -x -y admin.pw <<'LDIF'\n${block}LDIF\n`));
  return { text, blocks };
}

/**
 * Runs the blocks of a page as its reader would, each in a shell of its own that stops at the first command that fails: in a folder with `data` and `admin.pw`, with
 * the variables that docs/ldap.md names and `atrium` as a command.
 *
 * @param more  variables that this page needs besides
 */
export async function runPage(
  t: ExecutionContext,
  { blocks }: Page,
  atrium: TestAtrium,
  more: Readonly<Record<string, string | undefined>> = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-page-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(atrium.dataDir, join(folder, 'data'));
  writeFileSync(join(folder, 'admin.pw'), atrium.adminPassword, { mode: 0o600 });
  await using _cli = await lendCli(folder);
  const env = {
    ...process.env,
    ...testEnvironment(atrium.dataDir),
    PATH: `${folder}${delimiter}${process.env['PATH']}${delimiter}/usr/sbin`,
    LDAPURI: atrium.addresses.ldaps,
    LDAPTLS_CACERT: join(folder, 'data/tls/ca.pem'),
    LDAPBASE: atrium.suffix,
    LDAPBINDDN: atrium.adminDn,
    ...more,
  };
  for (const commands of blocks) {
    const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', commands], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise<number | null>((resolve) => shell.once('close', resolve));
    const [said, complaints, status] = await Promise.all([textOf(shell.stdout), textOf(shell.stderr), ended]);
    t.is(status, 0, `${commands}\n${said}\n${complaints}`);
  }
}
