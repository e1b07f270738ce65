import { compareBytes, utf8 } from '#base';
import type { Change, EntryRecord, Store } from '#store';
import { dnKey, indexer, uuid } from './support.ts';

/** What a store should hold, by UUID. */
export type Model = ReadonlyMap<string, EntryRecord>;

/** The model after the changes; undefined when they cannot be. */
export function applied(model: Model, wanted: readonly Change[]): Model | undefined {
  const next = new Map(model);
  for (const change of wanted) {
    if (change.kind === 'delete') {
      if (!next.delete(change.uuid)) return undefined;
      continue;
    }
    const { uuid: own, dnKey: key } = change.entry;
    if ([...next.values()].some((other) => other.uuid !== own && compareBytes(other.dnKey, key) === 0)) return undefined;
    next.set(own, change.entry);
  }
  return next;
}

/** What a store shows in every way that it can be asked. */
export function shown(store: Store): unknown {
  const snapshot = store.snapshot();
  const uuids = (ids: readonly number[]) => ids.map((id) => snapshot.readable(id)?.uuid).sort();
  const lookups: unknown[] = [];
  for (const attribute of ['cn', 'mail', 'uid']) {
    for (const value of ['', 'x', 'y', 'xx', 'xy', 'zzz']) {
      lookups.push(uuids(snapshot.idsEqual(attribute, utf8(value), 99)), uuids(snapshot.idsPrefix(attribute, utf8(value), 99) ?? []));
      lookups.push(snapshot.countEqual(attribute, utf8(value), 99));
    }
  }
  const ids = snapshot.subtree(new Uint8Array(0), undefined, 99);
  return {
    entries: ids.map((id) => fieldsOf(snapshot.byId(id))),
    below: ['a', 'b', 'ab', 'c'].map((name) => snapshot.subtree(dnKey(name), undefined, 99).map((id) => snapshot.readable(id)?.uuid)),
    children: Array.from({ length: 9 }, (_, number) => [uuids(snapshot.children(uuid(number), 0, 99)), snapshot.hasChildren(uuid(number))]),
    lookups,
  };
}

/** The same of the model, by looking at everything. */
export function expectedOf(model: Model): unknown {
  const sorted = [...model.values()].sort((a, b) => compareBytes(a.dnKey, b.dnKey));
  const having = (test: (key: Uint8Array) => boolean, attribute: string) =>
    sorted
      .filter((one) => indexer(one).some((index) => index.attribute === attribute && test(index.key)))
      .map((one) => one.uuid)
      .sort();
  const lookups: unknown[] = [];
  for (const attribute of ['cn', 'mail', 'uid']) {
    for (const value of ['', 'x', 'y', 'xx', 'xy', 'zzz']) {
      const equal = having((key) => Buffer.from(key).toString() === value, attribute);
      lookups.push(
        equal,
        having((key) => Buffer.from(key).toString().startsWith(value), attribute),
        equal.length,
      );
    }
  }
  const within = (one: EntryRecord, base: string) =>
    compareBytes(one.dnKey, utf8(base)) === 0 || Buffer.from(one.dnKey).toString().startsWith(`${base}\0`);
  const children = (number: number) =>
    sorted
      .filter(({ parent }) => parent === uuid(number))
      .map((one) => one.uuid)
      .sort();
  return {
    entries: sorted.map(fieldsOf),
    below: ['a', 'b', 'ab', 'c'].map((name) => sorted.filter((one) => within(one, name)).map((one) => one.uuid)),
    children: Array.from({ length: 9 }, (_, number) => [children(number), children(number).length > 0]),
    lookups,
  };
}

function fieldsOf(one: EntryRecord | undefined): unknown {
  return one && [one.uuid, one.parent, one.dn, Buffer.from(one.dnKey).toString('hex'), one.csn, Buffer.from(one.user).toString()];
}
