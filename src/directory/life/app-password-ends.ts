import { equalBytes } from '#base';
import type { EntryRecord, WatchedChange } from '#store';
import { appPasswordsIn, changedIds } from '../app-passwords.ts';
import { type Engine, newestEngine } from '../engine.ts';
import { realmOf } from '../realms.ts';
import { attributesOf } from '../record.ts';

/**
 * Watches app passwords: one that is gone, or is not what it was, lets nobody stay who came in with it. What happens by itself at its time is the listener's.
 * Connections do not outlive the service, so that nothing is to be caught up with.
 *
 * @param end  ends what was begun with them. @returns how many there were
 * @returns stops it
 */
export function watchAppPasswords(opened: Engine, end: (holder: string, ids: readonly string[]) => Promise<number>): () => void {
  return opened.store.watch((changes) => {
    for (const change of changes) {
      const ids = endedBy(newestEngine(opened), change);
      if (ids.length > 0) void endAll(newestEngine(opened), change, ids, end);
    }
  });
}

async function endAll(
  engine: Engine,
  { before }: WatchedChange,
  ids: readonly string[],
  end: (holder: string, ids: readonly string[]) => Promise<number>,
): Promise<void> {
  if (before === undefined) return;
  const count = await end(before.uuid, ids);
  if (count === 0) return;
  const realm = realmOf(engine, engine.store.snapshot(), before.dnKey)?.id ?? engine.realms.default.id;
  const summary = `app passwords are good no longer or for something else; ended LDAP connections: ${count}`;
  const said = { action: 'account.end', outcome: 'success', summary, correlationId: 'life', address: '' } as const;
  engine.audit.record({ realm, door: 'service', subject: `urn:uuid:${before.uuid}`, ...said });
}

/** The ids of those that are no more what they were. Of an entry that is deleted everything ends elsewhere. */
function endedBy({ schema }: Engine, { change, before }: WatchedChange): readonly string[] {
  if (change.kind === 'delete' || before === undefined || before.secret.length === 0) return [];
  if (equalBytes(before.secret, change.entry.secret)) return [];
  const held = (entry: EntryRecord) => appPasswordsIn(attributesOf(schema, entry));
  return changedIds(held(before), held(change.entry));
}
