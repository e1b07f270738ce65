import { utf8 } from '#base';
import { Refusal } from '#catalogue';
import { normalizer } from '#schema';
import type { StoredEntry } from '#store';
import { askerOf } from './access/asker.ts';
import { noControls } from './controls/kind.ts';
import { className, expiryOf } from './dynamic-entries.ts';
import { type Engine, newestEngine } from './engine.ts';
import { indexKey } from './indexing.ts';
import { remove } from './operations/delete.ts';
import { nameOf } from './realm.ts';
import { realmOf } from './realms.ts';
import type { Connection, Identity, Reply } from './types.ts';
import { commit } from './write.ts';

const sweeper: Identity = { dn: undefined, uuid: undefined, strength: 'operatorsSocket' };
const sweepPage = 1000;

/**
 * Deletes the dynamic entries whose time is over, as an administrator would. One with entries below it waits for them.
 *
 * @returns what to report of the run
 */
export async function sweepDynamic(opened: Engine): Promise<string> {
  const engine = newestEngine(opened);
  const nowMs = engine.clock.nowMs();
  const type = engine.schema.attributeType('objectClass');
  const form = type === undefined ? undefined : normalizer(type)(utf8(className));
  if (type === undefined || form === undefined) return 'no schema defines dynamic entries';
  const over: string[] = [];
  const snapshot = engine.store.snapshot();
  for (let afterId = 0; ; ) {
    const ids = snapshot.idsEqual(type.key, indexKey(type, form), sweepPage, afterId);
    for (const id of ids) {
      const entry = snapshot.readable(id);
      const expiresMs = entry === undefined ? undefined : expiryOf(entry);
      if (entry !== undefined && expiresMs !== undefined && expiresMs <= nowMs) over.push(entry.dn);
    }
    if (ids.length < sweepPage) break;
    afterId = ids.at(-1) ?? afterId;
  }
  let deleted = 0;
  // What lies deepest goes first: its superior is free then.
  for (const dn of over.toSorted((a, b) => b.length - a.length)) if (await expire(engine, dn, nowMs)) deleted++;
  return `${deleted} dynamic entries have gone`;
}

/** @returns false for one that was refreshed, went or got subordinates meanwhile */
async function expire(engine: Engine, dn: string, nowMs: number): Promise<boolean> {
  const signal = new AbortController().signal;
  const reply: Reply = {
    send: () => undefined,
    notify: () => undefined,
    entry: () => undefined,
    full: () => undefined,
    lasts: () => undefined,
    ended: false,
    signal,
  };
  const connection: Connection = {
    ...{ id: 'sweep', door: 'operators', address: '', loopback: true, secure: true },
    ...{ identity: sweeper, trusted: false },
  };
  const call = { engine, connection, reply, controls: noControls, asker: askerOf(engine, sweeper, connection) };
  try {
    const isDue = (entry: StoredEntry) => (expiryOf(entry) ?? Number.POSITIVE_INFINITY) <= nowMs;
    await commit(call.engine, remove(call, { kind: 'delRequest', entry: dn }, isDue));
    const subject = 'u:operator';
    const said = { action: 'ldap.expire', outcome: 'success' as const, summary: `deleted ${dn}: it was not refreshed` };
    engine.audit.record({
      realm: realmOf(engine, engine.store.snapshot(), nameOf(engine.schema, dn).key)?.id ?? '',
      door: 'operators',
      subject,
      correlationId: 'sweep',
      address: '',
      ...said,
    });
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
