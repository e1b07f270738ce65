import { Refusal } from '#catalogue';
import { askerOf } from '../access/asker.ts';
import { noControls } from '../controls/kind.ts';
import { classIndex, dseKey } from '../dse.ts';
import { type Engine, newestEngine } from '../engine.ts';
import { remove } from '../operations/delete.ts';
import { nameOf } from '../realm.ts';
import { realmOf } from '../realms.ts';
import type { Connection, Identity, Reply } from '../types.ts';
import { commit } from '../write.ts';
import { endKeyOf } from './next-end.ts';
import { saidBy } from './tombstones.ts';

const purger: Identity = { dn: undefined, uuid: undefined, strength: 'operatorsSocket' };
const page = 500;

/**
 * Deletes what is kept of people who were deleted and whose time to be restored is over.
 *
 * @returns what to report of the run
 */
export async function purgeTombstones(opened: Engine): Promise<string> {
  const engine = newestEngine(opened);
  const now = endKeyOf(engine.clock.nowMs());
  let purged = 0;
  for (let afterId = 0; ; ) {
    const snapshot = engine.store.snapshot();
    const ids = snapshot.idsEqual(classIndex, dseKey(engine.schema, 'stsTombstone'), page, afterId);
    const due = ids.flatMap((id) => {
      const entry = snapshot.byId(id);
      const [at = ''] = entry === undefined ? [] : saidBy(entry, 'stsPurgeTime');
      return entry !== undefined && at !== '' && at.slice(0, 14) <= now.slice(0, 14) ? [entry.dn] : [];
    });
    for (const dn of due) if (await purge(engine, dn)) purged++;
    if (ids.length < page) return `${purged} deleted people have gone for good`;
    afterId = ids.at(-1) ?? afterId;
    await new Promise(setImmediate);
  }
}

async function purge(engine: Engine, dn: string): Promise<boolean> {
  const reply: Reply = {
    ...{ send: () => undefined, notify: () => undefined, entry: () => undefined, full: () => undefined, lasts: () => undefined },
    ...{ ended: false, signal: new AbortController().signal },
  };
  const connection: Connection = {
    ...{ id: 'purge', door: 'operators', address: '', loopback: true, secure: true },
    ...{ identity: purger, trusted: false },
  };
  const call = { engine, connection, reply, controls: noControls, asker: askerOf(engine, purger, connection) };
  try {
    const realm = realmOf(engine, engine.store.snapshot(), nameOf(engine.schema, dn).key)?.id ?? '';
    await commit(engine, remove(call, { kind: 'delRequest', entry: dn }));
    const said = { action: 'account.purge', outcome: 'success', summary: `what was kept of ${dn} has gone` } as const;
    engine.audit.record({ realm, door: 'service', subject: dn, correlationId: 'purge', address: '', ...said });
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
