import { tmpdir } from 'node:os';
import { formatLdifRecord, ldifHeader } from '#ldap';
import { type Difference, differences } from '#transfer';
import type { Command, Context } from './command.ts';
import { openLdif } from './ldif.ts';
import { json, realmOperand } from './options.ts';
import { write } from './output.ts';
import { withReadable } from './readable.ts';
import { readRealmFile, tellPlaced } from './realm-file.ts';
import { openRealm } from './realm-source.ts';
import { withoutSamePasswords } from './same-password.ts';

/** Text gathered before it is written. */
const bufferCharacters = 65_536;

export const diffRealm: Command = {
  means: 'print the changes that lead from a realm to a file',
  more: [
    'FILE is a whole realm as atrium realm export writes it. What is printed are change records, for ldapmodify and for atrium realm apply: value by value, in an order in which each can be made. An entry that has the same entryUUID in both is renamed; without that it goes and comes, so export with --operational when names may change.',
    'What only the directory writes is not held against each other. Secrets are with --secrets alone, and then where FILE has them. Nothing is printed when nothing differs.',
  ],
  on: 'files',
  operands: [realmOperand, { name: 'FILE', type: 'file', means: 'the realm as it is to be; - reads standard input' }],
  options: {
    json,
    secrets: { means: 'hold password hashes against each other, too, where FILE has them' },
  },
  examples: [
    { line: 'atrium realm diff default wanted.ldif' },
    { line: 'atrium realm diff default wanted.ldif > changes.ldif', does: 'for ldapmodify -f changes.ldif, or atrium realm apply' },
  ],
  run: async (given, context) =>
    await withReadable(context, async () => {
      const { stdout, stderr } = context;
      let count = 0;
      const asJson = given.flag('json');
      let buffer = asJson ? '' : ldifHeader;
      for await (const { change } of differencesOf(given.need('ID'), given.need('FILE'), given.flag('secrets'), context)) {
        const ldif = formatLdifRecord(change);
        buffer += asJson ? `${JSON.stringify({ dn: change.dn, kind: change.kind, ldif })}\n` : ldif;
        count++;
        if (buffer.length < bufferCharacters) continue;
        await write(stdout, buffer);
        buffer = '';
      }
      if (count > 0) await write(stdout, buffer);
      stderr.write(count === 0 ? 'nothing differs\n' : `${count.toLocaleString('en')} ${count === 1 ? 'change' : 'changes'}\n`);
      return 0;
    }),
};

/** What leads from a realm to a file of entries; says first what was put below another suffix. */
export async function* differencesOf(id: string, path: string, secrets: boolean, context: Context): AsyncGenerator<Difference> {
  using realm = await openRealm(id, secrets, context);
  const file = await readRealmFile(openLdif(path, context), realm);
  const found = differences(realm.schema, realm.entries(), file.entries, { folder: tmpdir(), secrets });
  yield* secrets ? withoutSamePasswords(found, realm.schema, context) : found;
  tellPlaced(file, context);
}
