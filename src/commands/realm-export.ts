import { formatDn, formatLdifRecord } from '#ldap';
import { canonicalAttributes, createNaming, isWanted, type Wanted } from '#transfer';
import type { Context, RealmEntries } from './command.ts';
import { openRealm } from './realm-source.ts';
import { openTarget } from './target.ts';

/** Text gathered before it is written: one write for each entry would be most of the work. */
const bufferCharacters = 262_144;

/** Writes a realm in the one order that there is for the same content. @returns the exit status */
export async function exportRealm(id: string, path: string | undefined, wanted: Wanted, context: Context): Promise<number> {
  using realm = await openRealm(id, wanted.secrets, context);
  await using target = openTarget(path, context);
  let count = 0;
  let buffer = '';
  for await (const text of realmText(realm, wanted)) {
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
  context.stderr.write(`${count.toLocaleString('en')} entries exported\n`);
  return 0;
}

async function* realmText({ schema, definitions, entries }: RealmEntries, wanted: Wanted): AsyncGenerator<string> {
  if (definitions !== undefined)
    yield formatLdifRecord({ ...definitions, attributes: canonicalAttributes(schema, definitions.attributes) });
  const nameOf = createNaming(schema);
  const isPart = isWanted(wanted);
  for await (const entry of entries()) {
    const attributes = canonicalAttributes(schema, entry.attributes, isPart);
    yield formatLdifRecord({ kind: 'content', line: 0, dn: formatDn(nameOf(entry)), attributes });
  }
}
