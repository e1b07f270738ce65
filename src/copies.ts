import type { Modification } from '#ldap';
import type { Change, ChangeRecord, Expectation } from '#store';

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
    case 'between':
      return { ...expectation, from: ownOctets(expectation.from), before: ownOctets(expectation.before) };
    case 'unchanged':
    case 'childless':
    case 'children':
      return expectation;
  }
}

export function ownChange(change: Change): Change {
  if (change.kind === 'delete') return change;
  const { dnKey, user, operational, secret, ...rest } = change.entry;
  const parts = { user: ownOctets(user), operational: ownOctets(operational), secret: ownOctets(secret) };
  return { ...change, entry: { ...rest, dnKey: ownOctets(dnKey), ...parts } };
}

export function ownModification({ operation, attribute }: Modification): Modification {
  return { operation, attribute: { description: attribute.description, values: attribute.values.map(ownOctets) } };
}

export function ownRecord(record: ChangeRecord): ChangeRecord {
  return { ...record, change: ownChange(record.change) };
}
