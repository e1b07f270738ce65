import { refuse } from '#catalogue';
import { sha256 } from '#keys';
import { encodeMessage, type Result, resultCodes } from '#ldap';
import type { ReadableEntry, Snapshot } from '#store';
import type { Rights } from '../access/rights.ts';
import type { Call } from '../call.ts';
import { type EndOfPage, pageBehind, pageBehindAnswer } from '../controls/page-behind.ts';
import { type PagedResults, pagedResults, pagedResultsAnswer } from '../controls/paged-results.ts';
import { sessionTracking } from '../controls/session-tracking.ts';
import { type SortOutcome, sorted, sorting, sortingAnswer } from '../controls/sorting.ts';
import { type ListView, listViewAnswer, viewCodes, virtualListView } from '../controls/virtual-list-view.ts';
import { errors } from '../errors.ts';
import { done } from '../result.ts';
import { type Cursor, cookieOctets, cursorsOf, type Owner } from './cursors.ts';
import type { Running } from './search.ts';
import { sortEntries } from './sort.ts';
import { readSortKeys, type SortKey, sortTexts } from './sort-keys.ts';
import { listSource, type Source, sourceFrom, sourceOf } from './sources.ts';
import { entriesBefore, textsReader, windowOf } from './view.ts';

/** What a search does for those that put its entries in order or in pages. */
export interface Steps {
  /** The rights on an entry that belongs to the answer; nothing for any other. */
  fits(entry: ReadableEntry, snapshot: Snapshot, exact: boolean): Rights | undefined;
  /** Sends what fits of a source, up to its end or to the pause behind a page. */
  send(source: Source): Result | Promise<Result>;
}

/** Whether a search is asked for in pages, in order, or for a part of it. */
export function isOrdered({ controls }: Call): boolean {
  return controls.has(pagedResults) || controls.has(sorting) || controls.has(virtualListView) || controls.has(pageBehind);
}

/**
 * Performs a search with these controls: finds where an earlier one stopped, or puts the entries in order, sends the page or the part that is asked for, and
 * keeps where the next one begins.
 *
 * @throws Refusal `pageCookieUnknown`, `pageRequestOther` (LDAP 53), `sortRefused` (12), `listViewRefused` (76), `listViewInPages` (53), and what a search refuses
 */
export async function goOn(running: Running, steps: Steps): Promise<Result> {
  const { controls } = running.call;
  const paging = pagingOf(running);
  const view = controls.of(virtualListView);
  if (view !== undefined && controls.has(pagedResults)) throw refuse(errors.listViewInPages);
  const owner: Owner = { connection: running.call.connection, signature: signatureOf(running) };
  if (view !== undefined) return showPart(running, steps, view, owner);
  if (paging === undefined && controls.has(pageBehind)) return sendBehind(running, steps);
  if (paging === undefined) return steps.send(await orderedSource(running, steps));
  return sendPage(running, steps, paging, owner);
}

/** Of a search that finds one entry at most, root DSE and schema: it is all of its pages, and in order. */
export function alone({ controls }: Call, result: Result): Result {
  if (controls.has(virtualListView)) {
    controls.answer(listViewAnswer({ position: 0, count: 0, code: resultCodes.unwillingToPerform }));
    throw refuse(errors.listViewRefused);
  }
  if (controls.has(sorting)) controls.answer(sortingAnswer(sorted));
  if (controls.has(pagedResults)) controls.answer(pagedResultsAnswer(0, none));
  return result;
}

/** RFC 2696 §3: a page that could hold all that is asked for is no page. */
function pagingOf({ call, request }: Running): PagedResults | undefined {
  const paging = call.controls.of(pagedResults);
  if (paging === undefined || (request.sizeLimit > 0 && paging.size >= request.sizeLimit && paging.cookie.length === 0)) return undefined;
  return paging;
}

async function sendPage(running: Running, steps: Steps, { size, cookie }: PagedResults, owner: Owner): Promise<Result> {
  const { controls, engine, reply } = running.call;
  const cursor = cookie.length === 0 ? undefined : claim(running, cookie, owner);
  // RFC 2696 §3: size 0 ends it.
  if (size === 0) {
    controls.answer(pagedResultsAnswer(0, none));
    return done;
  }
  const sentBefore = cursor?.sent ?? 0;
  running.left = cursor?.left;
  // Limits are those of the whole search, however many pages it has.
  running.sizeMax = Math.max(0, running.sizeMax - sentBefore);
  running.isPaged = size <= running.sizeMax;
  running.stopAt = Math.min(size, running.sizeMax);
  const source = cursor === undefined ? await orderedSource(running, steps) : sourceAt(running, cursor);
  const result = await steps.send(source);
  if (reply.ended) return result;
  const place = source.place();
  const next = running.paused ? cursorsOf(engine).keep(owner, { place, left: running.left, sent: sentBefore + running.sent }) : none;
  controls.answer(pagedResultsAnswer(place.order === 'list' ? place.ids.length : 0, next));
  return result;
}

/** A page of which nothing is kept: it begins behind the entry that is named, and says which was its last. Entries that are sorted have no second page. */
async function sendBehind(running: Running, steps: Steps): Promise<Result> {
  const { call, request } = running;
  const { controls, engine, reply } = call;
  const asked = controls.of(pageBehind);
  if (asked === undefined) throw new Error('a page that nobody asked for');
  const { size, behind } = asked;
  running.isPaged = size <= running.sizeMax;
  running.stopAt = Math.min(size, running.sizeMax);
  let lastSent: { readonly id: number; readonly name: Uint8Array } | undefined;
  running.sending = ({ id, dnKey }) => {
    // Read entries are views of a cache: what is kept is a copy.
    if (running.sent === running.stopAt) lastSent = { id, name: new Uint8Array(dnKey) };
  };
  const source =
    behind === undefined ? await orderedSource(running, steps) : sourceFrom(behind, call, request, running, engine.store.snapshot());
  const result = await steps.send(source);
  if (!reply.ended) controls.answer(pageBehindAnswer(running.paused && lastSent !== undefined ? endOf(source, lastSent) : undefined));
  return result;
}

function endOf(source: Source, { id, name }: { readonly id: number; readonly name: Uint8Array }): EndOfPage | undefined {
  switch (source.place().order) {
    case 'id':
      return { order: 'id', after: id };
    case 'name':
      return { order: 'name', after: name };
    case 'list':
      return undefined;
  }
}

const none = new Uint8Array(0);

/** A cookie is good once: who asks for a page again begins anew. @throws Refusal `controlMalformed` (2) for what no cookie looks like, as slapd says */
function claim({ call }: Running, cookie: Uint8Array, owner: Owner): Cursor {
  if (cookie.length !== cookieOctets) throw refuse(errors.controlMalformed, { oid: pagedResults.oid });
  const cursors = cursorsOf(call.engine);
  const cursor = cursors.find(owner, cookie);
  if (cursor === undefined) throw refuse(errors.pageCookieUnknown);
  if (cursor === 'foreign') throw refuse(errors.pageRequestOther);
  cursors.remove(cookie);
  return cursor;
}

function sourceAt(running: Running, { place }: Cursor): Source {
  const { call, request } = running;
  if (call.controls.has(sorting) && place.order === 'list') call.controls.answer(sortingAnswer(sorted));
  return sourceFrom(place, call, request, running, call.engine.store.snapshot());
}

/** Everything that must be the same for a cookie to be good: the request itself, and those controls that say what it finds and in which order. */
function signatureOf({ call, request }: Running): Uint8Array {
  const moving: readonly string[] = [pagedResults.oid, virtualListView.oid, sessionTracking.oid];
  const controls = call.controls.counted.filter(({ oid }) => !moving.includes(oid));
  return sha256(encodeMessage({ messageId: 1, op: request, controls }));
}

/** The entries in the order that is asked for, or as they come when that cannot be and need not (RFC 2891 §2). */
async function orderedSource(running: Running, steps: Steps): Promise<Source> {
  const { call } = running;
  const asked = call.controls.of(sorting);
  if (asked === undefined) return unordered(running);
  const made = await sort(running, steps);
  if (made.kind === 'sorted') return listSource(made.ids, 0);
  if (asked.critical) throw refuse(errors.sortRefused);
  return unordered(running);
}

function unordered(running: Running): Source {
  const { call, request, visits } = running;
  return sourceOf(call, request, running, call.engine.store.snapshot(), visits);
}

type Sorted =
  | { readonly kind: 'sorted'; readonly ids: Float64Array; readonly keys: readonly SortKey[] }
  | { readonly kind: 'refused'; readonly outcome: SortOutcome };

/** Sorts, and answers how it went. */
async function sort(running: Running, { fits }: Steps): Promise<Sorted> {
  const { call, deadlineMs, turnEntries } = running;
  const { controls, engine } = call;
  const refused = (outcome: SortOutcome): Sorted => {
    controls.answer(sortingAnswer(outcome));
    return { kind: 'refused', outcome };
  };
  const keys = readSortKeys(engine.schema, controls.of(sorting)?.keys ?? []);
  if ('code' in keys) return refused(keys);
  const ids = await sortEntries({ call, deadlineMs, turnEntries, fits }, keys, unordered(running));
  if (ids !== undefined && 'code' in ids) return refused(ids);
  call.controls.answer(sortingAnswer(sorted));
  return { kind: 'sorted', ids: ids ?? new Float64Array(0), keys };
}

/** Sends a part of a sorted list (draft-ietf-ldapext-ldapv3-vlv-09). The list is kept, so that the next part is of the same one. */
async function showPart(running: Running, steps: Steps, view: ListView, owner: Owner): Promise<Result> {
  const { controls, engine, asker } = running.call;
  const { schema, store } = engine;
  const refused = (code: number, count = 0) => {
    controls.answer(listViewAnswer({ position: 0, count, code }));
    return refuse(errors.listViewRefused);
  };
  if (!controls.has(sorting)) throw refused(viewCodes.sortControlMissing);
  const list = await listFor(running, steps, view, owner);
  if (list.kind === 'refused') throw refused(list.outcome.code);
  const { ids, keys, context } = list;

  const snapshot = store.snapshot();
  const textsAt = textsReader(snapshot, sortTexts(schema, keys), (entry) => asker.rightsOn(entry, snapshot));
  const window = windowOf(view, ids.length, (value) => entriesBefore(ids, keys, value, textsAt));
  if (typeof window === 'number') throw refused(window, ids.length);
  const { from, to, position } = window;
  controls.answer(listViewAnswer({ position, count: ids.length, code: resultCodes.success, context }));
  return steps.send(listSource(ids.subarray(from, to), 0));
}

/** The list that an earlier answer's contextID names, when it is still there; otherwise a new one. */
async function listFor(
  running: Running,
  steps: Steps,
  { context }: ListView,
  owner: Owner,
): Promise<(Sorted & { readonly kind: 'refused' }) | (Sorted & { readonly kind: 'sorted'; readonly context: Uint8Array })> {
  const { call } = running;
  const cursors = cursorsOf(call.engine);
  const known = context === undefined ? undefined : cursors.find(owner, context);
  const keys = readSortKeys(call.engine.schema, call.controls.of(sorting)?.keys ?? []);
  if (context !== undefined && known !== undefined && known !== 'foreign' && known.place.order === 'list' && !('code' in keys)) {
    call.controls.answer(sortingAnswer(sorted));
    return { kind: 'sorted', ids: known.place.ids, keys, context };
  }
  const made = await sort(running, steps);
  if (made.kind === 'refused') return made;
  const place = { order: 'list', ids: made.ids, at: 0 } as const;
  return { ...made, context: cursors.keep(owner, { place, left: undefined, sent: 0 }) };
}
