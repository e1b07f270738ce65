import type { OperandRow } from '#catalogue';
import type { SealingKey } from '#keys';
import { type LeftOut, realmText, tellLeftOut, type Wanted } from '#transfer';
import type { Command, Context } from './command.ts';
import { failureOf, Misuse, noDirectory, Unreachable } from './exits.ts';
import type { Given } from './given.ts';
import { connectRunning, withRefusals } from './operators.ts';
import { realmOperand } from './options.ts';
import { openRealm } from './realm-source.ts';
import { openTarget } from './target.ts';
import { readTransferKey, transferKeyFile } from './transfer-key.ts';

/** Text gathered before it is written: one write for each entry would be most of the work. */
const bufferCharacters = 262_144;

/** What an export has more than what anybody may read. */
const wantedOptions = {
  operational: { means: 'with entryUUID, timestamps and the other operational attributes' },
  secrets: { means: 'with password hashes; keep the file safe' },
  'transfer-key-file': transferKeyFile,
} as const;
const fileOperand: OperandRow = {
  name: 'FILE',
  type: 'file',
  optional: true,
  means: 'the file to make; standard output where none is named',
};

export const exportRealm: Command = {
  means: 'write a realm as LDIF, in the one order that there is for the same content',
  more: [
    'Entries come superiors first, then in the order of their names; classes first, then attributes by name, and values in the order of their octets. The same content is the same text, and a small change is a small difference: the file is made to be kept under git. It is one state of the realm, whether a service runs or not.',
    'What the directory does by itself is left out without --operational: keep entryUUID with it when entries may be renamed between two exports. An existing file is not overwritten.',
    'Secrets are left out without --secrets. What the directory keeps sealed under its key-encryption key is sealed anew under the key of --transfer-key-file, for its entry alone; without that key it is left out, and told.',
    'Other realms are not of this one, wherever they lie, and neither are tasks.',
  ],
  on: 'files',
  operands: [realmOperand, fileOperand],
  options: wantedOptions,
  examples: [
    { line: 'atrium realm export default > realm.ldif' },
    { line: 'atrium realm export --operational --secrets default whole.ldif', does: 'all that there is to move it to another place' },
  ],
  run: async (given, context) => await exportOne(given.need('ID'), given, context),
};

export const exportCommand: Command = {
  means: 'write the default realm as LDIF, or all realms',
  more: [
    'The same as atrium realm export default, whose help says in which order and what is left out. An existing file is not overwritten.',
    'With --all, every entry of all realms and the list of tasks, in the order in which a stopped service’s folder has them: the quickest way out of one, for another empty folder. It is no text to compare, and what is sealed stays so and is left out where the file is imported: atrium backup copies everything, of a running service too.',
  ],
  on: 'either',
  operands: [fileOperand],
  options: { ...wantedOptions, all: { means: 'all realms, of a stopped service' } },
  examples: [
    { line: 'atrium export > realm.ldif' },
    { line: 'atrium export --all --operational --secrets whole.ldif', does: 'of a stopped service' },
  ],
  run: async (given, context) => {
    if (!given.flag('all')) return await exportOne('default', given, context);
    if (given.text('transfer-key-file') !== undefined)
      throw new Misuse('--transfer-key-file is for one realm: with --all what is sealed stays so');
    return await withRefusals(context, () => exportAll(given, context));
  },
};

async function exportOne(id: string, given: Given, context: Context): Promise<number> {
  return await withRefusals(context, async () => {
    const wanted = wantedOf(given);
    const way = readTransferKey(given.text('transfer-key-file'));
    if (way !== undefined && !wanted.secrets) throw new Misuse('--transfer-key-file goes with --secrets');
    return await writeRealm({ id, path: given.text('FILE'), wanted, way }, context);
  });
}

function wantedOf(given: Given): Wanted {
  return { operational: given.flag('operational'), secrets: given.flag('secrets') };
}

async function exportAll(given: Given, context: Context): Promise<number> {
  await using running = await connectRunning(context);
  if (running !== undefined)
    throw new Misuse('--all is for a stopped service. While it runs, atrium realm export writes each realm, and atrium backup copies all');
  await using target = openTarget(given.text('FILE'), context);
  const exported = await context.exportEntries({ ...wantedOf(given), onText: target.write });
  target.progress.end();
  switch (exported.kind) {
    case 'absent':
      throw new Unreachable(noDirectory);
    case 'refused':
      throw failureOf(exported.lines);
    case 'exported':
      await target.end();
      context.stderr.write(`${exported.entries.toLocaleString('en')} entries exported\n`);
      return 0;
  }
}

interface Ordered {
  readonly id: string;
  readonly path: string | undefined;
  readonly wanted: Wanted;
  /** The key for sealed values. */
  readonly way: SealingKey | undefined;
}

/** Writes a realm in the one order that there is for the same content. @returns the exit status */
async function writeRealm({ id, path, wanted, way }: Ordered, context: Context): Promise<number> {
  const leftOut: LeftOut = new Map();
  using realm = await openRealm(id, wanted.secrets, context);
  await using target = openTarget(path, context);
  let count = 0;
  let buffer = '';
  for await (const text of realmText(realm, wanted, way, leftOut)) {
    buffer += text;
    count++;
    if (buffer.length < bufferCharacters) continue;
    await target.write(buffer, count, count, realm.count);
    buffer = '';
  }
  await target.write(buffer, count, count, realm.count);
  await target.end();
  target.progress.end();
  for (const suffix of realm.inside) context.stderr.write(`${suffix} is another realm's and is left out\n`);
  for (const line of tellLeftOut(leftOut)) context.stderr.write(`${line}\n`);
  context.stderr.write(`${count.toLocaleString('en')} entries exported\n`);
  return 0;
}
