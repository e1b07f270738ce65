import type { Lane } from './load.ts';
import { selected } from './requests.ts';

/** What a row is to reach at a size, as the plan for speed says. */
export interface Aim {
  /** From this number of entries on. */
  readonly from: number;
  readonly gate: number;
  readonly goal: number;
}

/**
 * How a row is measured.
 *
 * - `load`: the first lane's operations a second, with whatever the other lanes do beside it
 * - `repeated`: the same, of people who have all bound a short while ago, with {SSHA} in slapd, and so many threads beside Atrium's main one
 * - `storm`: the first lane's p99 with the other lanes at work, against its p99 without them
 * - `against`: the processor time that one operation of the first lane costs, against one of the second, one lane after the other
 * - `loop`: p99 in milliseconds of how late Atrium's event loop is while all lanes are at work; slapd has none
 * - `import`, `export`: seconds; `memory`: resident MiB at the end
 * - `start`: seconds from starting the program to its first answer, with the database's files in the page cache or, `cold`, out of it
 */
export type Measure =
  | { readonly kind: 'load' | 'storm' | 'against' | 'loop'; readonly lanes: readonly Lane[]; readonly slapdThreads: number }
  | { readonly kind: 'start'; readonly cold: boolean }
  | { readonly kind: 'import' | 'export' | 'memory' }
  | { readonly kind: 'repeated'; readonly lanes: readonly Lane[]; readonly slapdThreads: number; readonly workers: number };

/** One row of the benchmark. */
export interface Row {
  /** For `--rows`. */
  readonly id: string;
  readonly name: string;
  readonly measure: Measure;
  readonly aims: readonly Aim[];
  /** Not measured with more entries than this. */
  readonly sizeMax?: number;
}

/** How two numbers of a row are set against each other, and which way is better. */
export type Judging =
  | 'Atrium ÷ slapd, higher is better'
  | 'slapd ÷ Atrium, higher is better'
  | 'Atrium ÷ slapd, lower is better'
  | 'Atrium, lower is better';

export function judgingOf({ kind }: Measure): Judging {
  switch (kind) {
    case 'load':
    case 'repeated':
      return 'Atrium ÷ slapd, higher is better';
    case 'import':
    case 'export':
      return 'slapd ÷ Atrium, higher is better';
    case 'memory':
      return 'Atrium ÷ slapd, lower is better';
    case 'storm':
    case 'against':
    case 'loop':
    case 'start':
      return 'Atrium, lower is better';
  }
}

/** What the row is to reach with that many entries, if anything. */
export function aimAt(row: Row, size: number): Aim | undefined {
  return row.aims.findLast(({ from }) => from <= size);
}

const million = 1_000_000;
/** Threads of slapd: as fits two cores. */
export const fewThreads = 4;
/** With as many threads as there are binds at work the others would wait for all of them: slapd gets more. */
const manyThreads = 16;

function always(gate: number, goal: number): Aim[] {
  return [{ from: 0, gate, goal }];
}

/** Another aim from a million entries on. */
function bySize(small: readonly [gate: number, goal: number], large: readonly [gate: number, goal: number]): Aim[] {
  return [...always(...small), { from: million, gate: large[0], goal: large[1] }];
}

function lane(connections: number, asking: Lane['asking'], outstanding = 1): Lane {
  const writes = asking.kind === 'modify' || asking.kind === 'add' || asking.kind === 'member';
  return { connections, outstanding, asking, as: writes ? 'administrator' : 'person' };
}

function load(...lanes: readonly Lane[]): Measure {
  return { kind: 'load', lanes, slapdThreads: lanes.some(({ asking }) => asking.kind === 'bind') ? manyThreads : fewThreads };
}

const equality = lane(10, { kind: 'equality', attributes: [] });
const modify = (connections: number) => lane(connections, { kind: 'modify', attribute: 'mobile' });
const bind = (connections: number) => lane(connections, { kind: 'bind' });

/** In the order in which they are measured: what only reads comes before what writes, and binds, for which slapd starts anew with more threads, last. */
export const rows: readonly Row[] = [
  {
    id: 'import',
    name: 'import, against slapadd -q',
    measure: { kind: 'import' },
    aims: [
      { from: 100_000, gate: 2.5, goal: 3.5 },
      { from: million, gate: 3, goal: 4.5 },
    ],
  },
  { id: 'export', name: 'export, against slapcat', measure: { kind: 'export' }, aims: [{ from: 100_000, gate: 1.2, goal: 1.5 }] },
  { id: 'start', name: 'start-up to the first answer, s', measure: { kind: 'start', cold: false }, aims: always(1, 0.3) },
  {
    id: 'start-cold',
    name: 'the same with nothing of the database in the page cache, s',
    measure: { kind: 'start', cold: true },
    aims: [{ from: million, gate: 1, goal: 0.3 }],
  },
  { id: 'search', name: 'equality search', measure: load(equality), aims: bySize([1.6, 2], [1.4, 1.8]) },
  {
    id: 'search-selected',
    name: 'the same with selected attributes',
    measure: load(lane(10, { kind: 'equality', attributes: selected })),
    aims: always(1.3, 1.8),
  },
  { id: 'search-100', name: 'search returning 100 entries', measure: load(lane(10, { kind: 'group' })), aims: bySize([4, 8], [2.5, 4]) },
  { id: 'substring', name: 'substring anywhere', measure: load(lane(10, { kind: 'substring' })), aims: bySize([1.4, 1.8], [1, 1.5]) },
  { id: 'initial', name: 'initial substring', measure: load(lane(10, { kind: 'initial' })), aims: always(3, 6) },
  {
    id: 'unindexed',
    name: 'unindexed filter over 10k',
    measure: load(lane(10, { kind: 'unindexed' })),
    aims: always(10, 30),
    sizeMax: 10_000,
  },
  {
    id: 'pipelined',
    name: 'equality, 8 outstanding on each connection',
    measure: load({ ...equality, outstanding: 8 }),
    aims: always(4, 6),
  },
  { id: 'modify-1', name: 'durable modify, 1 connection', measure: load(modify(1)), aims: always(1.5, 2) },
  { id: 'modify', name: 'durable modify, 10 connections', measure: load(modify(10)), aims: always(3, 4) },
  { id: 'modify-50', name: 'durable modify, 50 connections', measure: load(modify(50)), aims: always(5, 7) },
  {
    id: 'search-beside-modify',
    name: 'equality search while 10 connections modify',
    measure: load(equality, modify(10)),
    aims: always(1.1, 1.6),
  },
  {
    id: 'modify-indexed',
    name: 'modify of an indexed attribute, 10 connections',
    measure: load(lane(10, { kind: 'modify', attribute: 'cn' })),
    aims: always(5, 9),
  },
  { id: 'add', name: 'add, 10 connections', measure: load(lane(10, { kind: 'add' })), aims: always(5, 9) },
  {
    id: 'member',
    name: 'a member more or less of the largest group, processor time against a group of ten',
    measure: {
      kind: 'against',
      lanes: [lane(1, { kind: 'member', of: 'large' }), lane(1, { kind: 'member', of: 'small' })],
      slapdThreads: fewThreads,
    },
    aims: always(3, 1.5),
  },
  {
    id: 'loop',
    name: 'event-loop delay under a mixed load, p99 in ms',
    measure: {
      kind: 'loop',
      lanes: [equality, modify(5), lane(2, { kind: 'add' }), bind(2), lane(1, { kind: 'slowly' }, 8)],
      slapdThreads: fewThreads,
    },
    aims: [],
  },
  {
    id: 'memory',
    name: 'resident memory after all this, MiB',
    measure: { kind: 'memory' },
    aims: [{ from: million, gate: 0.5, goal: 0.4 }],
  },
  { id: 'search-beside-bind', name: 'equality search while 8 connections bind', measure: load(equality, bind(8)), aims: always(3, 6) },
  {
    id: 'storm',
    name: 'p99 of modify while 8 connections bind, against its own without',
    measure: { kind: 'storm', lanes: [modify(10), bind(8)], slapdThreads: manyThreads },
    aims: always(2, 1.2),
  },
  { id: 'bind', name: 'scrypt verifications on equal work, 4 connections', measure: load(bind(4)), aims: always(0.95, 1.1) },
  {
    id: 'bind-repeated',
    name: 'repeat bind through the verified cache, against slapd with {SSHA}',
    measure: { kind: 'repeated', lanes: [bind(10)], slapdThreads: manyThreads, workers: 0 },
    aims: always(2, 5),
    sizeMax: 10_000,
  },
  {
    id: 'bind-repeated-workers',
    name: 'the same with one thread beside the main one',
    measure: { kind: 'repeated', lanes: [bind(10)], slapdThreads: manyThreads, workers: 1 },
    aims: [],
    sizeMax: 10_000,
  },
];

/** The three that tell whether a change was one for the worse. */
export const quickRows: readonly string[] = ['search', 'modify', 'bind'];
