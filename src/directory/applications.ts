import { refuse } from '#catalogue';
import { claimRowOf, faultOfApplication, faultOfClaim, type PolicyFault } from '#policy';
import { isWithin, type Schema } from '#schema';
import type { StoredEntry } from '#store';
import { errors } from './errors.ts';
import type { Realm } from './realm.ts';
import type { Realms } from './realms.ts';
import { attributesOf } from './record.ts';
import { isOf, type Said, textsOf } from './said.ts';

const applicationClass = 'stsApplication';
const clientClass = 'stsOAuthClient';
const claimMapClass = 'stsClaimMap';

/** The words that every such entry has one of, as entries hold them. */
export const applicationMarks: readonly string[] = ['stsClientId', 'stsClaim'];

/**
 * Holds entries of applications and maps of claims to what they can be.
 *
 * @throws Refusal `applicationUnfit` (19) with the attribute and why
 */
export function checkApplication(schema: Schema, realms: Pick<Realms, 'default' | 'owning'>, dnKey: Uint8Array, attributes: Said): void {
  const fault = faultOf(schema, realms, dnKey, attributes);
  if (fault !== undefined) throw refuse(errors.applicationUnfit, { ...fault });
}

function faultOf(schema: Schema, realms: Pick<Realms, 'default' | 'owning'>, dnKey: Uint8Array, attributes: Said): PolicyFault | undefined {
  const realm = realms.owning(dnKey) ?? realms.default;
  const values = textsOf(attributes);
  const isMap = isOf(schema, attributes, claimMapClass);
  if (isMap) {
    // Of no realm's policies it would be in force nowhere.
    if (!isWithin(dnKey, realm.policies.key))
      return { attribute: 'objectClass', why: `a map of claims stands below ${realm.policies.text}` };
    const why = values('stsclaim')
      .map(faultOfClaim)
      .find((each) => each !== undefined);
    if (why !== undefined) return { attribute: 'stsClaim', why };
  }
  if (isOf(schema, attributes, clientClass)) {
    if (!isOf(schema, attributes, applicationClass))
      return { attribute: 'objectClass', why: `${clientClass} is for an ${applicationClass}: a person or a group is no application` };
    if (!isWithin(dnKey, realm.applications.key))
      return { attribute: 'objectClass', why: `an application stands below ${realm.applications.text}` };
    const fault = faultOfApplication(values, realm.mode);
    if (fault !== undefined) return fault;
  }
  return faultOfAttributes(schema, values('stsclaim'));
}

/** Attributes that claims are read from: nothing secret is ever one. */
function faultOfAttributes(schema: Schema, rows: readonly string[]): PolicyFault | undefined {
  for (const row of rows) {
    const name = claimRowOf(row)?.attribute;
    const type = name === undefined ? undefined : schema.attributeType(name);
    if (type === undefined) return { attribute: 'stsClaim', why: `no schema defines ${name ?? 'the attribute'}` };
    if (type.secret || type.sealed) return { attribute: 'stsClaim', why: `${type.name} is secret` };
  }
  return undefined;
}

/** Whether an entry is an application, which has a secret and no second factor, and whose secret is judged in any mode. */
export function isApplication(schema: Schema, { applications }: Pick<Realm, 'applications'>, entry: StoredEntry): boolean {
  return isWithin(entry.dnKey, applications.key) && isOf(schema, attributesOf(schema, entry), applicationClass);
}
