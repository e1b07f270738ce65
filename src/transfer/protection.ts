import { text } from '#base';
import type { LdifChange, Modification, PartialAttribute } from '#ldap';
import { type AttributeType, describe, formOf, isWithin, keysAbove, type Schema } from '#schema';
import type { Difference } from './desk.ts';
import { keyOfName } from './realms.ts';

/** What may be touched. */
export interface Allowed {
  /** Entries of people, and what stands below them. */
  readonly people: boolean;
  /** What people sign in with: passwords, factors, and whether a second one is asked for. */
  readonly factors: boolean;
}

/** What was left alone, and why. */
export interface LeftAlone {
  readonly dn: string;
  readonly why: string;
}

export interface Protection {
  /** @returns the difference as it may be made; nothing when none of it may */
  allow(difference: Difference): Difference | undefined;
}

/** Classes of entries that are people's, or accounts that people or programs sign in with. */
const personal = ['person', 'account', 'posixAccount'];
/** Attributes by which somebody signs in, beside those that the schema keeps secret. */
const factorKeys: ReadonlySet<string> = new Set([
  'stscredentialid',
  'stswebauthncredential',
  'stsmfarequired',
  'stsemailfactor',
  'stsverifiedmail',
  'stsemailfailures',
  'usercertificate',
  'authzto',
  'authzfrom',
]);

/**
 * Holds differences to what may be touched. A superior of something that is left alone cannot go either: differences come in the order in which they are
 * made, leaves before what is above them.
 *
 * @param suffix  that of the realm
 * @param tell  told of each thing that is left alone
 */
export function createProtection(schema: Schema, suffix: string, allowed: Allowed, tell: (left: LeftAlone) => void): Protection {
  const people = keyOfName(schema, `ou=people,${suffix}`);
  const held = new Set<string>();
  const isPersonal = (key: Uint8Array, attributes: readonly PartialAttribute[] | undefined) =>
    (isWithin(key, people) && key.length > people.length) || isOfClass(schema, attributes, personal);

  function leave({ change, key }: Difference, why: string): undefined {
    for (const above of keysAbove(key, new Uint8Array(0))) held.add(formOf(above));
    tell({ dn: change.dn, why });
    return undefined;
  }

  return {
    allow(difference) {
      const { change, before, after, key } = difference;
      if (!allowed.people && (isPersonal(key, before) || isPersonal(key, after)))
        return leave(difference, 'people are left alone without --people');
      if (change.kind === 'delete' && held.has(formOf(key))) return leave(difference, 'something below it is left alone');
      if (allowed.factors) return difference;
      const { kept, left } = withoutFactors(schema, change);
      if (left.length > 0) tell({ dn: change.dn, why: `${left.join(', ')}: factors are left alone without --factors` });
      return kept === undefined ? undefined : { ...difference, change: kept };
    },
  };
}

function isOfClass(schema: Schema, attributes: readonly PartialAttribute[] | undefined, wanted: readonly string[]): boolean {
  const classes = (attributes ?? []).find(({ description }) => description.toLowerCase() === 'objectclass')?.values ?? [];
  return classes.some((value) => schema.objectClass(text(value) ?? '')?.lineage.some(({ name }) => wanted.includes(name)) === true);
}

export function isFactor({ secret, sealed, key }: AttributeType): boolean {
  return secret || sealed || factorKeys.has(key);
}

/** A change without what it does to factors; nothing is left of one that does nothing else. */
function withoutFactors(schema: Schema, change: LdifChange): { readonly kept: LdifChange | undefined; readonly left: readonly string[] } {
  const touches = ({ description }: PartialAttribute) => {
    const type = describe(schema, description)?.type;
    return type !== undefined && isFactor(type);
  };
  const named = (all: readonly PartialAttribute[]) => [...new Set(all.filter(touches).map(({ description }) => description))];
  switch (change.kind) {
    case 'delete':
    case 'modrdn':
      return { kept: change, left: [] };
    case 'add':
      return { kept: { ...change, attributes: change.attributes.filter((each) => !touches(each)) }, left: named(change.attributes) };
    case 'modify': {
      const changes = change.changes.filter(({ attribute }: Modification) => !touches(attribute));
      const left = named(change.changes.map(({ attribute }) => attribute));
      return { kept: changes.length === 0 ? undefined : { ...change, changes }, left };
    }
  }
}
