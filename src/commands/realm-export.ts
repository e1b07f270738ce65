import type { OperandRow } from '#catalogue';
import type { SealingKey } from '#keys';
import { type LeftOut, realmText, tellLeftOut, type Wanted } from '#transfer';
import type { Command, Context } from './command.ts';
import { Misuse } from './exits.ts';
import { withRefusals } from './operators.ts';
import { openRealm } from './realm-source.ts';
import { openTarget } from './target.ts';
import { readTransferKey, transferKeyFile } from './transfer-key.ts';

/** Text gathered before it is written: one write for each entry would be most of the work. */
const bufferCharacters = 262_144;

/** Which realm a command is about. */
export const realmOperand: OperandRow = { name: 'ID', means: 'the realm: default, or the id of another one' };

export const exportRealm: Command = {
  means: 'write a realm as LDIF, in the one order that there is for the same content',
  more: [
    'Entries come superiors first, then in the order of their names; classes first, then attributes by name, and values in the order of their octets. The same content is the same text, and a small change is a small difference: the file is made to be kept under git. It is one state of the realm, whether a service runs or not.',
    'What the directory does by itself is left out without --operational: keep entryUUID with it when entries may be renamed between two exports. An existing file is not overwritten.',
    'Secrets are left out without --secrets. What the directory keeps sealed under its key-encryption key is sealed anew under the key of --transfer-key-file, for its entry alone; without that key it is left out, and told.',
    'Other realms are not of this one, wherever they lie, and neither are tasks.',
  ],
  on: 'files',
  operands: [realmOperand, { name: 'FILE', type: 'file', optional: true, means: 'the file to make; standard output where none is named' }],
  options: {
    operational: { means: 'with entryUUID, timestamps and the other operational attributes' },
    secrets: { means: 'with password hashes; keep the file safe' },
    'transfer-key-file': transferKeyFile,
  },
  examples: [
    { line: 'atrium realm export default > realm.ldif' },
    { line: 'atrium realm export --operational --secrets default whole.ldif', does: 'all that there is to move it to another place' },
  ],
  run: async (given, context) =>
    await withRefusals(context, async () => {
      const wanted = { operational: given.flag('operational'), secrets: given.flag('secrets') };
      const way = readTransferKey(given.text('transfer-key-file'));
      if (way !== undefined && !wanted.secrets) throw new Misuse('--transfer-key-file goes with --secrets');
      return await writeRealm({ id: given.need('ID'), path: given.text('FILE'), wanted, way }, context);
    }),
};

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
