import { empty } from '#base';
import type { Modification } from '#ldap';
import type { Change, EntryRecord, Expectation, StoredEntry, WatchedChange } from '#store';

/** Octets for another thread: a view would take all the memory that it is a view of with it. */
export function ownOctets(octets: Uint8Array): Uint8Array {
  return new Uint8Array(octets);
}

export function ownExpectation(expectation: Expectation): Expectation {
  switch (expectation.kind) {
    case 'absent':
      return { kind: 'absent', dnKey: ownOctets(expectation.dnKey) };
    case 'held':
      return { ...expectation, key: ownOctets(expectation.key) };
    case 'within':
      return { ...expectation, prefix: ownOctets(expectation.prefix) };
    case 'between':
      return { ...expectation, from: ownOctets(expectation.from), before: ownOctets(expectation.before) };
    case 'unchanged':
    case 'childless':
    case 'unused':
    case 'children':
      return expectation;
  }
}

export function ownChange(change: Change): Change {
  if (change.kind === 'delete') return change;
  return { ...change, entry: ownEntry(change.entry) };
}

export function ownModification({ operation, attribute }: Modification): Modification {
  return { operation, attribute: { description: attribute.description, values: attribute.values.map(ownOctets) } };
}

/** Without what is secret: those who are told of changes by other threads show them to their clients. */
export function ownWatched(watched: WatchedChange): WatchedChange {
  const { change, before } = watched;
  const bare = change.kind === 'delete' ? change : { ...change, entry: { ...change.entry, secret: empty } };
  return { ...watched, change: ownChange(bare), before: before === undefined ? undefined : ownEntry({ ...before, secret: empty }) };
}

function ownEntry<Entry extends EntryRecord | StoredEntry>(entry: Entry): Entry {
  const { dnKey, user, operational, secret } = entry;
  const parts = { user: ownOctets(user), operational: ownOctets(operational), secret: ownOctets(secret) };
  return { ...entry, dnKey: ownOctets(dnKey), ...parts };
}
