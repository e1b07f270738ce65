import { concat, utf8 } from '#base';
import { type EntryRecord, type List, type LogRow, noLists, type ReadableEntry, type StoredEntry, type WatchedChange } from '#store';
import type { Projection } from '../search/project.ts';

/** One change, as those who follow the directory look at it: made once for all of them. */
export interface Step {
  readonly number: number;
  readonly part: number;
  /** Whether its commit ends with it. */
  readonly last: boolean;
  readonly csn: string;
  readonly uuid: string;
  /** The name before; nothing for an entry that was not there. */
  readonly former: string | undefined;
  /** The entry before, where that is known, without values that lay outside of it: `partly` says whether there were any. */
  readonly before: (ReadableEntry & { readonly partly: boolean }) | undefined;
  readonly after: EntryRecord | undefined;
  /** Whether values of `after` lie outside of it. */
  readonly listed: boolean;
  /** What was made of `after`, for whoever wants the same of it. */
  readonly shown: Map<Projection, readonly Uint8Array[]>;
  readonly octets: number;
}

/** @param part  its place in the commit */
export function stepOfWatched({ number, csn, change, before }: WatchedChange, part: number, last: boolean): Step {
  const was = before === undefined ? undefined : { ...past(before, noLists, before.id), partly: before.large.length > 0 };
  return stepOf({ number, part, last, csn, former: before?.dn, before: was }, change);
}

/** A change from the log, which knows the former name of an entry and nothing else of what was before. */
export function stepOfRow({ number, part, csn, change, former }: LogRow, last: boolean): Step {
  return stepOf({ number, part, last, csn, former, before: undefined }, change);
}

function stepOf(known: Pick<Step, 'number' | 'part' | 'last' | 'csn' | 'former' | 'before'>, change: LogRow['change']): Step {
  const after = change.kind === 'delete' ? undefined : change.entry;
  return {
    ...known,
    uuid: change.kind === 'delete' ? change.uuid : change.entry.uuid,
    after,
    listed: change.kind === 'amend' && change.lists.length > 0,
    shown: new Map(),
    octets: stepOctets + (known.before?.octets ?? 0) + (after === undefined ? 0 : after.user.length + after.operational.length),
  };
}

/** Names, keys and what they hang on. */
const stepOctets = 512;

/** An entry as it once was, in the form that search reads. */
export function past(record: EntryRecord | StoredEntry, large: readonly List[], id: number): ReadableEntry {
  const { uuid, parent, dn, dnKey, csn, user, operational } = record;
  return {
    id,
    uuid,
    parent,
    dn,
    dnKey,
    csn,
    user,
    operational,
    large,
    dnOctets: utf8(dn),
    // Answers from the past are not kept by their version.
    version: 0,
    octets: user.length + operational.length,
    hasUuid: (other) => other === uuid,
    get attributes() {
      return concat([user, operational]);
    },
  };
}
