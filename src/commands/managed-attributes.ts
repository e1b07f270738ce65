import { askSecret } from './ask-secret.ts';
import type { Context } from './command.ts';
import { Absent, Failure, Misuse } from './exits.ts';
import type { Given } from './given.ts';
import type { Management } from './managed-call.ts';
import { isSecret } from './secrets.ts';

/**
 * What `--set` and `--set-file` give: the values of each attribute. `--set title=` takes the attribute away; a secret stands in the first line of a file, or of
 * standard input, since others see what stands on the command line.
 *
 * @throws Misuse, Interrupted
 */
export async function attributesGiven(given: Given, context: Context): Promise<Readonly<Record<string, readonly string[]>>> {
  const found = new Map<string, readonly string[]>();
  const add = (name: string, ...values: readonly string[]) => found.set(name, [...(found.get(name) ?? []), ...values]);
  for (const text of given.texts('set')) {
    const [name, value] = pairOf('set', 'VALUE', text);
    if (isSecret(name)) throw new Misuse(hidden(name));
    add(name, ...(value === '' ? [] : [value]));
  }
  const files = given.texts('set-file').map((text) => pairOf('set-file', 'FILE', text));
  if (files.filter(([, file]) => file === '-').length > 1) throw new Misuse('standard input holds one value: give --set-file NAME=- once');
  for (const [name, file] of files) add(name, file === '-' ? await askSecret(`Value of ${name}`, context) : await lineOf(name, file));
  return Object.fromEntries(found);
}

function pairOf(option: string, word: string, text: string): readonly [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1 || (word === 'FILE' && at + 1 === text.length)) throw new Misuse(`--${option} is NAME=${word}, not ${JSON.stringify(text)}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/**
 * Asks the service which attributes its own definitions hide, and refuses those of `--set`. Where it does not say, to a token that may not read, what the
 * schema's files hide is refused alone.
 *
 * @throws Misuse
 */
export async function refuseHidden(given: Given, management: Management): Promise<void> {
  const names = given.texts('set').map((text) => pairOf('set', 'VALUE', text)[0]);
  if (names.length === 0) return;
  const own = new Set(await hiddenAt(management));
  const found = names.find((name) => isSecret(name, own));
  if (found !== undefined) throw new Misuse(hidden(found));
}

async function hiddenAt(management: Management): Promise<readonly string[]> {
  try {
    const { hidden: names } = await management.ask({ method: 'GET', path: '/admin-api/ldap/service', query: [] });
    return Array.isArray(names) ? names : [];
  } catch (error) {
    if (error instanceof Failure || error instanceof Absent) return [];
    throw error;
  }
}

function hidden(name: string): string {
  return `${name} is not given on the command line, where others see it: --set-file ${name}=FILE reads the first line of a file, --set-file ${name}=- that of standard input`;
}

async function lineOf(name: string, file: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Misuse(`${file} cannot be read (${error.code ?? 'unknown'}): the value of ${name} is to stand in it`);
  });
  const line = text.split(/\r?\n/, 1)[0] ?? '';
  if (line === '') throw new Misuse(`${file} has nothing in its first line: the value of ${name} is to stand there`);
  return line;
}
