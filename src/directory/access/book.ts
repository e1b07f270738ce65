import { equalBytes, text, utf8 } from '#base';
import { Refusal } from '#catalogue';
import { decodeAttributes, type Filter } from '#ldap';
import { type AttributeType, compileFilter, describe, type EntryAttributes, normalizer, parentKey, type Schema } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';
import type { Realm } from '../realm.ts';
import type { RealmDesk, Realms } from '../realms.ts';
import { compileSeen, type Filterable } from '../search/filter.ts';
import { guardFilter } from '../search/guard.ts';
import { allAttributes } from './attribute-set.ts';
import { inOrder } from './evaluate.ts';
import { builtInRows, type ListedRow } from './listed.ts';
import { type Roles, rolesIn } from './memberships.ts';
import { fromAnywhere } from './networks.ts';
import { entriesOfClass } from './of-class.ts';
import { parseRule, type RuleTexts } from './parse.ts';
import { createPlan, type Fitting, type Plan } from './plan.ts';
import type { Guard } from './protections.ts';
import { type Rights, rightsOf, textOf } from './rights.ts';
import { type Right, type Rule, rights } from './rule.ts';

/** The rules of a realm in one state of the store. */
export interface Book {
  /** Those of its entries in their order, and the built-in set behind them. */
  readonly rules: readonly Rule[];
  readonly roles: Roles;
  /** For all to whom the same rules apply the same plan. */
  plan(guard: Guard, fitting: readonly Fitting[]): Plan;
}

/** What is kept of rules for one schema. */
export interface AccessDesk {
  /** @throws Error for a row of the built-in set that is none: a defect, not a refusal */
  bookOf(engine: RealmDesk, realm: Realm, snapshot: Snapshot): Book;
  /** What one may do where there are no rules. */
  rightsWithout(guard: Guard): Rights;
  /** Whether an entry fits the filter of a rule. Secret types are Undefined. */
  fits(filter: Filter, entry: Filterable, snapshot: Snapshot): boolean;
  /** The same of one that is still to be made. */
  fitsNew(filter: Filter, entry: NewEntry): boolean;
}

/** An entry that is still to be made. */
export interface NewEntry {
  readonly dn: Parameters<ReturnType<typeof compileFilter>>[0]['dn'];
  readonly attributes: EntryAttributes;
}

interface Kept {
  readonly number: number;
  readonly when: string;
  readonly book: Book;
}

/** More different rights than any directory has: what is forgotten is made anew. */
const rightsMax = 10_000;
const plansMax = 10_000;
/** All of them are read, however many may be written. */
export const rulesReadMax = 1_000_000;

export function createAccessDesk(schema: Schema): AccessDesk {
  const books = new WeakMap<Realm, Kept>();
  const parsed = new Map<number, { readonly version: number; readonly read: ReadRule | undefined }>();
  const made = new Map<string, Rights>();
  const make = (guard: Guard, rules: readonly Rule[]): Rights => {
    const key = textOf(guard, rules);
    let those = made.get(key);
    if (those === undefined) {
      those = rightsOf(schema, guard, rules);
      if (made.size >= rightsMax) made.clear();
      made.set(key, those);
    }
    return those;
  };
  const tests = new WeakMap<Filter, FilterTests>();
  const testsOf = (filter: Filter): FilterTests => {
    let known = tests.get(filter);
    if (known === undefined) {
      known = testsFor(schema, filter);
      tests.set(filter, known);
    }
    return known;
  };

  return {
    rightsWithout: (guard) => make(guard, []),
    fits: (filter, entry, snapshot) => testsOf(filter).stored(entry, snapshot),
    fitsNew: (filter, entry) => testsOf(filter).made(entry),
    bookOf(engine, realm, snapshot) {
      const when = realm.settings['ldap.anonymousRead'];
      const kept = books.get(realm);
      // A rule governs others, whatever may be changed beside it. Of what lies over a snapshot nothing is kept: it is no commit's.
      const isGood = kept !== undefined && snapshot.governing <= kept.number && kept.number <= snapshot.number;
      if (isGood && kept.when === when) return kept.book;
      const own = readRules(schema, engine, realm, snapshot, parsed);
      const rules = [...own, ...builtInRules(schema, builtInRows(realm))];
      const book = bookWith(rules, rolesIn({ schema }, realm, snapshot), make);
      if (snapshot.number >= 0) books.set(realm, { number: snapshot.number, when, book });
      return book;
    },
  };
}

function bookWith(rules: readonly Rule[], roles: Roles, make: (guard: Guard, rules: readonly Rule[]) => Rights): Book {
  const plans = new Map<string, Plan>();
  return {
    rules,
    roles,
    plan(guard, fitting) {
      const key = `${guard.byAppPassword} ${guard.power} ${fitting.map(({ at, onlyOwn }) => (onlyOwn ? `${at}own` : at)).join()}`;
      let plan = plans.get(key);
      if (plan === undefined) {
        plan = createPlan(fitting, (those) => make(guard, those));
        if (plans.size >= plansMax) plans.clear();
        plans.set(key, plan);
      }
      return plan;
    },
  };
}

interface FilterTests {
  readonly stored: (entry: Filterable, snapshot: Snapshot) => boolean;
  readonly made: (entry: NewEntry) => boolean;
}

function testsFor(schema: Schema, filter: Filter): FilterTests {
  const maySearch = ({ secret, sealed }: AttributeType) => !secret && !sealed;
  const asked = guardFilter(schema, filter, { maySearch });
  const test = compileFilter(schema, asked);
  return {
    stored: compileSeen(schema, asked, maySearch),
    made: ({ dn, attributes }) => {
      const seen = new Map([...attributes].filter(([key]) => isSeen(schema, key, maySearch)));
      return test({ dn, attributes: seen }) === true;
    },
  };
}

function isSeen(schema: Schema, key: string, maySearch: (type: AttributeType) => boolean): boolean {
  const type = describe(schema, key)?.type;
  return type !== undefined && maySearch(type);
}

/** The built-in set as rules of a realm. */
function builtInRules(schema: Schema, rows: readonly ListedRow[]): readonly Rule[] {
  return rows.map(({ name, attributes }, index) => {
    const texts: RuleTexts = new Map([
      ['stsruleorder', [String(index)]],
      ...attributes.map(([key, values]) => [key.toLowerCase(), values] as const),
    ]);
    return { ...parseRule({ schema, owns: () => true }, name, texts), isBuiltIn: true };
  });
}

interface ReadRule {
  readonly rule: Rule;
  readonly tie: Uint8Array;
}

/** The rules of the entries directly below `ou=accessRules`. What is the same entry as before is not parsed again. */
function readRules(
  schema: Schema,
  engine: RealmDesk,
  realm: Realm,
  snapshot: Snapshot,
  parsed: Map<number, { readonly version: number; readonly read: ReadRule | undefined }>,
): readonly Rule[] {
  const those: ReadRule[] = [];
  for (const entry of entriesOfClass(schema, snapshot, 'stsAccessRule', rulesReadMax)) {
    if (!standsRight(realm, entry.dnKey)) continue;
    let known = parsed.get(entry.id);
    if (known?.version !== entry.version) {
      known = { version: entry.version, read: readRule(schema, engine.realms.in(snapshot), realm, entry) };
      if (parsed.size > rulesReadMax) parsed.clear();
      parsed.set(entry.id, known);
    }
    if (known.read !== undefined) those.push(known.read);
  }
  return inOrder(those);
}

/** Whether a rule stands where it is in force. */
export function standsRight(realm: Realm, dnKey: Uint8Array): boolean {
  const parent = parentKey(dnKey);
  return parent !== undefined && equalBytes(parent, realm.rules.key);
}

function readRule(schema: Schema, realms: Realms, realm: Realm, entry: Pick<ReadableEntry, 'dn' | 'user'>): ReadRule | undefined {
  const texts = textsOf(schema, entry.user);
  const type = schema.attributeType('cn');
  const [cn = ''] = texts.get('cn') ?? [];
  const tie = (type === undefined ? undefined : normalizer(type)(utf8(cn))) ?? utf8(cn);
  try {
    return { rule: parseRule({ schema, owns: (key) => realms.owning(key) === realm }, entry.dn, texts), tie };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const rule = broken(entry.dn, texts);
    return rule && { rule, tie };
  }
}

/**
 * A rule that was right when it was written, and is not by the schema of this moment: one that allows allows nothing, and one that denies denies
 * everybody what it denied somebody.
 */
function broken(name: string, texts: RuleTexts): Rule | undefined {
  if (texts.get('stsruleeffect')?.[0]?.trim().toLowerCase() !== 'deny') return undefined;
  const denied = new Set((texts.get('stsruleright') ?? []).map((value) => value.trim().toLowerCase()));
  return {
    name,
    isBuiltIn: false,
    order: Number(texts.get('stsruleorder')?.[0] ?? 0),
    effect: 'deny',
    who: [{ kind: 'anyone' }],
    strengths: [],
    from: fromAnywhere,
    targets: [],
    filter: undefined,
    attributes: allAttributes,
    rights: new Set(rights.filter((right: Right) => denied.has(right))),
  };
}

/** What an entry says, as texts. */
export function textsOf(schema: Schema, user: Uint8Array): RuleTexts {
  return new Map(
    decodeAttributes(user).flatMap(({ description, values }) => {
      const key = describe(schema, description)?.key;
      return key === undefined ? [] : [[key, values.map((value) => text(value) ?? '')] as const];
    }),
  );
}
