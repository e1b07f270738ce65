import { text } from '#base';
import { decodeAttributes } from '#ldap';
import { describe, formOf, isWithin } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';
import type { Engine } from '../engine.ts';
import type { Realm } from '../realm.ts';
import { createWalk, memberTypes } from '../relations/chain.ts';
import { entriesOfClass } from './of-class.ts';
import { type Memberships, roleName } from './rule.ts';

export const noMemberships: Memberships = { isMember: () => false, isNested: () => false, hasRole: () => false };

/** The groups of a realm that give roles: for each role the row numbers of its groups. */
export type Roles = ReadonlyMap<string, ReadonlySet<number>>;

const roleGroupsMax = 10_000;

/** The roles of a realm: those that groups below its `ou=groups` have. */
export function rolesIn({ schema }: Pick<Engine, 'schema'>, realm: Realm, snapshot: Snapshot): Roles {
  const roles = new Map<string, Set<number>>();
  for (const entry of entriesOfClass(schema, snapshot, 'stsRoleGroup', roleGroupsMax)) {
    if (!isWithin(entry.dnKey, realm.groups.key) || entry.dnKey.length === realm.groups.key.length) continue;
    for (const { description, values } of decodeAttributes(entry.user)) {
      if (describe(schema, description)?.type.key !== 'stsrole') continue;
      for (const value of values) {
        const name = roleName(text(value) ?? '');
        const groups = roles.get(name) ?? new Set<number>();
        groups.add(entry.id);
        roles.set(name, groups);
      }
    }
  }
  return roles;
}

/**
 * The groups of somebody, by the members that groups name: those that are found by searches give nobody anything, since they would change with each
 * entry. Looked up when they are asked for, in one state of the store: good until another turn.
 *
 * @param own  the realm that has them: a group of another never counts
 * @throws Refusal `chainTooLong` (LDAP adminLimitExceeded) for somebody in more groups than may be followed
 */
export function membershipsOf(
  engine: Pick<Engine, 'schema' | 'settings' | 'realms'>,
  snapshot: Snapshot,
  dnKey: Uint8Array,
  roles: Roles,
  isOwned: (groupKey: Uint8Array) => boolean,
): Memberships {
  const walk = createWalk({ engine }, memberTypes(engine.schema), (group) => isOwned(group.dnKey));
  let direct: ReadonlySet<string> | undefined;
  let all: ReadonlyMap<number, ReadableEntry> | undefined;
  const nested = () => {
    all ??= walk.all(snapshot, dnKey);
    return all;
  };
  return {
    isMember(groupKey) {
      direct ??= new Set(walk.direct(snapshot, dnKey).map((group) => formOf(group.dnKey)));
      return direct.has(formOf(groupKey));
    },
    isNested(groupKey) {
      const id = snapshot.idOf(groupKey);
      return id !== undefined && nested().has(id);
    },
    hasRole(name) {
      const groups = roles.get(name);
      if (groups === undefined) return false;
      for (const id of groups) if (nested().has(id)) return true;
      return false;
    },
  };
}
