import { askSecret } from './ask-secret.ts';
import type { Context } from './command.ts';
import { Misuse } from './exits.ts';
import type { Given } from './given.ts';
import { secretAttributes } from './managed-rows.ts';

const secrets: ReadonlySet<string> = new Set(secretAttributes);

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

/** By a name or the OID, whatever options stand behind it (RFC 4512 §2.5). */
function isSecret(name: string): boolean {
  const [type = ''] = name.trim().toLowerCase().split(';');
  return secrets.has(type.replace(/^oid\./, ''));
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
