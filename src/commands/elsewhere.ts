import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { DialectName } from '#elsewhere';
import { LdifError } from '#ldap';
import type { BroughtElsewhere, Context } from './command.ts';
import { Absent, Failure, Misuse } from './exits.ts';
import type { Given } from './given.ts';
import { openLdif } from './ldif.ts';
import { connectRunning } from './operators.ts';
import { createProgress } from './progress.ts';

/** The largest schema file that is anybody's; longer ones are not read into memory. */
const schemaOctetsMax = 64 * 1024 * 1024;

/** Brings the tree of another server into a stopped folder, and says what became of it. */
export async function importElsewhere(from: DialectName, given: Given, context: Context): Promise<number> {
  const path = given.need('FILE');
  if (path === '-') throw new Misuse('with --from the file is read twice: give its name');
  if (given.flag('continue'))
    throw new Misuse('--continue is for a running service; with --from, whatever cannot be carried over is left out and told');
  const dryRun = given.flag('dry-run');
  if (!dryRun) {
    await using running = await connectRunning(context);
    if (running !== undefined)
      throw new Failure('the service runs, and must be stopped for --from. Nothing was done; --dry-run goes beside it');
  }
  const to = given.text('to') ?? 'default';
  const progress = createProgress(context.stderr, () => context.clock.nowMs(), dryRun ? 'Checking' : 'Importing');
  let source = openLdif(path, context, true);
  try {
    const brought = await context.importElsewhere({
      from,
      to,
      open: () => {
        source = openLdif(path, context, true);
        return source.records;
      },
      schemas: given.texts('schema').map(schemaAt),
      dryRun,
      onProgress: (count) => progress.show(source.done(), source.total, count),
    });
    progress.end();
    if (brought.kind === 'absent') throw new Absent(`there is no realm ${JSON.stringify(to)}. See: atrium realm list`);
    return tell(brought, dryRun, given.flag('json'), context);
  } catch (error) {
    if (!(error instanceof LdifError)) throw error;
    context.stderr.write(`atrium: ${error.message}\n`);
    return 1;
  } finally {
    progress.end();
  }
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

function tell(brought: Exclude<BroughtElsewhere, { kind: 'absent' }>, dryRun: boolean, json: boolean, { stdout, stderr }: Context): number {
  if (brought.kind === 'refused') {
    for (const line of brought.lines) stderr.write(`${line}\n`);
    return 1;
  }
  const { password, from, to, summary } = brought;
  if (password !== undefined && !dryRun) stderr.write(`The built-in administrator's password, shown this once: ${password}\n`);
  stdout.write(json ? `${JSON.stringify({ from, to, ...summary })}\n` : report(brought, dryRun));
  const carried = `${count(summary.entries.carried)} of ${count(summary.entries.read)} entries`;
  stderr.write(`${carried} ${dryRun ? 'would be carried over' : 'carried over'}\n`);
  return 0;
}

const headings = {
  left: 'Not carried over:',
  otherwise: 'Carried over in another form:',
  supplied: 'Not in the source, and worth knowing:',
} as const;

/** The report as a person reads it: what is left out first, what concerns most values first. */
function report({ from, to, summary }: BroughtElsewhere & { kind: 'imported' }, dryRun: boolean): string {
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
