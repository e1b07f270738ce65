import { equalBytes } from '#base';
import { refuse } from '#catalogue';
import type { Filter, Result, SearchRequest } from '#ldap';
import { isWithin } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';
import type { Rights } from '../access/resolve.ts';
import type { Call } from '../call.ts';
import { errors } from '../errors.ts';
import { findBase } from '../lookup.ts';
import { done } from '../result.ts';
import { type GuardedFilter, guardedFilter } from './filter.ts';
import type { Projection } from './project.ts';
import type { Wanted } from './select.ts';
import { type Batch, type Source, sourceOf, type Visits } from './sources.ts';
import { searchRootDse, searchSubschema } from './special.ts';

/**
 * What a search looks at before it lets others have the event loop: entries, their octets, assertions of its filter on them, and rows besides, of those
 * groups that `memberOf` names above all.
 */
const turnEntriesMax = 256;
const turnRowsMax = 4096;
const turnOctetsMax = 1_048_576;
const turnAssertionsMax = 4096;

/** A search once its base is found: everything that is the same for all of its entries. */
interface Running {
  readonly call: Call;
  readonly request: SearchRequest;
  readonly wanted: Wanted;
  readonly base: ReadableEntry;
  readonly sizeMax: number;
  readonly deadlineMs: number;
  readonly views: Map<Rights, View>;
  readonly visits: Visits | undefined;
  /** Entries looked at in one turn. */
  readonly turnEntries: number;
  sent: number;
  /** What a turn had taken from its source and left to the next. */
  left: Batch | undefined;
}

/** Filter and projection for the entries of one place. */
interface View {
  readonly filter: GuardedFilter;
  readonly project: Projection;
}

/**
 * Searches: candidates from an index or a walk of the scope, then filter, access and projection, and the entries streamed back no faster than
 * the peer reads. Ends in one turn of the event loop when there is little to look at and nothing to wait for.
 *
 * @throws Refusal  RFC 4511 §4.5: invalidDNSyntax, noSuchObject, sizeLimitExceeded, timeLimitExceeded
 */
export function search(call: Call, request: SearchRequest, visits?: Visits): Result | Promise<Result> {
  const { engine, asker } = call;
  const { prepared, store } = engine;
  const wanted = prepared.selection(request.attributes);
  if (request.baseObject === '' && request.scope === 'base') return searchRootDse(call, request, wanted);
  const named = prepared.base(request.baseObject);
  if (equalBytes(named.name.key, engine.realm.subschema.key)) return searchSubschema(call, request, wanted);

  const snapshot = store.snapshot();
  const visitedBefore = snapshot.visited;
  const base = findBase(engine, asker, snapshot, named);
  const limited = asker.who === 'anonymous' || asker.who === 'person';
  const running: Running = {
    call,
    request,
    wanted,
    base,
    sizeMax: limitOf(request.sizeLimit, limited ? engine.settings['ldap.searchSizeLimit'] : undefined),
    deadlineMs: engine.clock.nowMs() + 1000 * limitOf(request.timeLimitS, limited ? engine.settings['ldap.searchTimeLimitS'] : undefined),
    views: new Map(),
    visits,
    turnEntries: Math.max(1, Math.min(turnEntriesMax, Math.floor(turnAssertionsMax / assertionsOf(request.filter)))),
    sent: 0,
    left: undefined,
  };
  const source = sourceOf(call, request, base, snapshot, visits);
  const first = turn(running, source, snapshot, visitedBefore);
  return first.finished && first.wait === undefined ? done : proceed(running, source, first);
}

/** The smaller of what the client asked for and what it is allowed; 0 from the client and `undefined` mean no limit. */
function limitOf(asked: number, allowed: number | undefined): number {
  return Math.min(asked === 0 ? Number.POSITIVE_INFINITY : asked, allowed ?? Number.POSITIVE_INFINITY);
}

/** What one turn left to do. */
interface Turn {
  readonly finished: boolean;
  /** Until the answers of the turn may be sent: they may show what is not on disk yet. */
  readonly wait: Promise<void> | undefined;
  readonly held: readonly Answer[];
}

interface Answer {
  readonly dn: Uint8Array;
  readonly attributes: readonly Uint8Array[];
}

async function proceed(running: Running, source: Source, first: Turn): Promise<Result> {
  const { reply, engine } = running.call;
  for (let last = first; ; ) {
    if (last.wait !== undefined) {
      await last.wait;
      emit(running, last.held);
    }
    if (last.finished) return done;
    await (reply.full() ?? new Promise<void>((resolve) => setImmediate(resolve)));
    if (reply.ended) return done;
    const snapshot = engine.store.snapshot();
    last = turn(running, source, snapshot, snapshot.visited);
  }
}

/** Looks at some entries of the source, and sends those that fit at once if they are on disk. */
function turn(running: Running, source: Source, snapshot: Snapshot, visitedBefore: number): Turn {
  const { engine, asker, reply } = running.call;
  const batch = running.left ?? source.next(snapshot, running.turnEntries);
  running.left = undefined;
  const wait = engine.store.durable(snapshot.number);
  const held: Answer[] = [];
  let limit: keyof typeof limits | undefined;
  let octets = 0;
  const rowsBefore = snapshot.visited;
  for (let at = 0; at < batch.ids.length; at++) {
    if (octets >= turnOctetsMax || snapshot.visited - rowsBefore >= turnRowsMax) {
      // Not exact any more: by the next turn these entries may have changed.
      running.left = { ids: batch.ids.slice(at), exact: false, last: batch.last };
      break;
    }
    const entry = snapshot.readable(batch.ids[at] ?? 0);
    if (entry === undefined) continue;
    octets += entry.octets;
    if (!inScope(running, entry)) continue;
    const rights = asker.rightsOn(entry);
    if (!rights.visible) continue;
    const view = viewOf(running, rights);
    if (!(batch.exact && view.filter.whole) && !view.filter.fits(entry, snapshot)) continue;
    if (running.sent >= running.sizeMax) {
      limit = 'size';
      break;
    }
    running.sent++;
    const attributes = view.project(entry, snapshot, asker);
    if (entry.large.length > 0) for (const piece of attributes) octets += piece.length;
    if (wait === undefined) reply.entry(entry.dnOctets, attributes);
    else held.push({ dn: entry.dnOctets, attributes });
  }
  if (running.visits !== undefined) running.visits.visited += snapshot.visited - visitedBefore;
  const finished = batch.last && running.left === undefined;
  const late = !finished && limit === undefined && engine.clock.nowMs() > running.deadlineMs;
  if (late) limit = 'time';
  if (limit !== undefined) return endAtLimit(running, limit, wait, held);
  return { finished, wait, held };
}

const limits = { size: errors.sizeLimit, time: errors.timeLimit } as const;

/** What was found so far is sent, then the refusal (RFC 4511 §4.5.2). */
function endAtLimit(running: Running, limit: keyof typeof limits, wait: Promise<void> | undefined, held: readonly Answer[]): Turn {
  if (wait === undefined) throw refuse(limits[limit]);
  const refused = wait.then(() => {
    emit(running, held);
    throw refuse(limits[limit]);
  });
  return { finished: true, wait: refused, held: [] };
}

function emit(running: Running, answers: readonly Answer[]): void {
  if (running.call.reply.ended) return;
  for (const { dn, attributes } of answers) running.call.reply.entry(dn, attributes);
}

function viewOf(running: Running, rights: Rights): View {
  let view = running.views.get(rights);
  if (view === undefined) {
    const { prepared } = running.call.engine;
    view = {
      filter: guardedFilter(running.call, running.request.filter, rights),
      project: prepared.projection(running.wanted, rights, running.request.typesOnly),
    };
    running.views.set(rights, view);
  }
  return view;
}

/** How many assertions a filter makes, parts of substrings each for itself. */
function assertionsOf(filter: Filter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.filters.reduce((sum, each) => sum + assertionsOf(each), 1);
    case 'not':
      return assertionsOf(filter.filter);
    case 'substrings':
      return 1 + filter.any.length;
    case 'equality':
    case 'approx':
    case 'greaterOrEqual':
    case 'lessOrEqual':
    case 'present':
    case 'extensible':
      return 1;
  }
}

/** An index names entries anywhere, and a row number that was read in an earlier turn may be that of another entry by now. */
function inScope({ base, request }: Running, entry: ReadableEntry): boolean {
  switch (request.scope) {
    case 'base':
      return entry.uuid === base.uuid;
    case 'one':
      return entry.parent === base.uuid;
    case 'sub':
      return isWithin(entry.dnKey, base.dnKey);
    case 'children':
      return entry.uuid !== base.uuid && isWithin(entry.dnKey, base.dnKey);
  }
}
