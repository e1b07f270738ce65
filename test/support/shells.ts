import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How a program ended, and what it said. */
export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Shell {
  readonly child: ChildProcessWithoutNullStreams;
  readonly folder: string;
}

/**
 * Shells that wait for a program to run. A test's process has hundreds of mebibytes, and a fork copies its page tables: out of it that takes longer than all
 * that ldapsearch does. Out of a shell it takes nothing to speak of.
 */
const idle: Shell[] = [];

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/**
 * Runs a program to its end, with an environment of its own.
 *
 * @param command  its words, itself the first
 * @param input    what it reads from its standard input
 */
export async function runInShell(
  command: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  input: string,
): Promise<Ran> {
  const shell = idle.pop() ?? open();
  const file = (name: string) => join(shell.folder, name);
  const variables = Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  writeFileSync(file('in'), input);
  const words = ['env', '-i', ...variables, ...command].map(quote).join(' ');
  const status = await ask(shell, `${words} <${quote(file('in'))} >${quote(file('out'))} 2>${quote(file('err'))}; echo $?\n`);
  const ran = { status, stdout: readFileSync(file('out'), 'utf8'), stderr: readFileSync(file('err'), 'utf8') };
  idle.push(shell);
  return ran;
}

function open(): Shell {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-shell-'));
  const child = spawn('sh', [], { stdio: 'pipe' });
  // It ends with the process that feeds it, and keeps none from ending.
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as unknown as { unref(): void }).unref();
  child.stdin.on('error', () => undefined);
  folders.push(folder);
  return { child, folder };
}

function ask({ child }: Shell, line: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = '';
    const hear = (chunk: Buffer) => {
      said += chunk.toString();
      if (!said.endsWith('\n')) return;
      child.stdout.off('data', hear);
      child.off('close', ended);
      (child.stdout as unknown as { unref(): void }).unref();
      resolve(Number(said));
    };
    const ended = () => reject(new Error('the shell of a test has ended'));
    (child.stdout as unknown as { ref(): void }).ref();
    child.stdout.on('data', hear);
    child.once('close', ended);
    child.stdin.write(line);
  });
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
