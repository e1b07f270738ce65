import type { Demand } from '#policy';
import { noProgress, type Progress, parseProgress } from './progress.ts';
import { deniedTarget, parseReturnTarget, type ReturnTarget, resumedTarget } from './return-target.ts';

/** A row of the sign-in screen about the interrupted request, supplied by its protocol. Plain text. */
export interface ParkedRow {
  readonly label: string;
  readonly value: string;
}

/** What a calling protocol hands over when it needs a person. */
export interface ParkRequest {
  readonly realm: string;
  readonly method: 'GET' | 'POST';
  /** The interrupted request: its path in the realm with its query, as it came. */
  readonly target: string;
  /** Where Cancel leads when that is not the interrupted request itself: a path of the same realm. */
  readonly cancelTarget?: string;
  readonly rows: readonly ParkedRow[];
  /** What the sign-in must be. */
  readonly demand?: Demand;
  /** Who the caller believes to ask: the name stands in the field, and nothing follows from it. */
  readonly hint?: string;
  /** Whether the request is to be known again when it comes back, once, as the one that was just answered: what it asks may stand where nobody can take it out. */
  readonly marks?: true;
  /** Origins, or schemes of apps, that the browser may be led on to by the answer of the interrupted request. */
  readonly leadsTo?: readonly string[];
  /** What the caller wants to find again. */
  readonly about?: Readonly<Record<string, unknown>>;
}

/** A request that waits for a sign-in. */
export interface Parked {
  readonly realm: string;
  readonly method: 'GET' | 'POST';
  /** Where the browser goes when it is signed in: `resumedTarget` of the request. */
  readonly target: ReturnTarget;
  /** Where Cancel leads: `deniedTarget` of it. */
  readonly cancelTarget: ReturnTarget;
  readonly rows: readonly ParkedRow[];
  readonly demand: Demand;
  readonly hint: string;
  readonly marks: boolean;
  readonly leadsTo: readonly string[];
  readonly about: Readonly<Record<string, unknown>>;
  readonly progress: Progress;
  readonly createdMs: number;
  readonly expiresAtMs: number;
}

/** What of it is kept under its token. Anybody may make one without signing in, so it holds nothing twice. */
export interface ParkedRecord {
  readonly method: 'GET' | 'POST';
  /** The interrupted request as it came. */
  readonly asked: ReturnTarget;
  /** Where Cancel leads, when that is not `asked`. */
  readonly caller?: ReturnTarget;
  readonly rows: readonly ParkedRow[];
  readonly demand?: Demand;
  readonly hint?: string;
  readonly marks?: boolean;
  readonly leadsTo?: readonly string[];
  readonly about?: Readonly<Record<string, unknown>>;
  /** Absent until the sign-in has begun. */
  readonly progress?: Progress;
  readonly createdMs: number;
}

/** Rows beyond these are the caller's mistake; the screen shows what fits. */
const rowsMax = 16;
const labelLengthMax = 100;
const valueLengthMax = 1000;
const hintLengthMax = 256;
const leadsToMax = 4;

/** What else of a request is kept, where there is any. */
export function furtherOf({ hint, marks, leadsTo, about }: ParkRequest): Pick<ParkedRecord, 'hint' | 'marks' | 'leadsTo' | 'about'> {
  return {
    ...(hint === undefined ? {} : { hint: hint.slice(0, hintLengthMax) }),
    ...(marks === undefined ? {} : { marks }),
    ...(leadsTo === undefined ? {} : { leadsTo: leadsTo.slice(0, leadsToMax) }),
    ...(about === undefined ? {} : { about }),
  };
}

/** The rows as the screen can show them. */
export function fitRows(rows: readonly ParkedRow[]): readonly ParkedRow[] {
  return rows
    .slice(0, rowsMax)
    .map(({ label, value }) => ({ label: label.slice(0, labelLengthMax), value: value.slice(0, valueLengthMax) }));
}

/** The waiting request of a record. */
export function parkedOf(realm: string, record: ParkedRecord, expiresAtMs: number): Parked {
  const { method, asked, caller, rows, demand = {}, hint = '', marks = false, leadsTo = [], about = {}, progress = noProgress } = record;
  const { createdMs } = record;
  const [target, cancelTarget] = [resumedTarget(asked), deniedTarget(caller ?? asked)];
  return { realm, method, target, cancelTarget, rows, demand, hint, marks, leadsTo, about, progress, createdMs, expiresAtMs };
}

/** Reads back what was kept. */
export function parseParked(json: unknown): ParkedRecord | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const { method, asked, caller, rows, demand, progress, createdMs } = json as Readonly<Record<string, unknown>>;
  const { hint, marks, leadsTo, about } = json as Partial<ParkedRecord>;
  const isWhole =
    (hint === undefined || typeof hint === 'string') &&
    (marks === undefined || typeof marks === 'boolean') &&
    (leadsTo === undefined || (Array.isArray(leadsTo) && leadsTo.every((each) => typeof each === 'string'))) &&
    (about === undefined || (typeof about === 'object' && about !== null));
  if (!isWhole) return undefined;
  if ((method !== 'GET' && method !== 'POST') || typeof createdMs !== 'number' || !Array.isArray(rows)) return undefined;
  // Judged again: nothing that was once on disk leads a browser away.
  const [target, cancel] = [asked, caller ?? asked].map((text) =>
    typeof text === 'string' ? parseReturnTarget(text, Number.MAX_SAFE_INTEGER) : undefined,
  );
  if (target === undefined || cancel === undefined) return undefined;
  const reached = progress === undefined ? noProgress : parseProgress(progress);
  if (reached === undefined || (demand !== undefined && (typeof demand !== 'object' || demand === null))) return undefined;
  return {
    method,
    asked: target,
    caller: cancel,
    rows: rows as readonly ParkedRow[],
    demand: (demand ?? {}) as Demand,
    ...(hint === undefined ? {} : { hint }),
    ...(marks === undefined ? {} : { marks }),
    ...(leadsTo === undefined ? {} : { leadsTo }),
    ...(about === undefined ? {} : { about }),
    progress: reached,
    createdMs,
  };
}
