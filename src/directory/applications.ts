import { equalBytes } from '#base';
import { refuse } from '#catalogue';
import { signingAlgorithms } from '#keys';
import { claimRowOf, faultOfApplication, faultOfClaim, type PolicyFault, readKeySet } from '#policy';
import { isWithin, type Schema } from '#schema';
import type { StoredEntry } from '#store';
import { errors } from './errors.ts';
import { nameBelow, type Realm } from './realm.ts';
import type { Realms } from './realms.ts';
import { attributesOf } from './record.ts';
import { isOf, type Said, textsOf } from './said.ts';
import { keyStates } from './signing/state.ts';

const applicationClass = 'stsApplication';
const clientClass = 'stsOAuthClient';
const claimMapClass = 'stsClaimMap';
const keyClass = 'stsSigningKey';

/** The words that every such entry has one of, as entries hold them. */
export const applicationMarks: readonly string[] = ['stsClientId', 'stsClaim', 'stsKeyId'];

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
  if (isOf(schema, attributes, keyClass)) return faultOfKey(schema, realm, dnKey, values);
  return faultOfAttributes(schema, values('stsclaim'));
}

/** A key that somebody brings: of a name, an algorithm and a state that there are, and with a public half that is none of a private one. */
function faultOfKey(schema: Schema, realm: Realm, dnKey: Uint8Array, values: ReturnType<typeof textsOf>): PolicyFault | undefined {
  const place = nameBelow(schema, realm.suffix, ['stsKeyId', values('stskeyid')[0] ?? ''], ['ou', 'signingKeys']);
  if (!equalBytes(dnKey, place.key)) return { attribute: 'objectClass', why: `a signing key stands at ${place.text}` };
  const unknown = (attribute: string, words: readonly string[]) => {
    const [value = ''] = values(attribute.toLowerCase());
    return words.some((word) => word.toLowerCase() === value.toLowerCase())
      ? undefined
      : { attribute, why: `it is one of ${words.join(', ')}` };
  };
  const fault = unknown('stsKeyAlgorithm', signingAlgorithms) ?? unknown('stsKeyState', keyStates);
  if (fault !== undefined) return fault;
  const read = readKeySet(`{"keys":[${values('stspublickey')[0]}]}`)?.[0];
  return read === undefined || read['kid'] !== values('stskeyid')[0] || ['d', 'priv', 'k'].some((member) => member in read)
    ? { attribute: 'stsPublicKey', why: 'it is the public half alone, as JSON (RFC 7517), with the kid of the entry' }
    : undefined;
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
