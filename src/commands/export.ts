import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { formatLdifRecord, type LdifContent, ldifHeader } from '#ldap';
import { type Command, type Context, Misuse } from './command.ts';
import { connectRunning, withRefusals } from './operators.ts';
import { write } from './output.ts';
import { parse } from './parse.ts';
import { createProgress } from './progress.ts';

/** Text gathered before it is written: one write for each entry would be most of the work. */
const bufferCharacters = 65_536;

export const exportCommand: Command = {
  takes: '[FILE]',
  means: 'write every entry of the realm as LDIF',
  help: `Entries come superiors first, to FILE or to standard output. An existing file is not overwritten.
--operational adds entryUUID, timestamps and the other operational attributes.
--secrets adds password hashes. No search reads those, so the service must be stopped for it; keep the file safe.

  atrium export > realm.ldif
  atrium export --operational --secrets realm.ldif`,
  run: async (args, context) => {
    const { operands, options } = parse(args, { operational: 'flag', secrets: 'flag' });
    const [path, ...rest] = operands;
    if (rest.length > 0) throw new Misuse('one file is expected');
    const wanted = { operational: options.has('operational'), secrets: options.has('secrets') };
    return await withRefusals(context, async () => {
      await using client = await connectRunning(context);
      if (client === undefined) return await exportStopped(path, wanted, context);
      if (wanted.secrets) throw new Misuse('password hashes can be exported only while the service is stopped');
      const located = context.locate();
      if (located.kind === 'refused') throw new Misuse(located.lines.join('; '));
      const entries = client.search({
        base: located.suffix,
        scope: 'sub',
        filter: { kind: 'present', description: 'objectClass' },
        attributes: wanted.operational ? ['*', '+'] : ['*'],
      });
      const records = (async function* () {
        for await (const { dn, attributes } of entries) yield { kind: 'content', line: 0, dn, attributes } satisfies LdifContent;
      })();
      return await writeAll(records, path, context);
    });
  },
};

async function exportStopped(
  path: string | undefined,
  wanted: { readonly operational: boolean; readonly secrets: boolean },
  context: Context,
): Promise<number> {
  const opened = await context.openFolder();
  if (opened.kind === 'refused') {
    for (const line of opened.lines) context.stderr.write(`${line}\n`);
    return 1;
  }
  await using folder = opened.folder;
  if (folder.empty) throw new Misuse('the folder holds no realm');
  return await writeAll(folder.exportEntries(wanted), path, context);
}

async function writeAll(
  records: AsyncIterable<LdifContent> | Iterable<LdifContent>,
  path: string | undefined,
  context: Context,
): Promise<number> {
  const stream = path === undefined ? context.stdout : await openNew(path);
  const progress = createProgress(context.stderr, () => context.clock.nowMs(), 'Exporting');
  let count = 0;
  let buffer = ldifHeader;
  for await (const record of records) {
    buffer += formatLdifRecord(record);
    progress.show(0, undefined, ++count);
    if (buffer.length < bufferCharacters) continue;
    await write(stream, buffer);
    buffer = '';
  }
  await write(stream, buffer);
  if (path !== undefined) {
    stream.end();
    await finished(stream);
  }
  progress.end();
  context.stderr.write(`${count.toLocaleString('en')} entries exported\n`);
  return 0;
}

/** Readable by its owner only: it holds what people have told the directory, and perhaps their password hashes. */
function openNew(path: string): Promise<NodeJS.WritableStream & { end(): unknown }> {
  return new Promise((resolve, reject) => {
    const stream = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    stream.once('open', () => resolve(stream));
    stream.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Misuse(error.code === 'EEXIST' ? `${path} exists already` : `${path} cannot be written: ${error.code}`)),
    );
  });
}
