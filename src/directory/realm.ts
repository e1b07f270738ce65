import { utf8 } from '#base';
import { refuse } from '#catalogue';
import { type Dn, formatDn, parseDn } from '#ldap';
import type { Mode } from '#policy';
import { normalizeDn, type Schema } from '#schema';
import type { EngineSettings } from './engine.ts';
import { errors } from './errors.ts';

/** A distinguished name, parsed once: as given, and as the key under which the store has it. */
export interface Name {
  readonly dn: Dn;
  readonly text: string;
  readonly key: Uint8Array;
}

/** What becomes of a realm: of one that is being removed nothing is done but that. */
export type RealmState = 'active' | 'removing';

/** A part of the tree under one suffix. */
export interface Realm {
  readonly id: string;
  /** The DNS name that its suffix is made of; nothing for one without, and for the default realm. */
  readonly domain: string | undefined;
  readonly mode: Mode;
  /** In force here: the realm's own above the service's. */
  readonly settings: EngineSettings;
  readonly state: RealmState;
  /** The entry of the default realm that says all this; nothing for the default realm itself. */
  readonly entry: { readonly uuid: string; readonly dn: string } | undefined;
  readonly suffix: Name;
  readonly people: Name;
  readonly groups: Name;
  readonly applications: Name;
  readonly policies: Name;
  /** Below it stand its access rules. */
  readonly rules: Name;
  readonly administrator: Name;
  /** The entry of the password policy in force; it need not be there. */
  readonly passwordPolicy: Name;
  /** The same of the authentication policy. */
  readonly authnPolicy: Name;
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

/** What a realm is but for the names below its suffix. */
export type RealmFacts = Pick<Realm, 'id' | 'domain' | 'mode' | 'settings' | 'state' | 'entry'>;

/** A realm with its names. */
export function realmAt(schema: Schema, suffix: Name, facts: RealmFacts): Realm {
  const below = (...parts: readonly [type: string, value: string][]) => nameBelow(schema, suffix, ...parts);
  return {
    ...facts,
    suffix,
    people: below(['ou', 'people']),
    groups: below(['ou', 'groups']),
    applications: below(['ou', 'applications']),
    policies: below(['ou', 'policies']),
    rules: below(['ou', 'accessRules']),
    administrator: below(['uid', facts.settings['admin.bootstrapUsername']], ['ou', 'people']),
    passwordPolicy: below(['cn', 'default'], ['ou', 'passwordPolicies']),
    authnPolicy: below(['cn', 'default'], ['ou', 'authnPolicies']),
  };
}

/** A name of some parts, the lowest first, below another. */
export function nameBelow(schema: Schema, above: Name, ...parts: readonly [type: string, value: string][]): Name {
  return nameOfDn(schema, [...parts.map(([type, value]) => [{ type, value: utf8(value) }]), ...above.dn]);
}

/**
 * The default realm.
 *
 * @throws Refusal `suffixUnfit` (STS-LDAP-9033)
 */
export function defaultRealm(schema: Schema, settings: EngineSettings): Realm {
  const suffixText = settings['realms.defaultSuffix'];
  const dn = parseDn(suffixText);
  if (dn === undefined || dn.length === 0) throw refuse(errors.suffixUnfit, { why: 'it is not a distinguished name' });
  if (normalizeDn(schema, dn) === undefined) throw refuse(errors.suffixUnfit, { why: 'it names an attribute that no schema defines' });
  return realmAt(schema, nameOfDn(schema, dn, suffixText), {
    id: defaultId,
    domain: undefined,
    mode: settings['global.mode'],
    settings,
    state: 'active',
    entry: undefined,
  });
}

export const defaultId = 'default';
