import type { Dn, LdifChange, Modification, PartialAttribute } from '#ldap';
import type { Schema } from '#schema';
import type { Compared } from './modifications.ts';
import type { NamedEntry } from './named.ts';
import type { Spool } from './spool.ts';

/** One change that leads from a realm to a file. */
export interface Difference {
  readonly change: LdifChange;
  /** The entry as it is, where there is one, and as it is to be, where there will be one. */
  readonly before: readonly PartialAttribute[] | undefined;
  readonly after: readonly PartialAttribute[] | undefined;
  /** The key of the name that the entry has in the realm, or is to have. */
  readonly key: Uint8Array;
}

/** An entry that only one side has under its name. */
export interface Lone {
  readonly key: Uint8Array;
  readonly dn: Dn;
  readonly uuid: string | undefined;
  /** Where its spool has it. */
  readonly place: number;
}

/** An entry under its name in the realm and under that in the file. */
export interface Moved {
  readonly from: Lone;
  readonly to: Lone;
}

/** What the parts of the work share. */
export interface Desk {
  readonly schema: Schema;
  readonly compared: Compared;
  readonly here: Spool;
  readonly there: Spool;
}

export function entryOf({ place }: Lone, spool: Spool): NamedEntry {
  return spool.at(place);
}

export function modifyOf(dn: string, changes: readonly Modification[], of: Omit<Difference, 'change'>): Difference {
  return { ...of, change: { kind: 'modify', line: 0, dn, controls: [], changes } };
}
