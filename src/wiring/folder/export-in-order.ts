import { utf8 } from '#base';
import type { ExportFolderOptions } from '#commands';
import { exportEntries } from '#directory';
import { formatLdifRecord } from '#ldap';
import { openDirectory } from '../below.ts';
import type { Foundation } from '../foundation.ts';

const textCharacters = 65_536;

/** Writes every entry of a folder in the order of names, by all that a service reads it with. */
export async function exportInOrder(
  foundation: Foundation,
  { secrets, operational, onText }: ExportFolderOptions,
  head: number,
): Promise<number> {
  const engine = openDirectory(foundation);
  let entries = head;
  let buffer = '';
  for (const record of exportEntries(engine, { secrets, operational })) {
    buffer += formatLdifRecord(record);
    entries++;
    if (buffer.length < textCharacters) continue;
    await onText(utf8(buffer), entries, 0, undefined);
    buffer = '';
  }
  if (entries > 0) await onText(utf8(buffer), entries, 0, undefined);
  return entries;
}
