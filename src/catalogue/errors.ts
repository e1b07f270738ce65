/** What an expected refusal carries beside its row. `matchedDN` reaches LDAP clients; the rest fills the placeholders of `says`. */
export type Detail = Readonly<Record<string, string | number>>;

/** One row of the error table: what happened, and what the client may see of it. */
export interface ErrorRow {
  readonly code: `STS-${string}-${number}`;
  /** The condition, for operators. */
  readonly means: string;
  /** What a client is told, with `{placeholders}` filled from the detail; nothing when absent. Never the code. */
  readonly says?: string;
  /** The only status a door may show: an LDAP result code, an HTTP status. */
  readonly sees: { readonly ldap?: number; readonly http?: number };
  /** `live` was observed by a test at run time; `reserved` has no behaviour yet; `retired` stays listed and is never used again. */
  readonly state: 'live' | 'reserved' | 'retired';
}

/** Codes that the specification describes only as a range. They have no behaviour of ours. */
export interface ErrorRange {
  readonly area: string;
  readonly first: number;
  readonly last: number;
  readonly means: string;
  readonly state: 'reserved' | 'retired';
}

/** An expected refusal. Bugs throw ordinary errors; this is never one. */
export class Refusal extends Error {
  readonly row: ErrorRow;
  readonly detail: Detail;
  constructor(row: ErrorRow, detail: Detail) {
    super(`[${row.code}] ${fill(row.says ?? row.means, detail)}`);
    this.row = row;
    this.detail = detail;
  }

  /** What happened, for operators, with the detail filled in; the log puts the code in front of it. */
  get tells(): string {
    return fill(this.row.means, this.detail);
  }

  /** What the client may read: the row's words with the detail filled in. */
  get says(): string {
    return this.row.says === undefined ? '' : fill(this.row.says, this.detail);
  }
}

/** Makes the refusal of a row: `throw refuse(errors.noSuchObject, { dn })`. */
export function refuse(row: ErrorRow, detail: Detail = {}): Refusal {
  return new Refusal(row, detail);
}

function fill(words: string, detail: Detail): string {
  return words.replace(/\{(\w+)\}/g, (whole, name: string) => (name in detail ? String(detail[name]) : whole));
}
