import { equalBytes } from '#base';
import { refuse } from '#catalogue';
import type { Control, Result, SearchRequest } from '#ldap';
import type { ReadableEntry, Snapshot } from '#store';
import { isLimited } from '../access/asker.ts';
import type { Rights } from '../access/rights.ts';
import type { Call } from '../call.ts';
import { checkAssertion } from '../controls/assertion.ts';
import { noControls } from '../controls/kind.ts';
import { manageDsaIt } from '../controls/manage-dsa-it.ts';
import { matchedValues } from '../controls/matched-values.ts';
import { hasAny } from '../dse.ts';
import { errors } from '../errors.ts';
import { findBase } from '../lookup.ts';
import { settingsAt } from '../realms.ts';
import { done } from '../result.ts';
import { subschemaKey } from '../subschema/stored.ts';
import { withoutAliases } from './aliases.ts';
import { tellOfReferrals } from './continuations.ts';
import { type Dereferencing, dereferencingOf } from './dereferenced.ts';
import { type Edges, type Extent, extentOf, inScope, realmScope } from './extent.ts';
import { type GuardedFilter, guardedFilter } from './filter.ts';
import { matchedProjection } from './matched.ts';
import { alone, goOn, isOrdered } from './ordered.ts';
import type { Projection } from './project.ts';
import type { Wanted } from './select.ts';
import { type Sieve, sieveOf, tellsOfReferrals } from './sieve.ts';
import { type Batch, type Source, sourceOf, type Visits } from './sources.ts';
import { searchRootDse, searchSubschema } from './special.ts';
import { entriesOfTurn, turnOctetsMax, turnRowsMax } from './turn.ts';

/** A search once its base is found: everything that is the same for all of its entries. */
export interface Running {
  readonly call: Call;
  readonly request: SearchRequest;
  readonly wanted: Wanted;
  readonly base: ReadableEntry;
  /** What aliases add to the scope. */
  readonly extent: Extent | undefined;
  readonly edges: Edges | undefined;
  readonly whole: boolean;
  readonly sieve: Sieve | undefined;
  /** Entries that may be sent. */
  sizeMax: number;
  /** Entries that are sent before it stops: those of a page, or as many as may be sent. */
  stopAt: number;
  /** Whether it stops there for a pause, and not because that is the limit. */
  isPaged: boolean;
  /** Whether it paused, and more are to come on the next page. */
  paused: boolean;
  readonly deadlineMs: number;
  readonly views: Map<Rights, View>;
  readonly dereferencing: Dereferencing | undefined;
  readonly visits: Visits | undefined;
  /** Entries looked at in one turn. */
  readonly turnEntries: number;
  sent: number;
  /** What a turn had taken from its source and left to the next. */
  left: Batch | undefined;
  /** Told of each entry that is sent, where somebody wants to know which was the last. */
  sending?: (entry: ReadableEntry) => void;
}

/** Filter and projection for the entries of one place. */
interface View {
  readonly rights: Rights;
  readonly filter: GuardedFilter;
  readonly project: Projection;
  /** What the projection of an entry was to look at besides, in octets: of those that leave values out. */
  readonly looked: (() => number) | undefined;
}

/**
 * Searches: candidates from an index or a walk of the scope, then filter, access and projection, and the entries streamed back no faster than
 * the peer reads. Ends in one turn of the event loop when there is little to look at and nothing to wait for.
 *
 * @throws Refusal  RFC 4511 §4.5: invalidDNSyntax, referral, noSuchObject, aliasProblem, aliasDereferencingProblem, sizeLimitExceeded,
 *                  timeLimitExceeded
 * @param snapshot  where one of this turn of the event loop is held
 */
export function search(
  call: Call,
  request: SearchRequest,
  visits?: Visits,
  snapshot = call.engine.store.snapshot(),
): Result | Promise<Result> {
  const { engine, asker } = call;
  const { prepared } = engine;
  const wanted = prepared.selection(request.attributes);
  if (request.baseObject === '' && request.scope === 'base') return alone(call, searchRootDse(call, request, wanted));
  let named = prepared.base(request.baseObject);
  if (equalBytes(named.name.key, subschemaKey)) return alone(call, searchSubschema(call, request, wanted));

  const visitedBefore = snapshot.visited;
  const { derefAliases, scope } = request;
  const findsThrough = derefAliases === 'findingBaseObj' || derefAliases === 'always';
  if (findsThrough && hasAny(engine, snapshot, 'alias')) named = withoutAliases(call, snapshot, named);
  const base = findBase(engine, asker, snapshot, named, { controls: call.controls, scope });
  const isPlain = call.controls === noControls;
  if (!isPlain) checkAssertion(call, snapshot, asker.rightsOn(base, snapshot), () => base);
  const limits = isLimited(asker, base, snapshot) ? settingsAt(engine, snapshot, base.dnKey) : undefined;
  const sizeMax = limitOf(request.sizeLimit, limits?.['ldap.searchSizeLimit']);
  const extent = extentOf(call, request, base, snapshot);
  const { edges, whole } = realmScope(engine, snapshot, base, extent);
  const tells = tellsOfReferrals(call, request, snapshot);
  const running: Running = {
    call,
    request,
    wanted,
    base,
    extent,
    edges,
    whole,
    sieve: sieveOf(call, request, base, snapshot, tells),
    sizeMax,
    stopAt: sizeMax,
    isPaged: false,
    paused: false,
    deadlineMs: engine.clock.nowMs() + 1000 * limitOf(request.timeLimitS, limits?.['ldap.searchTimeLimitS']),
    views: new Map(),
    dereferencing: isPlain ? undefined : dereferencingOf(call),
    visits,
    turnEntries: entriesOfTurn(request.filter, asker.assertionsOn(base.dnKey, snapshot)),
    sent: 0,
    left: undefined,
  };
  if (tells) return tellOfReferrals(running).then(() => begin(running));
  return begin(running, snapshot, visitedBefore);
}

function begin(
  running: Running,
  snapshot = running.call.engine.store.snapshot(),
  visitedBefore = snapshot.visited,
): Result | Promise<Result> {
  const { call, request, visits } = running;
  if (call.controls !== noControls && isOrdered(call))
    return goOn(running, { fits: (...about) => viewFor(running, ...about)?.rights, send: (source) => send(running, source) });
  const source = sourceOf(call, request, running, snapshot, visits);
  return send(running, source, snapshot, visitedBefore);
}

/** Sends what fits of a source, up to its end or to the pause behind a page. */
function send(
  running: Running,
  source: Source,
  snapshot = running.call.engine.store.snapshot(),
  visitedBefore = 0,
): Result | Promise<Result> {
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
  readonly controls: readonly Control[] | undefined;
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
    const view = viewFor(running, entry, snapshot, batch.exact);
    if (view === undefined) continue;
    if (running.sent >= running.stopAt) {
      if (running.isPaged) pause(running, batch, at);
      else limit = 'size';
      break;
    }
    running.sent++;
    running.sending?.(entry);
    const attributes = view.project(entry, snapshot, asker);
    const controls = running.dereferencing?.(entry, snapshot, view.rights);
    if (entry.large.length > 0) octets += octetsOf(attributes);
    if (view.looked !== undefined) octets += view.looked();
    if (controls !== undefined) octets += controls.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
    if (wait === undefined) reply.entry(entry.dnOctets, attributes, controls);
    else held.push({ dn: entry.dnOctets, attributes, controls });
  }
  if (running.visits !== undefined) running.visits.visited += snapshot.visited - visitedBefore;
  const finished = running.paused || (batch.last && running.left === undefined);
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
  for (const { dn, attributes, controls } of answers) running.call.reply.entry(dn, attributes, controls);
}

function octetsOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

/** Leaves the rest of a batch to the next page. */
function pause(running: Running, batch: Batch, at: number): void {
  running.left = { ids: batch.ids.slice(at), exact: false, last: batch.last };
  running.paused = true;
}

/** How who asks sees an entry; nothing when it does not belong to the answer. */
function viewFor(running: Running, entry: ReadableEntry, snapshot: Snapshot, exact: boolean): View | undefined {
  if (!inScope(running, entry)) return undefined;
  const rights = running.call.asker.rightsOn(entry, snapshot);
  if (!rights.visible) return undefined;
  const view = viewOf(running, rights);
  if (!(exact && view.filter.whole) && !view.filter.fits(entry, snapshot)) return undefined;
  return running.sieve?.(entry) ? undefined : view;
}

function viewOf(running: Running, rights: Rights): View {
  let view = running.views.get(rights);
  if (view === undefined) {
    const { request, wanted, call } = running;
    const { schema, prepared } = call.engine;
    const project = prepared.projection(wanted, rights, request.typesOnly, call.controls.has(manageDsaIt));
    const items = request.typesOnly ? undefined : call.controls.of(matchedValues);
    const matched = items && matchedProjection(schema, items, rights, project);
    view = {
      rights,
      filter: guardedFilter(call, request.filter, rights),
      project: matched?.project ?? project,
      looked: matched?.looked,
    };
    running.views.set(rights, view);
  }
  return view;
}
