import type { OperatorsClient } from '#client';
import { LdifError, type LdifRecord } from '#ldap';
import { type Command, type Context, Misuse } from './command.ts';
import { type LdifSource, openLdif } from './ldif.ts';
import { connectRunning, explain, withRefusals } from './operators.ts';
import { parse } from './parse.ts';
import { createProgress, type Progress } from './progress.ts';

/** Additions on their way to a running service without an answer yet. */
const windowMax = 128;

export const importCommand: Command = {
  takes: 'FILE',
  means: 'add the entries of an LDIF file',
  help: `FILE is LDIF with entries, superiors before what is below them; - reads standard input.
While the service runs, entries go through it as LDAP additions. While it is stopped, they are written into its folder,
and an export with operational attributes and secrets comes back as it was; into an empty folder, a whole realm with its suffix entry.
Every entry is checked against the schema. The first refusal ends the import, naming line and reason; what came before it stays.
With --continue the running service is given the rest all the same.

  atrium import people.ldif
  atrium import --continue - < more.ldif`,
  run: async (args, context) => {
    const { operands, options } = parse(args, { continue: 'flag' });
    const [path, ...rest] = operands;
    if (path === undefined || rest.length > 0) throw new Misuse('one file is expected');
    const source = openLdif(path, context);
    const progress = createProgress(context.stderr, () => context.clock.nowMs(), 'Importing');
    const work = { source, progress, goOn: options.has('continue'), context };
    try {
      return await withRefusals(context, async () => {
        await using client = await connectRunning(context);
        return client === undefined ? await importStopped(work) : await importRunning(client, work);
      });
    } catch (error) {
      if (!(error instanceof LdifError)) throw error;
      context.stderr.write(`atrium: ${error.message}\n`);
      return 1;
    } finally {
      progress.end();
    }
  },
};

interface Work {
  readonly source: LdifSource;
  readonly progress: Progress;
  readonly goOn: boolean;
  readonly context: Context;
}

async function importRunning(client: OperatorsClient, { source, progress, goOn, context }: Work): Promise<number> {
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
  return refused > 0 ? 1 : 0;
}

async function importStopped({ source, progress, goOn, context }: Work): Promise<number> {
  if (goOn) throw new Misuse('--continue is for a running service, and none runs here');
  const opened = await context.openFolder();
  if (opened.kind === 'refused') {
    for (const line of opened.lines) context.stderr.write(`${line}\n`);
    return 1;
  }
  await using folder = opened.folder;
  const { first, all } = await peek(source.records);
  if (folder.empty && !(first !== undefined && folder.isSuffix(first.dn))) {
    const password = await folder.bootstrap();
    if (password !== undefined) context.stderr.write(`The built-in administrator's password, shown this once: ${password}\n`);
  }
  const { entries } = await folder.importEntries(all, (count) => progress.show(source.done(), source.total, count));
  progress.end();
  context.stderr.write(`${counted(entries)} added\n`);
  return 0;
}

/** Looks at the first record without losing it. */
async function peek(records: AsyncIterable<LdifRecord>): Promise<{ first: LdifRecord | undefined; all: AsyncIterable<LdifRecord> }> {
  const iterator = records[Symbol.asyncIterator]();
  const head = await iterator.next();
  async function* all(): AsyncGenerator<LdifRecord> {
    if (head.done === true) return;
    yield head.value;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  }
  return { first: head.done === true ? undefined : head.value, all: all() };
}

function tellRefused({ stderr }: Context, progress: Progress, record: LdifRecord, why: string): void {
  progress.end();
  stderr.write(`atrium: line ${record.line}, ${record.dn}: ${why}\n`);
}

function counted(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'entry' : 'entries'}`;
}
