import { text } from '#base';
import { parseDn } from '#ldap';
import type { Operation } from '../operations/row.ts';

/** What people sign in with, keys, and rules of access. */
const names =
  /^(?:users\.(?:set-|setP|clear|issue|create-app|createApp|revoke-app|revokeApp)|keys\.|applications\.(?:setSecret|set-secret)|access\.|entries\.)/;

/**
 * Whether an authentication of long ago does not do for a deed: whoever finds a browser open gets no way in by it that stays.
 *
 * @param dn  the entry that it is about, of one that is about any: it counts for rules of access
 */
export function takesFresh({ name, scope }: Operation, dn: string | null): boolean {
  return scope === 'admin:write' && names.test(name) && (!name.startsWith('entries.') || isRuleName(dn ?? ''));
}

/** Whether an entry of this name would be a rule of access, or is what they stand below. */
export function isRuleName(dn: string): boolean {
  return (parseDn(dn) ?? [])
    .slice(0, 2)
    .some((rdn) => rdn.some(({ type, value }) => /^(?:ou|organizationalUnitName|2\.5\.4\.11)$/i.test(type) && isRules(text(value) ?? '')));
}

function isRules(value: string): boolean {
  return value.trim().toLowerCase() === 'accessrules';
}
