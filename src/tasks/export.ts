import { utf8 } from '#base';
import { refuse } from '#catalogue';
import { ldifHeader } from '#ldap';
import { type LeftOut, type OpenedRealm, type RealmEntries, realmText, tellLeftOut } from '#transfer';
import { errors } from './errors.ts';
import { keyFor } from './key.ts';
import type { Outcome, Work } from './task.ts';

/** Opens a realm for reading beside the service. */
export type OpenRealm = (options: { readonly id: string; readonly secrets: boolean }) => Promise<OpenedRealm>;

const textCharacters = 262_144;

/** Writes a realm into a file of the folder, as atrium realm export does. */
export async function exportTask({ task, exchange, report, signal }: Work, open: OpenRealm): Promise<Outcome> {
  const wanted = { operational: task.options.includes('operational'), secrets: task.options.includes('secrets') };
  using realm = opened(await open({ id: task.realm, secrets: wanted.secrets }), task.realm);
  const file = exchange.make(task.file);
  try {
    const way = keyFor(exchange, task.file);
    const leftOut: LeftOut = new Map();
    let entries = 0;
    let buffer = ldifHeader;
    for await (const text of realmText(realm, wanted, way, leftOut)) {
      buffer += text;
      entries++;
      if (buffer.length < textCharacters) continue;
      await file.write(utf8(buffer));
      buffer = '';
      signal.throwIfAborted();
      await report.progress(entries, Math.floor((entries * 100) / Math.max(1, realm.count)));
    }
    await file.write(utf8(buffer));
    signal.throwIfAborted();
    await file.end();
    for (const line of tellLeftOut(leftOut)) report.message(line);
    return { state: 'done', result: `${entries.toLocaleString('en')} entries exported to ${task.file}`, done: entries };
  } catch (error) {
    file.drop();
    throw error;
  }
}

function opened(realm: OpenedRealm, id: string): RealmEntries {
  switch (realm.kind) {
    case 'open':
      return realm.realm;
    case 'unknown':
      throw refuse(errors.taskRealm, { realm: id });
    case 'absent':
      throw refuse(errors.taskFailed, { why: 'the entries of this service are in memory: there is no file to read' });
    case 'refused':
      throw refuse(errors.taskFailed, { why: realm.lines.join('; ') });
  }
}
