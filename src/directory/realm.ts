import { utf8 } from '#base';
import { refuse } from '#catalogue';
import { type Dn, formatDn, parseDn } from '#ldap';
import { normalizeDn, type Schema } from '#schema';
import { errors } from './errors.ts';

/** A distinguished name, parsed once: as given, and as the key under which the store has it. */
export interface Name {
  readonly dn: Dn;
  readonly text: string;
  readonly key: Uint8Array;
}

/** A part of the tree under one suffix. */
export interface Realm {
  readonly id: string;
  readonly suffix: Name;
  readonly people: Name;
  readonly groups: Name;
  readonly policies: Name;
  readonly administrator: Name;
  /** The entry of the password policy in force; it need not be there. */
  readonly passwordPolicy: Name;
  /** The same for all realms. */
  readonly subschema: Name;
}

/** The subschema subentry, of which there is one for all realms (RFC 4512 §4.2). */
export const subschemaDn = 'cn=Subschema';

/**
 * Reads a name as it came in a message.
 *
 * @throws Refusal `nameInvalid` (LDAP invalidDNSyntax)
 */
export function nameOf(schema: Schema, text: string): Name {
  if (latest?.schema === schema && latest.name.text === text) return latest.name;
  const dn = parseDn(text);
  if (dn === undefined) throw refuse(errors.nameInvalid);
  const name = nameOfDn(schema, dn, text);
  latest = { schema, name };
  return name;
}

/** What was asked for last: the name of a request is read in several places while it is performed. */
let latest: { readonly schema: Schema; readonly name: Name } | undefined;

/** @throws Refusal `nameInvalid` for types that no schema defines and values that do not fit */
export function nameOfDn(schema: Schema, dn: Dn, text = formatDn(dn)): Name {
  const key = normalizeDn(schema, dn);
  if (key === undefined) throw refuse(errors.nameInvalid);
  return { dn, text, key };
}

/** The superior's name; `undefined` for one with a single part. */
export function superiorOf(schema: Schema, name: Name): Name | undefined {
  return name.dn.length < 2 ? undefined : nameOfDn(schema, name.dn.slice(1));
}

/** The default realm: the names that the rules of access speak of. */
export function openRealm(schema: Schema, suffixText: string, administratorUid: string): Realm {
  const dn = parseDn(suffixText);
  if (dn === undefined || dn.length === 0) throw refuse(errors.suffixUnfit, { why: 'it is not a distinguished name' });
  if (normalizeDn(schema, dn) === undefined) throw refuse(errors.suffixUnfit, { why: 'it names an attribute that no schema defines' });
  const below = (...parts: readonly [type: string, value: string][]) => {
    const rdns = parts.map(([type, value]) => [{ type, value: utf8(value) }]);
    return nameOfDn(schema, [...rdns, ...dn]);
  };
  return {
    id: 'default',
    suffix: nameOfDn(schema, dn, suffixText),
    people: below(['ou', 'people']),
    groups: below(['ou', 'groups']),
    policies: below(['ou', 'policies']),
    administrator: below(['uid', administratorUid], ['ou', 'people']),
    passwordPolicy: below(['cn', 'default'], ['ou', 'passwordPolicies']),
    subschema: nameOf(schema, subschemaDn),
  };
}
