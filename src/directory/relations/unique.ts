import { equalBytes, hex } from '#base';
import { type Refusal, refuse } from '#catalogue';
import { notUniqueWords, parseDn } from '#ldap';
import { isWithin, type Schema } from '#schema';
import type { EntryRecord, Expectation, Indexer, IndexKey, Snapshot, StoredEntry } from '#store';
import { checkRule, mayBeRule } from '../access/check.ts';
import type { Engine } from '../engine.ts';
import { errors } from '../errors.ts';
import { createIndexer, isFoundBy, movedKeys } from '../indexing.ts';
import { type RealmDesk, realmOf } from '../realms.ts';
import { attributesOf } from '../record.ts';
import type { Decision, Look } from '../write.ts';
import { checkPolicy, policiesIn, type UniquenessPolicy } from './policies.ts';

/** So many entries may have one value that no policy holds them to. */
const holdersMax = 1000;

/** What a write is looked at with. */
interface Judging extends RealmDesk {
  readonly schema: Schema;
  readonly indexer: Indexer;
  readonly snapshot: Snapshot;
  /** What the write makes of entries; nothing of those that it deletes. */
  readonly planned: ReadonlyMap<string, EntryRecord | undefined>;
}

const indexers = new WeakMap<Schema, Indexer>();

/**
 * Holds a write to what must be unique: a value that it adds may stand in no other entry of which the same policy holds. Who has the value becomes an
 * expectation of the commit, so that of two who bring it at the same time one wins. A value that an entry has already is not asked for again.
 *
 * Many entries are looked at with pauses: what was found of each is expected of the commit.
 *
 * @throws Refusal `notUnique`, `valueRefused` for a policy that cannot be held and for a rule of access that cannot be asked (all LDAP
 *                 constraintViolation)
 * @see slapo-unique(5)
 */
export function* withUniqueness(
  engine: Pick<Engine, 'schema' | 'realms' | 'settings' | 'access'>,
  look: Look,
  decision: Decision,
): Generator<undefined, Decision> {
  const { schema } = engine;
  const written = decision.changes.flatMap((change) => (change.kind === 'delete' ? [] : [change.entry]));
  if (written.length === 0) return decision;
  const { of, held } = policiesIn(engine, look());
  const indexer = indexers.get(schema) ?? createIndexer(schema);
  indexers.set(schema, indexer);
  const planned = new Map(
    decision.changes.map((change) => (change.kind === 'delete' ? [change.uuid, undefined] : [change.entry.uuid, change.entry])),
  );
  const found = new Set(decision.expected.flatMap((each) => (each.kind === 'unchanged' ? [each.uuid] : [])));
  // A policy that comes before this is committed may say something of it.
  const expected: Expectation[] = [...decision.expected, held];
  const taken = new Map<string, string>();
  for (const [nth, entry] of written.entries()) {
    if (nth % uniqueInTurn === uniqueInTurn - 1) yield;
    const judging: Judging = { schema, realms: engine.realms, indexer, snapshot: look(), planned };
    const realm = realmOf(engine, judging.snapshot, entry.dnKey);
    const keys = keysOf(judging, entry, found.has(entry.uuid) ? beforeOf(decision, judging.snapshot, entry.uuid) : undefined);
    of(realm).forEach((policy, at) => {
      for (const key of keys.added(policy)) {
        const mark = `${realm?.id} ${at} ${key.attribute} ${hex(key.key)}`;
        if ((taken.get(mark) ?? entry.uuid) !== entry.uuid) throw notUnique(judging, key, keys.isBrought(key));
        taken.set(mark, entry.uuid);
        expected.push(judgedKey(judging, policy, entry, key, () => notUnique(judging, key, keys.isBrought(key))));
      }
    });
    if (saysPolicy(entry)) checkPolicy(schema, attributesOf(schema, entry));
    if (mayBeRule(entry)) checkRule(engine, judging.snapshot, entry);
  }
  return { ...decision, expected };
}

/** Whether no policy, of those that are and of those that may come, can have a say in what a write makes of its entry: most changes touch nothing of an index. */
export function isOutside(engine: Pick<Engine, 'schema' | 'realms'>, snapshot: Snapshot, { touched, changes }: Decision): boolean {
  if (touched === undefined || [...touched].some((key) => isFoundBy(engine.schema, key))) return false;
  if (changes.some((change) => change.kind !== 'delete' && (saysPolicy(change.entry) || mayBeRule(change.entry)))) return false;
  return policiesIn(engine, snapshot).policies.every(({ fits }) => fits === undefined);
}

/** So many entries are looked at before others have the event loop. */
export const uniqueInTurn = 64;

/** What the attributes of a policy begin with, as entries hold them. */
const policyMark = 'stsUnique';

function saysPolicy({ user }: EntryRecord): boolean {
  return Buffer.from(user.buffer, user.byteOffset, user.byteLength).includes(policyMark);
}

/** An entry as the write has found it. */
function beforeOf({ before }: Decision, snapshot: Snapshot, uuid: string): StoredEntry | undefined {
  return before?.uuid === uuid ? before : snapshot.byUuid(uuid);
}

/** The keys of an entry, each kind worked out when a policy needs it. */
function keysOf(judging: Judging, entry: EntryRecord, old: StoredEntry | undefined) {
  const { schema, indexer } = judging;
  const changed = old === undefined ? undefined : movedKeys(schema, entry.user, old.user);
  let all: readonly IndexKey[] | undefined;
  let stale: ReadonlySet<string> | undefined;
  const isNew = (key: IndexKey): boolean => {
    stale ??= new Set(old === undefined ? [] : indexer(old).map(markOf));
    return !stale.has(markOf(key));
  };
  return {
    /** Whether the write brings it: an entry that moves, or begins to fit a policy, brings what it had. */
    isBrought: isNew,
    /** Those that a policy looks at and that it did not hold the entry to before. */
    added(policy: UniquenessPolicy): readonly IndexKey[] {
      const wasIn = old !== undefined && applies(judging, policy, old);
      if (wasIn && ![...policy.attributes].some((key) => changed?.has(key))) return [];
      if (!applies(judging, policy, entry)) return [];
      all ??= indexer(entry);
      const own = all.filter(({ attribute }) => policy.attributes.has(attribute));
      if (!wasIn) return own;
      return own.filter(isNew);
    },
  };
}

/**
 * The attribute is named to who brought the value. Who else wrote, be it a move or what makes a policy hold, might not see that the entry has one. As to whose it
 * is as well, nothing is said.
 */
function notUnique({ schema }: Judging, { attribute }: IndexKey, isBrought: boolean): Refusal {
  const name = schema.attributeType(attribute)?.name ?? attribute;
  return refuse(errors.notUnique, { why: isBrought ? `${name}: another entry has this value (${notUniqueWords})` : notUniqueWords });
}

function markOf({ attribute, key }: IndexKey): string {
  return `${attribute} ${hex(key)}`;
}

function applies({ schema, realms, snapshot }: Judging, { realm, bases, fits }: UniquenessPolicy, entry: EntryRecord): boolean {
  if (realm !== undefined && realmOf({ realms }, snapshot, entry.dnKey) !== realm) return false;
  if (!bases.some((base) => isWithin(entry.dnKey, base))) return false;
  return fits === undefined || fits({ dn: parseDn(entry.dn) ?? [], attributes: attributesOf(schema, entry) }) === true;
}

/** That nobody has the key but those who may: the entry itself, and entries of which the policy does not hold. */
function judgedKey(judging: Judging, policy: UniquenessPolicy, entry: EntryRecord, key: IndexKey, refusal: () => Refusal): Expectation {
  const { snapshot, planned } = judging;
  const ids = snapshot.idsEqual(key.attribute, key.key, holdersMax + 1);
  if (ids.length > holdersMax) throw refusal();
  const by: { uuid: string; csn: string }[] = [];
  for (const id of ids) {
    const holder = snapshot.byId(id);
    if (holder === undefined) continue;
    // The write itself may take the value away from another entry.
    const next = planned.has(holder.uuid) ? planned.get(holder.uuid) : holder;
    const collides = next !== undefined && holder.uuid !== entry.uuid && hasKey(judging, next, key) && applies(judging, policy, next);
    if (collides) throw refusal();
    by.push({ uuid: holder.uuid, csn: holder.csn });
  }
  return { kind: 'held', attribute: key.attribute, key: key.key, by };
}

/** The index has only the beginning of long keys. */
function hasKey({ indexer }: Judging, entry: EntryRecord, { attribute, key }: IndexKey): boolean {
  return indexer(entry).some((each) => each.attribute === attribute && equalBytes(each.key, key));
}
