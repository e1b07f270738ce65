import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { OperatorsClient } from '#client';
import type { DialectName, Summary } from '#elsewhere';
import { formatLdifRecord, type LdifContent, ldifHeader, type Modification } from '#ldap';
import { definitionKinds } from '#schema';
import type { Context, ConvertedElsewhere } from './command.ts';
import { subschema } from './definitions.ts';
import { Absent, failureOf, Misuse } from './exits.ts';
import type { Given } from './given.ts';
import { openLdif } from './ldif.ts';
import { createProgress } from './progress.ts';
import { importByTask } from './tasking.ts';

/** The largest schema file that is anybody's; longer ones are not read into memory. */
const schemaOctetsMax = 64 * 1024 * 1024;

/**
 * Brings the tree of another server into a realm, and says what became of it. A running service is given it as it is to be there, in a task like that of any
 * other import.
 *
 * @param running  the service, where one runs
 */
export async function importElsewhere(
  running: OperatorsClient | undefined,
  { from, path }: { readonly from: DialectName; readonly path: string },
  given: Given,
  context: Context,
): Promise<number> {
  if (path === '-') throw new Misuse('with --from the file is read twice: give its name');
  if (given.text('transfer-key-file') !== undefined) throw new Misuse('--transfer-key-file is for what atrium export wrote');
  if (given.flag('continue')) throw new Misuse('--continue does not go with --from: whatever cannot be carried over is left out and told');
  const dryRun = given.flag('dry-run');
  const to = given.need('to');
  const progress = createProgress(context.stderr, () => context.clock.nowMs(), dryRun || running ? 'Checking' : 'Importing');
  let source = openLdif(path, context, true);
  let read = 0;
  const onProgress = (count: number) => progress.show(source.done(), source.total, count);
  const converting = {
    from,
    to,
    open: () => {
      source = openLdif(path, context, true);
      return source.records;
    },
    schemas: given.texts('schema').map(schemaAt),
    takesDefinitions: running !== undefined,
  };
  try {
    const converted = await context.convertElsewhere(converting);
    if (converted.kind === 'absent') throw new Absent(`there is no realm ${JSON.stringify(to)}. See: atrium realm list`);
    if (converted.kind === 'refused') throw failureOf(converted.lines);
    const { definitions, records } = converted;
    if (running === undefined || dryRun) {
      const all = { records: behind(definitions, records), onProgress };
      const imported = dryRun ? await context.tryImport(all) : await context.importEntries(all);
      progress.end();
      if (imported.kind === 'refused') throw failureOf(imported.lines);
    } else {
      if (definitions !== undefined) await running.actor.modify(subschema, additionsOf(definitions));
      const source = ldifOf(records, () => onProgress(++read));
      const status = await importByTask(running, { source, realm: to, options: ['strict'], keyFile: undefined }, false, context);
      if (status !== 0) return status;
    }
    return tell(converted, dryRun, given, context);
  } finally {
    progress.end();
  }
}

async function* behind(first: LdifContent | undefined, others: AsyncIterable<LdifContent>): AsyncGenerator<LdifContent> {
  if (first !== undefined) yield first;
  yield* others;
}

const bufferCharacters = 262_144;

async function* ldifOf(records: AsyncIterable<LdifContent>, each: () => void): AsyncGenerator<string> {
  let buffer = ldifHeader;
  for await (const record of records) {
    buffer += formatLdifRecord(record);
    each();
    if (buffer.length < bufferCharacters) continue;
    yield buffer;
    buffer = '';
  }
  yield buffer;
}

/** The change that adds the definitions of a record of the subschema subentry. */
function additionsOf({ attributes }: LdifContent): Modification[] {
  const kinds = new Set(definitionKinds.map(({ attribute }) => attribute));
  return attributes.filter(({ description }) => kinds.has(description)).map((attribute) => ({ operation: 'add', attribute }));
}

function schemaAt(path: string): { readonly name: string; readonly text: string } {
  let octets: Buffer;
  try {
    octets = readFileSync(path);
  } catch (error) {
    throw new Misuse(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  if (octets.length > schemaOctetsMax) throw new Misuse(`${path} is larger than ${schemaOctetsMax} octets`);
  return { name: basename(path), text: octets.toString('utf8') };
}

type Converted = ConvertedElsewhere & { readonly kind: 'converted' };

function tell(converted: Converted, dryRun: boolean, given: Given, { stdout, stderr }: Context): number {
  const { password, from, to } = converted;
  const summary = advised(converted.summary(), given.need('to'));
  const json = given.flag('json');
  if (password !== undefined && !dryRun) stderr.write(`The built-in administrator's password, shown this once: ${password}\n`);
  stdout.write(json ? `${JSON.stringify({ from, to, ...summary })}\n` : report({ from, to, summary }, dryRun));
  const carried = `${count(summary.entries.carried)} of ${count(summary.entries.read)} entries`;
  stderr.write(`${carried} ${dryRun ? 'would be carried over' : 'carried over'}\n`);
  return 0;
}

/** Advice names commands: those for people of another realm name the realm, too. */
function advised(summary: Summary, realm: string): Summary {
  const named = realm === 'default' ? '' : ` --realm ${realm}`;
  const notes = summary.notes.map((note) =>
    note.advice === undefined ? note : { ...note, advice: note.advice.replace('{realm}', named) },
  );
  return { ...summary, notes };
}

const headings = {
  left: 'Not carried over:',
  otherwise: 'Carried over in another form:',
  supplied: 'Not in the source, and worth knowing:',
} as const;

/** The report as a person reads it: what is left out first, what concerns most values first. */
function report({ from, to, summary }: Pick<Converted, 'from' | 'to'> & { readonly summary: Summary }, dryRun: boolean): string {
  const { entries, values, notes } = summary;
  const lines = [
    from === to ? `${from}` : `${from} → ${to}`,
    `entries: ${count(entries.read)} read, ${count(entries.carried)} carried over, ${count(entries.read - entries.carried)} left out`,
    `values: ${count(values.read)} read, ${count(values.kept)} kept, ${count(values.otherwise)} in another form, ${count(values.left)} left out`,
  ];
  for (const outcome of ['left', 'otherwise', 'supplied'] as const) {
    const own = notes.filter((note) => note.outcome === outcome).sort((a, b) => b.values - a.values || b.entries - a.entries);
    if (own.length === 0) continue;
    lines.push('', headings[outcome]);
    for (const kind of new Set(own.map((note) => note.kind))) {
      const same = own.filter((note) => note.kind === kind);
      const [{ means = '', advice = undefined } = {}] = same;
      lines.push(`  ${means}${advice === undefined ? '' : ` (${advice})`}`);
      for (const note of same) {
        const number = note.values > 0 ? `${count(note.values)} ${note.values === 1 ? 'value' : 'values'} in ` : '';
        const places = note.examples.map(({ line, dn }) => `line ${line}, ${dn}`).join('; ');
        lines.push(
          `    ${note.what === '' ? '' : `${note.what}: `}${number}${count(note.entries)} ${note.entries === 1 ? 'entry' : 'entries'}: ${places}`,
        );
      }
    }
  }
  if (dryRun) lines.push('', 'Nothing was written.');
  // Names come from the file: nothing in them may move a terminal's cursor.
  return `${lines.map((line) => line.replace(control, '?')).join('\n')}\n`;
}

const control = /\p{Cc}/gu;

function count(number: number): string {
  return number.toLocaleString('en');
}
