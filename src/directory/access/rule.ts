import { equalBytes } from '#base';
import type { Filter } from '#ldap';
import { type AttributeType, isWithin, parentKey } from '#schema';
import { type From, isFrom, type Origin } from './networks.ts';
import { type CameIn, holdsOneOf, type Word } from './strength.ts';

/** What one may do with an entry or an attribute of it; none implies another. */
export const rights = ['auth', 'compare', 'search', 'read', 'enumerate', 'write', 'add', 'delete', 'manage'] as const;
export type Right = (typeof rights)[number];

/** Those that are about an entry, whatever attributes it has. */
export type EntryRight = 'auth' | 'enumerate' | 'add' | 'delete' | 'manage';
export type AttributeRight = Exclude<Right, EntryRight>;

/** One alternative of whom a rule is about. */
export type Who =
  | { readonly kind: 'self' }
  | { readonly kind: 'anyone' | 'anonymous' | 'authenticated' }
  | { readonly kind: 'dn' | 'subtree' | 'member' | 'nested'; readonly key: Uint8Array }
  | { readonly kind: 'role'; readonly name: string };

/** One alternative of which entries a rule is about. */
export interface Target {
  readonly kind: 'entry' | 'one' | 'children' | 'subtree';
  readonly key: Uint8Array;
}

/** Which attributes a rule is about. */
export interface AttributeSet {
  holds(type: AttributeType): boolean;
  /** The same for equal sets. */
  readonly text: string;
}

/** A rule of access as it is asked: one entry below `ou=accessRules`, or one row of the built-in set. */
export interface Rule {
  /** The entry's DN, or what the row is called. */
  readonly name: string;
  readonly isBuiltIn: boolean;
  readonly order: number;
  readonly effect: 'allow' | 'deny';
  readonly who: readonly Who[];
  /** Alternatives of words that must all hold; none: any strength. */
  readonly strengths: readonly (readonly Word[])[];
  readonly from: From;
  /** None: every entry of the realm. */
  readonly targets: readonly Target[];
  readonly filter: Filter | undefined;
  readonly attributes: AttributeSet;
  readonly rights: ReadonlySet<Right>;
}

/** One who asks, as far as the rules of a realm tell people apart. */
export interface Subject {
  /** The key of their name; none for anonymous. */
  readonly key: Uint8Array | undefined;
  /** Whether they belong to another realm: then nothing of them counts but roles of the default realm. */
  readonly isForeign: boolean;
  readonly cameIn: CameIn;
  readonly origin: Origin;
  readonly groups: Memberships;
}

/** The groups that somebody is in. */
export interface Memberships {
  isMember(groupKey: Uint8Array): boolean;
  isNested(groupKey: Uint8Array): boolean;
  /** @param name  as `roleName` writes it */
  hasRole(name: string): boolean;
}

/** Names of roles are compared as caseIgnoreMatch does, but for what is rare in a word. */
export function roleName(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim().replaceAll(/\s+/g, ' ');
}

/** For whom a rule is: for them whatever the entry, for their own entry only, or not. */
export function fitsWho({ who }: Pick<Rule, 'who'>, subject: Subject): 'always' | 'self' | 'never' {
  let fits: 'self' | 'never' = 'never';
  for (const each of who) {
    if (each.kind === 'self') {
      if (subject.key !== undefined && !subject.isForeign) fits = 'self';
    } else if (isAbout(each, subject)) return 'always';
  }
  return fits;
}

function isAbout(who: Exclude<Who, { kind: 'self' }>, { key, isForeign, groups }: Subject): boolean {
  if (who.kind === 'role') return key !== undefined && groups.hasRole(who.name);
  if (isForeign) return false;
  switch (who.kind) {
    case 'anyone':
      return true;
    case 'anonymous':
      return key === undefined;
    case 'authenticated':
      return key !== undefined;
    case 'dn':
      return key !== undefined && equalBytes(key, who.key);
    case 'subtree':
      return key !== undefined && isWithin(key, who.key);
    case 'member':
      return key !== undefined && groups.isMember(who.key);
    case 'nested':
      return key !== undefined && groups.isNested(who.key);
  }
}

/** Whether how and from where someone came in is as a rule wants it, at a moment. */
export function fitsWay({ strengths, from }: Pick<Rule, 'strengths' | 'from'>, { cameIn, origin }: Subject, nowMs: number): boolean {
  return holdsOneOf(strengths, cameIn, nowMs) && isFrom(from, origin);
}

export function fitsTarget({ targets }: Pick<Rule, 'targets'>, dnKey: Uint8Array): boolean {
  return targets.length === 0 || targets.some((target) => isTarget(target, dnKey));
}

function isTarget({ kind, key }: Target, dnKey: Uint8Array): boolean {
  switch (kind) {
    case 'entry':
      return equalBytes(dnKey, key);
    case 'one':
      return dnKey.length > key.length && isWithin(dnKey, key) && parentKey(dnKey)?.length === key.length;
    case 'children':
      return dnKey.length > key.length && isWithin(dnKey, key);
    case 'subtree':
      return isWithin(dnKey, key);
  }
}
