import { refuse } from '#catalogue';
import type { Engine } from '#directory';
import type { Change, Expectation } from '#store';
import { errors } from './errors.ts';

/**
 * What has to stay as it is for entries to be added: the entries above them that are not added with them. Others may delete these while a file is read.
 *
 * @param realmId  the realm that the entries are added to
 * @throws Refusal `taskRealm` when it is gone or about to go, `taskFailed` when something above them is gone
 */
export function aboveThem({ realms, store }: Pick<Engine, 'realms' | 'store'>, realmId: string, changes: readonly Change[]): Expectation[] {
  const snapshot = store.snapshot();
  if (realms.in(snapshot).byId(realmId)?.state !== 'active') throw refuse(errors.taskRealm, { realm: realmId });
  const entries = changes.flatMap((change) => (change.kind === 'delete' ? [] : [change.entry]));
  const own = new Set(entries.map(({ uuid }) => uuid));
  const above = new Set(entries.flatMap(({ parent }) => (parent === undefined || own.has(parent) ? [] : [parent])));
  return [...above].map((uuid) => {
    const entry = snapshot.byUuid(uuid);
    if (entry === undefined) throw refuse(errors.taskFailed, { why: 'somebody has deleted an entry that others of the file stand below' });
    return { kind: 'unchanged', uuid, csn: entry.csn };
  });
}
