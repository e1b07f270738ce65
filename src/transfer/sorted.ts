import { compareBytes } from '#base';
import { refuse } from '#catalogue';
import { errors } from './errors.ts';
import type { NamedEntry } from './named.ts';
import { decodeEntry, encodeEntry, keyOf, openSpool, type Spool } from './spool.ts';

export interface SortOptions {
  /** Where what does not fit into memory is put meanwhile. */
  readonly folder: string;
  /** Octets of entries that are in memory at a time. */
  readonly octetsMax?: number;
}

const octetsStandingMax = 33_554_432;

/**
 * Gives entries in the order of their names, superiors first. Those that do not fit into memory lie in a file meanwhile, in runs that are in order.
 *
 * @throws Refusal `transferRefused` for a name that comes twice, with the line of the second
 */
export async function* sorted(
  entries: AsyncIterable<NamedEntry>,
  { folder, octetsMax = octetsStandingMax }: SortOptions,
): AsyncGenerator<NamedEntry> {
  using stack = new DisposableStack();
  let spool: Spool | undefined;
  const runs: { readonly from: number; readonly end: number }[] = [];
  let gathered: Buffer[] = [];
  let octets = 0;
  for await (const entry of entries) {
    const encoded = encodeEntry(entry);
    gathered.push(encoded);
    octets += encoded.length;
    if (octets < octetsMax) continue;
    spool ??= stack.use(openSpool(folder));
    const from = spool.end;
    for (const each of inOrder(gathered)) spool.putEncoded(each);
    runs.push({ from, end: spool.end });
    gathered = [];
    octets = 0;
  }
  const last = inOrder(gathered).values().map(decodeEntry);
  const all = [...runs.map(({ from, end }) => (spool as Spool).from(from, end)), last];
  let before: NamedEntry | undefined;
  for (const entry of merged(all)) {
    if (before !== undefined && compareBytes(before.key, entry.key) === 0) throw twice(before, entry);
    before = entry;
    yield entry;
  }
}

function inOrder(encoded: Buffer[]): Buffer[] {
  const keyed = encoded.map((octets) => ({ octets, key: keyOf(octets) }));
  return keyed.sort((a, b) => Buffer.compare(a.key, b.key)).map(({ octets }) => octets);
}

function twice(one: NamedEntry, other: NamedEntry) {
  const [first, second] = one.line < other.line ? [one, other] : [other, one];
  return refuse(errors.transferRefused, { line: second.line, dn: second.dn, why: `line ${first.line} has an entry of that name` });
}

/** Several sequences in order as one: a heap of the first of each. */
function* merged(sources: readonly Iterator<NamedEntry>[]): Generator<NamedEntry> {
  const heap: { entry: NamedEntry; readonly source: Iterator<NamedEntry> }[] = [];
  const less = (a: number, b: number) => compareBytes((heap[a] as (typeof heap)[0]).entry.key, (heap[b] as (typeof heap)[0]).entry.key) < 0;
  const swap = (a: number, b: number) => {
    const held = heap[a] as (typeof heap)[0];
    heap[a] = heap[b] as (typeof heap)[0];
    heap[b] = held;
  };
  const sink = () => {
    for (let at = 0; ; ) {
      let least = at;
      for (const below of [2 * at + 1, 2 * at + 2]) if (below < heap.length && less(below, least)) least = below;
      if (least === at) return;
      swap(at, least);
      at = least;
    }
  };
  for (const source of sources) {
    const first = source.next();
    if (first.done === true) continue;
    heap.push({ entry: first.value, source });
    for (let at = heap.length - 1; at > 0 && less(at, (at - 1) >> 1); at = (at - 1) >> 1) swap(at, (at - 1) >> 1);
  }
  for (let top = heap[0]; top !== undefined; top = heap[0]) {
    yield top.entry;
    const next = top.source.next();
    if (next.done === true) {
      const moved = heap.pop();
      if (heap.length > 0 && moved !== undefined) heap[0] = moved;
    } else top.entry = next.value;
    sink();
  }
}
