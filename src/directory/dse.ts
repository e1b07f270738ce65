import { text, utf8 } from '#base';
import { decodeAttributes, walkAttributes, walkValues } from '#ldap';
import { describe, type Schema } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';
import type { Engine } from './engine.ts';
import { createDecisions, type Decisions } from './search/descriptions.ts';

/** Classes whose entries are more than their attributes: another name, another server's subtree, a word about a subtree, what is kept of the deleted. */
export type DseClass = 'alias' | 'referral' | 'subentry' | 'stsTombstone';

/** Of which of these classes one state of the store has an entry, as far as that was asked. */
export interface DseSeen {
  number: number;
  alias: boolean | undefined;
  referral: boolean | undefined;
  subentry: boolean | undefined;
  stsTombstone: boolean | undefined;
}

/** For an engine: every search asks. */
export function createDseSeen(): DseSeen {
  return { number: -1, alias: undefined, referral: undefined, subentry: undefined, stsTombstone: undefined };
}

/** Whether the directory has any entry of a class: asked of the index once for each state of the store, so that those without pay nothing. */
export function hasAny(engine: Engine, snapshot: Snapshot, name: DseClass): boolean {
  const seen = engine.dseSeen;
  if (seen.number !== snapshot.number) {
    seen.number = snapshot.number;
    seen.alias = seen.referral = seen.subentry = seen.stsTombstone = undefined;
  }
  // SQLite looks up to two ids up in a quarter of the time that it takes to count them.
  seen[name] ??= snapshot.idsEqual(classIndex, dseKey(engine.schema, name), 1).length > 0;
  return seen[name];
}

/** The attribute under which the index has classes. */
export const classIndex = 'objectclass';

const keys = new WeakMap<Schema, Map<DseClass, Uint8Array>>();

/** The key under which the index has the entries of a class and of those below it. */
export function dseKey(schema: Schema, name: DseClass): Uint8Array {
  const known = keys.get(schema) ?? new Map<DseClass, Uint8Array>();
  keys.set(schema, known);
  const key = known.get(name) ?? schema.attributeType(classIndex)?.equality?.assertion(utf8(name));
  if (key === undefined) throw new Error(`no schema defines ${name}`);
  known.set(name, key);
  return key;
}

/** What of an entry says which classes it has. */
type Classified = Pick<ReadableEntry, 'user'>;

/** Whether an entry is of a class, or of one below it. */
export function isDse(engine: Engine, snapshot: Snapshot, entry: Classified, name: DseClass): boolean {
  return hasAny(engine, snapshot, name) && hasClass(engine.schema, entry, name);
}

/** The same by the entry alone. */
export function hasClass(schema: Schema, { user }: Classified, name: DseClass): boolean {
  const { isClass, below } = tableOf(schema);
  let found = false;
  walkAttributes(user, (_start, _end, descriptionStart, descriptionEnd, valuesStart, valuesEnd) => {
    if (found || !isClass.of(user, descriptionStart, descriptionEnd)) return;
    walkValues(user, valuesStart, valuesEnd, (start, end) => {
      found ||= below[name].of(user, start, end);
    });
  });
  return found;
}

interface Table {
  /** Whether a description is that of the classes. */
  readonly isClass: Decisions<boolean>;
  /** Whether a value of it is the class, or one below it. */
  readonly below: Readonly<Record<DseClass, Decisions<boolean>>>;
}

const tables = new WeakMap<Schema, Table>();

function tableOf(schema: Schema): Table {
  let table = tables.get(schema);
  if (table === undefined) {
    const below = (name: DseClass) =>
      createDecisions((value) => schema.objectClass(value)?.lineage.some((each) => each === schema.objectClass(name)) === true);
    table = {
      isClass: createDecisions((description) => describe(schema, description)?.type.key === classIndex),
      below: { alias: below('alias'), referral: below('referral'), subentry: below('subentry'), stsTombstone: below('stsTombstone') },
    };
    tables.set(schema, table);
  }
  return table;
}

/** The values of an attribute as text; those that are none are left out. */
export function textsOf(schema: Schema, entry: Pick<ReadableEntry, 'user' | 'operational'>, key: string): string[] {
  const texts: string[] = [];
  for (const part of [entry.user, entry.operational]) {
    for (const { description, values } of decodeAttributes(part)) {
      if (describe(schema, description)?.type.key !== key) continue;
      for (const value of values) texts.push(text(value) ?? '');
    }
  }
  return texts.filter((each) => each !== '');
}
