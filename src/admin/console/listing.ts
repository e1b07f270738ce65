import { createBoundedMap } from '#base';
import { type Actor, allOf, type ClientEntry, equals, type FoundPage } from '#client';
import { type Filter, formatFilter, parseFilter } from '#ldap';
import { type Handler, html, type Piece, type WebRequest } from '#web';
import { errors } from '../errors.ts';
import { hasWord } from '../operations/entries-found.ts';
import { placeOf } from '../operations/paging.ts';
import { Unfit } from '../operations/unfit.ts';
import { flash } from './flash.ts';
import { consolePage, type Drawn } from './frame.ts';
import type { Admin } from './gate.ts';
import { type Column, field, filterForm, hrefOf, lostNotice, pager, table } from './parts.ts';
import { type ConsoleDeps, mayRun } from './run.ts';
import { atriumCommand, curlCommand, searchCommand, terminal } from './terminal.ts';
import { texts } from './texts.ts';

const pageMax = 50;
/** What a search is looked through for; more are counted as more. */
const foundMax = 1000;
const wordLengthMax = 200;
const filterLengthMax = 2000;
const filterDepthMax = 20;

/** A kind of entry of which there may be very many: where they stand, and what a list says of each. */
export interface Kind {
  readonly below: string;
  readonly isOne: Filter;
  /** Of the list; a thing's page stands below it, under its entryUUID. */
  readonly path: string;
  /** Attributes in which words are looked for. */
  readonly words: readonly string[];
  readonly attributes: readonly string[];
  readonly title: string;
  readonly filterHint: string;
  readonly empty: string;
  readonly columns: (request: WebRequest, nowMs: number) => readonly Column<ClientEntry>[];
  /** The operation that makes one, and the words of the way to it. */
  readonly add: readonly [operation: string, words: string];
  /** Of the management API, and of the command line where it has it. */
  readonly api: string;
  readonly command?: readonly string[];
}

/** A part of a list, with what leads on. */
interface Part {
  readonly entries: readonly ClientEntry[];
  readonly from: number;
  readonly count: { readonly of: number; readonly isAtLeast: boolean } | undefined;
  readonly next: Readonly<Record<string, string>> | undefined;
  /** Why what was typed for a filter is none. */
  readonly fault: string | undefined;
  /** What was asked for is no place in a list. */
  readonly isLost?: true;
}

/** More than these are not counted for each page anew. */
const countedMax = 2000;
/** So long what was counted of very many is told. */
const countedMs = 60_000;

/** How many stand below an entry, to who asks: of very many as it was a short while ago, since to count them costs more than to show some. */
type Counting = (admin: Pick<Admin, 'actor' | 'acting' | 'nowMs'>, base: string) => Promise<number>;

function createCounting(): Counting {
  const known = createBoundedMap<string, { readonly of: number; readonly atMs: number }>(100);
  return async ({ actor, acting, nowMs }, base) => {
    // What one may see of it is nothing to tell another.
    const name = `${acting.dn}\0${base}`;
    const last = known.get(name);
    if (last !== undefined && nowMs >= last.atMs && nowMs - last.atMs < countedMs) return last.of;
    const of = Number((await actor.read(base, ['numSubordinates']))?.one('numSubordinates') ?? 0);
    if (of > countedMax) known.set(name, { of, atMs: nowMs });
    return of;
  };
}

/** The list of a kind. */
export function createListHandler(deps: ConsoleDeps, kind: Kind): Handler {
  const counting = createCounting();
  return consolePage(deps, { needs: 'read' }, async (request, admin) => {
    const base = `${kind.below},${request.realm.suffix}`;
    return listPage(deps, request, admin, { kind, base, q: wordOf(request), part: await partOf(admin, base, kind, request, counting) });
  });
}

/** What was typed to look for. */
function wordOf({ query }: WebRequest): string {
  return (query.get('q') ?? '').trim().slice(0, filterLengthMax);
}

/**
 * Reads the part of a list that is asked for: without a word a page of the walk in the order of names, which costs the same however many there are; with one what is
 * found by the indexes, in the order of names.
 */
async function partOf(admin: Admin, base: string, kind: Kind, request: WebRequest, counting: Counting): Promise<Part> {
  const { actor } = admin;
  const q = wordOf(request);
  const from = Math.max(1, Math.min(Number.parseInt(request.query.get('from') ?? '1', 10) || 1, 100_000_000));
  if (q !== '') return found(actor, base, kind, q, from);
  const behind = behindOf(request);
  if (behind === undefined) return { entries: [], from: 1, count: undefined, next: undefined, fault: undefined, isLost: true };
  const search = { base, scope: 'children', filter: inNameOrder(kind.isOne), attributes: kind.attributes } as const;
  const [page, below] = await Promise.all([actor.page({ ...search, ...behind, size: pageMax }), counting(admin, base)]);
  const next = page.next === undefined ? undefined : { after: Buffer.from(page.next).toString('base64url'), from: String(from + pageMax) };
  return { entries: page.entries, from, count: countOf(page, from, below), next, fault: undefined };
}

/** Where the page before ended, for a search; `undefined` where `after` is no such place. */
export function behindOf({ query }: Pick<WebRequest, 'query'>): { readonly behind?: Uint8Array } | undefined {
  const after = query.get('after') ?? '';
  if (after === '') return {};
  try {
    return { behind: placeOf(after) };
  } catch (error) {
    if (error instanceof Unfit) return undefined;
    throw error;
  }
}

/** The same filter, for which no index is asked: the scope is walked, and that is in the order of names. */
function inNameOrder(filter: Filter): Filter {
  return { kind: 'not', filter: { kind: 'not', filter } };
}

/** The last page knows how many there are, whatever else stands beside them. */
function countOf({ entries, next }: FoundPage, from: number, below: number): Part['count'] {
  return { of: next === undefined ? from + entries.length - 1 : Math.max(below, from + entries.length), isAtLeast: false };
}

async function found(actor: Actor, base: string, kind: Kind, q: string, from: number): Promise<Part> {
  const asked = filterOf(q, kind.words);
  if (typeof asked === 'string') return { entries: [], from: 1, count: undefined, next: undefined, fault: asked };
  const search = (filter: Filter) =>
    actor.search({ base, scope: 'sub', filter: allOf(kind.isOne, filter), attributes: kind.attributes, sizeLimit: foundMax });
  // A name of several words is found by all of it; each word by itself many have, and every one of these would be looked at.
  const name = nameOf(q, kind.words);
  const named = name === undefined ? undefined : await search(name);
  const { entries, complete } = named !== undefined && named.entries.length > 0 ? named : await search(asked);
  const sorted = entries.toSorted((a, b) => (a.dn.toLowerCase() < b.dn.toLowerCase() ? -1 : 1));
  const shown = sorted.slice(from - 1, from - 1 + pageMax);
  const isLast = from - 1 + shown.length >= sorted.length;
  return {
    entries: shown,
    from,
    count: { of: entries.length, isAtLeast: !complete },
    next: isLast ? undefined : { from: String(from + pageMax) },
    fault: undefined,
  };
}

const uuidForm = /^(?:urn:uuid:)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** Several words as they were typed, in one attribute. */
function nameOf(q: string, words: readonly string[]): Filter | undefined {
  return q.startsWith('(') || !/\s/.test(q) ? undefined : hasWord(q.slice(0, wordLengthMax).replace(/\s+/g, ' '), words);
}

/** A word, an entryUUID, or a filter in parentheses (RFC 4515). @returns why it is none of them */
export function filterOf(q: string, words: readonly string[]): Filter | string {
  const uuid = uuidForm.exec(q)?.[1];
  if (uuid !== undefined) return equals('entryUUID', uuid.toLowerCase());
  if (!q.startsWith('('))
    return allOf(
      ...q
        .slice(0, wordLengthMax)
        .split(/\s+/)
        .slice(0, 5)
        .map((word) => hasWord(word, words)),
    );
  const parsed = parseFilter(q, { depthMax: filterDepthMax });
  return parsed.kind === 'bad' ? parsed.why : parsed.filter;
}

interface Listing {
  readonly kind: Kind;
  readonly base: string;
  readonly q: string;
  readonly part: Part;
}

function listPage(deps: ConsoleDeps, request: WebRequest, admin: Admin, { kind, base, q, part }: Listing): Drawn {
  const { realm } = request;
  const { entries, from, count, next, fault, isLost } = part;
  const [addName, addWords] = kind.add;
  const add = deps.operations.get(addName);
  const mayAdd = add !== undefined && mayRun(admin, add);
  return {
    title: kind.title,
    json: { entries: entries.map(jsonOf), next },
    ...(isLost && { status: 422, error: errors.formUnfit }),
    main: html`<h1>${kind.title}</h1>${flash(deps, request)}${isLost && lostNotice(realm, kind.path)}
<section aria-label="${kind.title}">
${filterForm(realm, kind.path, [field({ name: 'q', label: texts.filter, kind: 'search', value: q, hint: kind.filterHint, fault: fault && `${texts.filterBad}: ${fault}` })])}
${mayAdd && html`<p class="ways"><a href="${hrefOf(realm, `/admin/do/${addName}`, { back: kind.path })}">${addWords}</a></p>`}
${entries.length === 0 ? !isLost && html`<p>${q === '' ? kind.empty : texts.nothingFits}</p>` : table(kind.title, entries, kind.columns(request, admin.nowMs))}
${pager({ realm, path: kind.path, query: { q }, from, shown: entries.length, next, ...(count === undefined ? {} : { count }) })}
</section>
${sameFromTerminal(request, admin, kind, base, fault === undefined ? q : '')}`,
  };
}

function sameFromTerminal(
  request: WebRequest,
  admin: Admin,
  { isOne, words, attributes, api, command }: Kind,
  base: string,
  q: string,
): Piece {
  const isFilter = q.startsWith('(');
  const asked = q === '' ? undefined : filterOf(q, words);
  const filter = asked === undefined || typeof asked === 'string' ? isOne : allOf(isOne, asked);
  const query = q === '' ? '' : `?${new URLSearchParams(isFilter ? { filter: q } : { q }).toString()}`;
  const given = isFilter ? ['--filter', q] : q.split(/\s+/).filter((word) => word !== '');
  return terminal([
    searchCommand(admin, { base, filter: formatFilter(filter), attributes: attributes.slice(0, 4) }),
    curlCommand(request, 'GET', `${api}${query}`),
    command === undefined ? undefined : atriumCommand(request, ...command, ...given),
  ]);
}

function jsonOf(entry: ClientEntry) {
  return {
    dn: entry.dn,
    id: entry.one('entryUUID'),
    attributes: Object.fromEntries(entry.attributes.map(({ description }) => [description, entry.all(description)])),
  };
}
