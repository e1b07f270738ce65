import { setImmediate as turnOver } from 'node:timers/promises';
import { refuse } from '#catalogue';
import type { Control, SearchRequest } from '#ldap';
import type { ReadableEntry, Snapshot } from '#store';
import { isLimited } from '../access/asker.ts';
import type { Call } from '../call.ts';
import { errors } from '../errors.ts';
import { settingsAt } from '../realms.ts';
import { realmScope } from '../search/extent.ts';
import { type Batch, sourceOf } from '../search/sources.ts';
import { entriesOfTurn, turnOctetsMax, turnRowsMax } from '../search/turn.ts';
import type { Content, Shown } from './content.ts';

export interface Limits {
  /** @throws Refusal `sizeLimit` (4) for one entry too many */
  count(): void;
  /** @throws Refusal `timeLimit` (3) */
  check(): void;
}

/** What of the limits of a search counts until it has sent what is there: not for what comes later. They are those of the realm it looks in. */
export function limitsOf(
  { engine, asker }: Pick<Call, 'engine' | 'asker'>,
  { sizeLimit, timeLimitS }: SearchRequest,
  base: ReadableEntry,
  snapshot: Snapshot,
): Limits {
  const settings = isLimited(asker, base, snapshot) ? settingsAt(engine, snapshot, base.dnKey) : undefined;
  const least = (asked: number, allowed = Number.POSITIVE_INFINITY) => Math.min(asked === 0 ? Number.POSITIVE_INFINITY : asked, allowed);
  const sizeMax = least(sizeLimit, settings?.['ldap.searchSizeLimit']);
  const deadlineMs = engine.clock.nowMs() + 1000 * least(timeLimitS, settings?.['ldap.searchTimeLimitS']);
  let sent = 0;
  return {
    count() {
      if (++sent > sizeMax) throw refuse(errors.sizeLimit);
    },
    check() {
      if (engine.clock.nowMs() > deadlineMs) throw refuse(errors.timeLimit);
    },
  };
}

/** What the walk leaves out: asked of each turn's entries once all that could be seen in it is on disk. */
export type LeftOut = () => (uuid: string) => boolean;

/** Sends all that is in the content, and nothing that is not on disk. */
export async function sendContent(
  call: Call,
  request: SearchRequest,
  base: ReadableEntry,
  content: Content,
  limits: Limits,
  { leftOut, controls }: { readonly leftOut?: LeftOut; readonly controls?: (shown: Shown) => readonly Control[] },
): Promise<void> {
  const { engine, reply } = call;
  const first = engine.store.snapshot();
  const source = sourceOf(call, request, { base, extent: undefined, ...realmScope(engine, first, base) }, first, undefined);
  const turnEntries = entriesOfTurn(request.filter, call.asker.assertionsOn(base.dnKey, first));
  let left: Batch | undefined;
  for (;;) {
    await reply.full();
    if (reply.ended) return;
    limits.check();
    const snapshot = engine.store.snapshot();
    const batch = left ?? source.next(snapshot, turnEntries);
    const { shown, through } = look(batch, content, snapshot);
    await engine.store.durable(snapshot.number);
    const isLeftOut = leftOut?.();
    for (const each of shown) {
      if (isLeftOut?.(each.uuid) === true) continue;
      limits.count();
      reply.entry(each.dn, each.attributes, controls?.(each));
    }
    left = through === batch.ids.length ? undefined : { ...batch, ids: batch.ids.slice(through) };
    if (batch.last && left === undefined) return;
    await turnOver();
  }
}

function look({ ids }: Batch, content: Content, snapshot: Snapshot): { readonly shown: readonly Shown[]; readonly through: number } {
  const shown: Shown[] = [];
  let octets = 0;
  let through = 0;
  const rowsBefore = snapshot.visited;
  for (; through < ids.length && octets < turnOctetsMax && snapshot.visited - rowsBefore < turnRowsMax; through++) {
    const entry = snapshot.readable(ids[through] ?? 0);
    if (entry === undefined) continue;
    octets += entry.octets;
    const found = content.holds(entry, snapshot);
    if (found === undefined) continue;
    for (const piece of found.attributes) octets += piece.length;
    shown.push(found);
  }
  return { shown, through };
}
