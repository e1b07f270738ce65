import { allOf, anyOf, ClientRefusal, type DirectoryClient, equals, inChain } from '#client';
import { resultCodes } from '#ldap';
import type { WebRealm } from '#web';
import type { Scope } from './row.ts';

const roleOf: Readonly<Record<Scope, readonly string[]>> = { 'admin:read': ['Admin Read', 'Admin Write'], 'admin:write': ['Admin Write'] };

/**
 * Whether somebody is in a group of their realm, itself or by way of others, whose role a scope takes: a person or an application.
 *
 * @see specification document 2, "Authentication"
 */
export async function holdsRole(
  client: Pick<DirectoryClient, 'as'>,
  { suffix }: Pick<WebRealm, 'suffix'>,
  dn: string,
  scope: Scope,
): Promise<boolean> {
  const isRole = anyOf(...roleOf[scope].map((role) => equals('stsRole', role)));
  const self = client.as('self');
  try {
    const filter = allOf(equals('objectClass', 'stsRoleGroup'), isRole);
    const groups = await self.search({ base: `ou=groups,${suffix}`, scope: 'sub', filter, attributes: ['1.1'] });
    if (groups.entries.length === 0) return false;
    // Of the entry, and not of the groups: a chain may go through groups of both kinds, of `member` and of `uniqueMember`.
    const holds = anyOf(...groups.entries.map((group) => inChain('memberOf', group.dn)));
    return (await self.search({ base: dn, scope: 'base', filter: holds, attributes: ['1.1'] })).entries.length > 0;
  } catch (error) {
    if (!(error instanceof ClientRefusal)) throw error;
    // A realm without groups has no roles. Who is in too many groups to be followed has none here: this door opens for nobody whom it does not know.
    if (error.code === resultCodes.noSuchObject || error.code === resultCodes.adminLimitExceeded) return false;
    throw error;
  }
}
