import type { Filter } from '#ldap';
import { formOf, isDirectlyBelow, isWithin, parentKey } from '#schema';
import { assertionsOf } from '../search/turn.ts';
import type { Rights } from './rights.ts';
import type { Rule, Target } from './rule.ts';

/** How many assertions the filters of rules make. */
export function assertionsOfRules(rules: readonly Pick<Rule, 'filter'>[]): number {
  return rules.reduce((sum, { filter }) => sum + (filter === undefined ? 0 : assertionsOf(filter)), 0);
}

/** A rule that is for who asks, whatever the entry, or only for their own. */
export interface Fitting {
  readonly rule: Rule;
  /** Its place among all rules of the realm. */
  readonly at: number;
  readonly onlyOwn: boolean;
}

/** What is known of an entry, beside its name. */
export type FitsFilter = (filter: Filter) => boolean;

/** The rules of a realm that are for one who asks, chosen once; what is left is to find out where an entry stands. */
export interface Plan {
  /** @param fits  whether the entry fits the filter of a rule; without it nobody knows, and no filter gives anything */
  rightsOf(dnKey: Uint8Array, isOwn: boolean, fits?: FitsFilter): Rights;
  /** Whether some rule is for one's own entry only. */
  readonly hasOwn: boolean;
  /** Whether some rule has a filter. */
  readonly hasFilters: boolean;
  /** How many assertions the filters of rules make of an entry, at most. */
  readonly assertions: number;
}

/** A name that targets name. */
interface Base {
  readonly key: Uint8Array;
  /** Its place among all of them. */
  readonly at: number;
  /** Whether what stands directly below it is told from what is further below. */
  readonly tellsLevels: boolean;
  readonly aims: readonly Aim[];
}

/** One target of a rule, which is the nth of those that fit who asks. */
interface Aim {
  readonly kind: Target['kind'];
  readonly nth: number;
}

/** All entries that stand alike: the same targets fit them. */
interface Shape {
  readonly rules: readonly Rule[];
  readonly filters: readonly Filter[];
  /** Of those who fit no filter, and so on, by which they fit. */
  readonly byFits: Map<string, Rights>;
  /** Where no rule has a filter. */
  readonly rights: Rights | undefined;
}

/** Two bits a base: more of them than that make no number that can be counted on. */
const basesInNumberMax = 24;
/** More different places than rules mostly tell apart: what is forgotten is worked out anew. */
const shapesMax = 10_000;

/** @param make  the rights by the rules that fit, in their order */
export function createPlan(fitting: readonly Fitting[], make: (rules: readonly Rule[]) => Rights): Plan {
  const basesByForm = basesOf(fitting);
  const bases = [...basesByForm.values()];
  const everywhere = fitting.flatMap(({ rule }, nth) => (rule.targets.length === 0 ? [nth] : []));
  const hasOwn = fitting.some(({ onlyOwn }) => onlyOwn);
  const hasFilters = fitting.some(({ rule }) => rule.filter !== undefined);
  // Of who may do everything nothing has to be known of an entry: neither where it stands nor whose it is.
  const always = bases.length === 0 && !hasOwn && !hasFilters ? make(fitting.map(({ rule }) => rule)) : undefined;
  const shapes = new Map<number | string, Shape>();
  const parentsOfBases = new Set(bases.flatMap(({ key }) => parentKey(key) ?? []).map(formOf));

  const makeShape = (dnKey: Uint8Array, isOwn: boolean): Shape => {
    const nths = new Set(everywhere);
    for (const { base, level } of basesAbove(basesByForm, dnKey))
      for (const { kind, nth } of base.aims) if (fitsLevel[kind](level)) nths.add(nth);
    const rules = fitting.flatMap(({ rule, onlyOwn }, nth) => (nths.has(nth) && (isOwn || !onlyOwn) ? [rule] : []));
    const filters = [...new Set(rules.flatMap(({ filter }) => filter ?? []))];
    return { rules, filters, byFits: new Map(), rights: filters.length === 0 ? make(rules) : undefined };
  };
  const shapeOf = (dnKey: Uint8Array, isOwn: boolean): Shape => {
    const key = bases.length <= basesInNumberMax ? numberOf(bases, dnKey, isOwn) : placesOf(basesByForm, dnKey, isOwn);
    let shape = shapes.get(key);
    if (shape === undefined) {
      shape = makeShape(dnKey, isOwn);
      if (shapes.size >= shapesMax) shapes.clear();
      shapes.set(key, shape);
    }
    return shape;
  };
  /** Entries side by side stand alike, but for those that a target names: most answers are of one place. */
  let siblings: { readonly parent: Uint8Array; readonly shape: Shape } | undefined;
  /** And searches begin at the same entry again and again. */
  let same: { readonly dnKey: Uint8Array; readonly shape: Shape } | undefined;
  const shapeBeside = (dnKey: Uint8Array): Shape => {
    if (siblings !== undefined && isDirectlyBelow(dnKey, siblings.parent)) return siblings.shape;
    if (same !== undefined && dnKey.length === same.dnKey.length && isWithin(dnKey, same.dnKey)) return same.shape;
    const shape = shapeOf(dnKey, false);
    const parent = parentKey(dnKey);
    if (parent !== undefined && !parentsOfBases.has(formOf(parent))) siblings = { parent: parent.slice(), shape };
    else same = { dnKey: dnKey.slice(), shape };
    return shape;
  };

  return {
    hasOwn,
    hasFilters,
    assertions: hasFilters ? assertionsOfRules(fitting.map(({ rule }) => rule)) : 0,
    rightsOf(dnKey, isOwn, fits) {
      if (always !== undefined) return always;
      const shape = isOwn && hasOwn ? shapeOf(dnKey, true) : shapeBeside(dnKey);
      return shape.rights ?? filtered(shape, fits, make);
    },
  };
}

/** Where nobody knows whether an entry fits, what is allowed is not, and what is denied is. */
function filtered({ rules, filters, byFits }: Shape, fits: FitsFilter | undefined, make: (rules: readonly Rule[]) => Rights): Rights {
  const key = fits === undefined ? '?' : filters.map((filter) => (fits(filter) ? '1' : '0')).join('');
  let rights = byFits.get(key);
  if (rights === undefined) {
    const isFit = ({ filter, effect }: Rule) => {
      if (filter === undefined) return true;
      return fits === undefined ? effect === 'deny' : key[filters.indexOf(filter)] === '1';
    };
    rights = make(rules.filter(isFit));
    // As many as filters can be fitted in different ways: what is made anew is the same rights.
    if (byFits.size >= fitsMax) byFits.clear();
    byFits.set(key, rights);
  }
  return rights;
}

const fitsMax = 256;

/** By the forms of their keys, in the order in which they are named: there may be very many. */
function basesOf(fitting: readonly Fitting[]): ReadonlyMap<string, Base> {
  const bases = new Map<string, { key: Uint8Array; at: number; tellsLevels: boolean; aims: Aim[] }>();
  for (const [nth, { rule }] of fitting.entries()) {
    for (const { kind, key } of rule.targets) {
      const form = formOf(key);
      const known = bases.get(form) ?? { key, at: bases.size, tellsLevels: false, aims: [] };
      known.tellsLevels ||= kind === 'one';
      known.aims.push({ kind, nth });
      bases.set(form, known);
    }
  }
  return bases;
}

/** Which targets fit an entry so many levels below the name that they name. */
const fitsLevel: Readonly<Record<Target['kind'], (level: number) => boolean>> = {
  entry: (level) => level === 0,
  one: (level) => level === 1,
  children: (level) => level > 0,
  subtree: () => true,
};

/** The bases at and above an entry, and how many levels it stands below each: found by its own name, however many there are. */
function* basesAbove(bases: ReadonlyMap<string, Base>, dnKey: Uint8Array): Generator<{ readonly base: Base; readonly level: number }> {
  let level = 0;
  for (let key: Uint8Array | undefined = dnKey; key !== undefined; key = parentKey(key)) {
    const base = bases.get(formOf(key));
    if (base !== undefined) yield { base, level };
    level++;
  }
}

/** Where an entry stands, seen from a base: elsewhere, there, below it, directly below it. */
function placeOf({ key, tellsLevels }: Base, dnKey: Uint8Array): number {
  if (!isWithin(dnKey, key)) return 0;
  if (dnKey.length === key.length) return 1;
  return tellsLevels && parentKey(dnKey)?.length === key.length ? 3 : 2;
}

function numberOf(bases: readonly Base[], dnKey: Uint8Array, isOwn: boolean): number {
  let number = isOwn ? 1 : 0;
  for (const base of bases) number = number * 4 + placeOf(base, dnKey);
  return number;
}

function placesOf(bases: ReadonlyMap<string, Base>, dnKey: Uint8Array, isOwn: boolean): string {
  let places = isOwn ? 'own' : '';
  for (const { base, level } of basesAbove(bases, dnKey)) places += ` ${base.at}:${Math.min(level, base.tellsLevels ? 2 : 1)}`;
  return places;
}
