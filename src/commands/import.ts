import type { OperatorsClient } from '#client';
import type { DialectName } from '#elsewhere';
import { LdifError, type LdifRecord } from '#ldap';
import type { Command, Context } from './command.ts';
import { Failure, failureOf, Misuse } from './exits.ts';
import { type Given, listed } from './given.ts';
import { type LdifSource, openLdif } from './ldif.ts';
import { connectRunning, explain, withRefusals } from './operators.ts';
import { createProgress, type Progress } from './progress.ts';

/** Additions on their way to a running service without an answer yet. */
const windowMax = 128;
/** Refusals that a dry run names one by one. */
const toldMax = 100;

/** What another server's own tools write. */
const dialectNames = ['slapcat', 'db2ldif', 'lldap'] as const satisfies readonly DialectName[];

export const importCommand: Command = {
  means: 'add the entries of an LDIF file',
  more: [
    'FILE is LDIF with entries, superiors before what is below them. While the service is stopped, they are written into its folder, all of them or, after the first refusal, none. An export with operational attributes and secrets comes back as it was; into an empty folder, a whole realm with its suffix entry. The change log does not keep what came into a folder with no more than a realm’s frame.',
    'While the service runs, entries go through it as LDAP additions: the first refusal ends the import, and what came before it stays.',
    'With --from, FILE is what another server’s own tool wrote: slapcat of OpenLDAP, db2ldif of 389 Directory Server, or what ldapsearch showed of lldap. The service must be stopped for it, except for --dry-run. Names move below the suffix of the realm, passwords stay where their hashes can be judged, and whatever cannot be carried over is told, with its first lines: try it with --dry-run. docs/coming-from-elsewhere.md has a page for each.',
  ],
  on: 'either',
  operands: [{ name: 'FILE', type: 'file', means: 'a file of LDIF; - reads standard input' }],
  options: {
    continue: { means: 'go on after a refusal, on a running service' },
    'dry-run': { means: 'read and check everything, name what would be refused, and write nothing' },
    from: { value: 'TOOL', type: dialectNames, means: `FILE is another server’s: ${listed(dialectNames)}` },
    to: { value: 'ID', means: 'with --from: the realm that it is brought into; default unless given' },
    schema: { value: 'FILE', type: 'file', many: true, means: 'with --from: its schema, as `slapcat -n 0` writes it, or a schema file' },
    json: { means: 'answer as JSON: one object, with --from of what became of everything' },
  },
  examples: [
    { line: 'atrium import --dry-run people.ldif' },
    { line: 'atrium import people.ldif' },
    { line: 'atrium import --json - < people.ldif' },
  ],
  run: async (given, context) => {
    const from = given.text('from') as DialectName | undefined;
    if (from !== undefined) return await (await import('./elsewhere.ts')).importElsewhere(from, given, context);
    if (given.text('to') !== undefined)
      throw new Misuse('--to is for --from; entries go into another realm with: atrium realm import --to ID');
    if (given.texts('schema').length > 0) throw new Misuse('--schema is for --from; schema files are added with: atrium schema import');
    const path = given.need('FILE');
    const source = openLdif(path, context);
    const dry = given.flag('dry-run');
    const progress = createProgress(context.stderr, () => context.clock.nowMs(), dry ? 'Checking' : 'Importing');
    const work = { source, progress, goOn: given.flag('continue'), given, context };
    try {
      if (dry) return await tryImport(work);
      return await withRefusals(context, async () => {
        await using client = await connectRunning(context);
        return client === undefined ? await importStopped(work) : await importRunning(client, work);
      });
    } catch (error) {
      if (!(error instanceof LdifError)) throw error;
      throw new Failure(error.message);
    } finally {
      progress.end();
    }
  },
};

interface Work {
  readonly source: LdifSource;
  readonly progress: Progress;
  readonly goOn: boolean;
  readonly given: Given;
  readonly context: Context;
}

async function importRunning(client: OperatorsClient, { source, progress, goOn, given, context }: Work): Promise<number> {
  const pipeline = client.pipeline(windowMax);
  let added = 0;
  let refused = 0;
  for await (const record of source.records) {
    if (record.kind !== 'content' && record.kind !== 'add')
      throw new LdifError(record.line, `${record.kind} is no addition; use ldapmodify`);
    await pipeline.add(record.dn, record.attributes, (refusal) => {
      if (refusal === undefined) added++;
      else {
        refused++;
        if (goOn || refused === 1) tellRefused(context, progress, record, explain(refusal));
      }
      progress.show(source.done(), source.total, added);
    });
    if (refused > 0 && !goOn) break;
  }
  await pipeline.drain();
  progress.end();
  context.stderr.write(`${counted(added)} added${refused > 0 ? `, ${refused} refused` : ''}\n`);
  answer(given, context, { added, refused });
  return refused > 0 ? 1 : 0;
}

async function importStopped({ source, progress, goOn, given, context }: Work): Promise<number> {
  if (goOn) throw new Misuse('--continue is for a running service, and none runs here');
  const imported = await context.importEntries({
    records: source.records,
    onProgress: (count) => progress.show(source.done(), source.total, count),
  });
  progress.end();
  if (imported.kind === 'refused') throw failureOf(imported.lines);
  if (imported.password !== undefined)
    context.stderr.write(`The built-in administrator's password, shown this once: ${imported.password}\n`);
  context.stderr.write(`${counted(imported.entries)} added\n`);
  answer(given, context, {
    added: imported.entries,
    refused: 0,
    ...(imported.password === undefined ? {} : { password: imported.password }),
  });
  return 0;
}

/** Names each of the first refusals, and how many more there would be. */
async function tryImport({ source, progress, given, context }: Work): Promise<number> {
  let refused = 0;
  const imported = await context.tryImport({
    records: source.records,
    onProgress: (count) => progress.show(source.done(), source.total, count),
    onRefused: (why) => {
      if (++refused > toldMax) return;
      progress.end();
      context.stderr.write(`atrium: ${why}\n`);
    },
  });
  progress.end();
  if (imported.kind === 'refused') throw failureOf(imported.lines);
  if (refused > toldMax) context.stderr.write(`atrium: ${(refused - toldMax).toLocaleString('en')} more refusals are not named\n`);
  const would = `${counted(imported.entries)} would be added`;
  context.stderr.write(refused === 0 ? `${would}\n` : `${would}, ${refused.toLocaleString('en')} refused: an import would add none\n`);
  answer(given, context, { wouldBeAdded: imported.entries, refused });
  return refused === 0 ? 0 : 1;
}

/** The words are on standard error in any case. */
function answer(given: Given, { stdout }: Context, object: object): void {
  if (given.flag('json')) stdout.write(`${JSON.stringify(object)}\n`);
}

function tellRefused({ stderr }: Context, progress: Progress, record: LdifRecord, why: string): void {
  progress.end();
  stderr.write(`atrium: line ${record.line}, ${record.dn}: ${why}\n`);
}

function counted(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'entry' : 'entries'}`;
}
