import { text } from '#base';
import { refuse } from '#catalogue';
import { decodeAttributes, parseFilter } from '#ldap';
import { type AttributeType, compileFilter, describe, type EntryAttributes, isWithin, type Schema, type Test } from '#schema';
import type { Expectation, ReadableEntry, Snapshot } from '#store';
import type { Engine } from '../engine.ts';
import { errors } from '../errors.ts';
import { isIndexed, largeTypes } from '../indexing.ts';
import { nameOf, type Realm } from '../realm.ts';
import type { LiveRealms, Realms } from '../realms.ts';

/** What may stand in one entry only: values of which attributes, below which names, of which entries. */
export interface UniquenessPolicy {
  /** Keys of the attributes. */
  readonly attributes: ReadonlySet<string>;
  /** Where it holds; nothing for everywhere. */
  readonly realm: Realm | undefined;
  /** Keys of the names below which it holds. */
  readonly bases: readonly Uint8Array[];
  /** Of which entries it holds; of all without it. */
  readonly fits: Test | undefined;
}

export interface Policies {
  readonly policies: readonly UniquenessPolicy[];
  /** Those that may hold of an entry of a realm. */
  readonly of: (realm: Realm | undefined) => readonly UniquenessPolicy[];
  /** That there are these policies and no others. */
  readonly held: Expectation;
}

const policyClass = 'stsUniquenessPolicy';
const policiesMax = 100_000;
const filterLimits = { depthMax: 20, filterItemsMax: 100 };

/** What no entry needs to say: a credential is one person's, whatever the realm. */
const builtIn: UniquenessPolicy = {
  attributes: new Set(['stscredentialid']),
  realm: undefined,
  bases: [new Uint8Array(0)],
  fits: undefined,
};

/** The same of what is one entry's in its realm: the name of an application there. */
const builtInOf = (realm: Realm): UniquenessPolicy => ({
  attributes: new Set(['stsclientid']),
  realm,
  bases: [realm.suffix.key],
  fits: undefined,
});

type Desk = Pick<Engine, 'schema' | 'realms'>;

/** Of each directory; read anew when the entry of a policy is another. */
const known = new WeakMap<
  LiveRealms,
  Map<number, { readonly version: number; readonly realms: Realms; readonly policy: UniquenessPolicy | undefined }>
>();

/** The policies that are in force in a state of the store: those of the entries below `ou=policies`, and our own. */
export function policiesIn(desk: Desk, snapshot: Snapshot): Policies {
  // What lies over a snapshot changes while it is looked at: of that, which is no commit's, nothing is kept. To ask the store for its newest state
  // would end the one that a decision goes by, in a thread beside the one that writes.
  if (snapshot.number < 0) return readPolicies(desk, snapshot);
  const last = latest.get(desk.realms);
  // A policy governs others, whatever may be changed beside it.
  if (last !== undefined && snapshot.governing <= last.number && last.number <= snapshot.number) return last.policies;
  const policies = readPolicies(desk, snapshot);
  latest.set(desk.realms, { number: snapshot.number, policies });
  return policies;
}

/** Of each directory, as they were last. */
const latest = new WeakMap<LiveRealms, { readonly number: number; readonly policies: Policies }>();

function readPolicies({ schema, realms: live }: Desk, snapshot: Snapshot): Policies {
  const realms = live.in(snapshot);
  const key = classKey(schema);
  const ids = snapshot.idsEqual('objectclass', key, policiesMax);
  const policies = [builtIn];
  const by: { uuid: string; csn: string }[] = [];
  const read = known.get(live) ?? new Map();
  known.set(live, read);
  for (const id of ids) {
    const entry = snapshot.readable(id);
    if (entry === undefined) continue;
    by.push({ uuid: entry.uuid, csn: entry.csn });
    let each = read.get(id);
    if (each?.version !== entry.version || each.realms !== realms) {
      const realm = realms.owning(entry.dnKey);
      const isOne = realm !== undefined && isWithin(entry.dnKey, realm.policies.key);
      each = { version: entry.version, realms, policy: isOne ? policyOf(schema, realm, entry) : undefined };
      if (read.size > policiesMax) read.clear();
      read.set(id, each);
    }
    if (each.policy !== undefined) policies.push(each.policy);
  }
  const byRealm = new Map<Realm | undefined, UniquenessPolicy[]>();
  const of = (realm: Realm | undefined) => {
    let those = byRealm.get(realm);
    if (those === undefined) {
      those = policies.filter((policy) => policy.realm === undefined || policy.realm === realm);
      if (realm !== undefined) those.push(builtInOf(realm));
      byRealm.set(realm, those);
    }
    return those;
  };
  return { policies, of, held: { kind: 'held', attribute: 'objectclass', key, by } };
}

const classKeys = new WeakMap<Schema, Uint8Array>();

function classKey(schema: Schema): Uint8Array {
  let key = classKeys.get(schema);
  if (key === undefined) {
    const name = schema.objectClass(policyClass)?.name;
    key = name === undefined ? undefined : schema.attributeType('objectClass')?.equality?.assertion(Buffer.from(name));
    if (key === undefined) throw new Error(`no schema defines ${policyClass}`);
    classKeys.set(schema, key);
  }
  return key;
}

function policyOf(schema: Schema, realm: Realm, { user }: Pick<ReadableEntry, 'user'>): UniquenessPolicy {
  const attributes = new Map(decodeAttributes(user).flatMap((each) => [[describe(schema, each.description)?.key ?? '', each] as const]));
  const texts = (key: string) => (attributes.get(key)?.values ?? []).map((value) => text(value) ?? '');
  const filter = texts('stsuniquefilter').map((each) => parseFilter(each, filterLimits))[0];
  const bases = texts('stsuniquebase').map((base) => nameOf(schema, base).key);
  return {
    attributes: new Set(texts('stsuniqueattribute').flatMap((name) => uniqueType(schema, name)?.key ?? [])),
    realm,
    bases: bases.length === 0 ? [realm.suffix.key] : bases,
    // A filter that cannot be read fits nothing; none is written through the interface.
    fits: filter === undefined ? undefined : filter.kind === 'bad' ? () => false : compileFilter(schema, filter.filter),
  };
}

/** A type whose values can be held to be unique: entries are found by them, and they stand in the entry. */
function uniqueType(schema: Schema, name: string): AttributeType | undefined {
  const type = schema.attributeType(name);
  return type !== undefined && isIndexed(schema, type) && !largeTypes(schema).has(type.key) && type.key !== 'objectclass'
    ? type
    : undefined;
}

/**
 * Whether an entry that is to be written says something that can be held, where it is a policy.
 *
 * @throws Refusal `valueRefused` (LDAP constraintViolation)
 */
export function checkPolicy(schema: Schema, attributes: EntryAttributes): void {
  for (const value of attributes.get('stsuniqueattribute')?.values ?? []) {
    const name = text(value) ?? '';
    if (uniqueType(schema, name) === undefined) {
      throw refuse(errors.valueRefused, { attribute: 'stsUniqueAttribute', why: `${name} has no index by which it could be held unique` });
    }
  }
  for (const value of attributes.get('stsuniquefilter')?.values ?? []) {
    const filter = parseFilter(text(value) ?? '', filterLimits);
    if (filter.kind === 'bad') throw refuse(errors.valueRefused, { attribute: 'stsUniqueFilter', why: filter.why });
  }
}
