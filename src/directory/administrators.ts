import { Refusal } from '#catalogue';
import type { Snapshot } from '#store';
import { membershipsOf } from './access/memberships.ts';
import { roleName } from './access/rule.ts';
import type { Engine } from './engine.ts';
import { errors } from './errors.ts';
import type { Realm } from './realm.ts';
import { realmOf } from './realms.ts';

/** The roles whose members administer a realm. */
const administratorRoles = ['Admin Read', 'Admin Write'].map(roleName);

type Desk = Pick<Engine, 'schema' | 'settings' | 'realms' | 'access'>;

/**
 * Whether somebody is in a group of their realm, itself or by way of others, that makes administrators. Who is in too many to be followed is taken for one:
 * that asks for more, never for less.
 *
 * @param dnKey  theirs
 * @see specification document 1, "Requiring a second factor"
 */
export function administersByRole(engine: Desk, snapshot: Snapshot, realm: Realm, dnKey: Uint8Array): boolean {
  const { roles } = engine.access.bookOf(engine, realm, snapshot);
  const realms = engine.realms.in(snapshot);
  const memberships = membershipsOf(engine, snapshot, dnKey, roles, (group) => realms.owning(group) === realm);
  try {
    return administratorRoles.some((role) => memberships.hasRole(role));
  } catch (error) {
    if (error instanceof Refusal && error.row.code === errors.chainTooLong.code) return true;
    throw error;
  }
}

/** `stsAdministersRealm`: of whoever administers by a role, and nothing of anybody else. */
export function roleOf(engine: Desk, snapshot: Snapshot, dnKey: Uint8Array): readonly string[] {
  const realm = realmOf(engine, snapshot, dnKey);
  return realm !== undefined && administersByRole(engine, snapshot, realm, dnKey) ? ['TRUE'] : [];
}
