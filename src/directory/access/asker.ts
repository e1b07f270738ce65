import { parseDn } from '#ldap';
import { normalizeDn } from '#schema';
import type { Engine } from '../engine.ts';
import type { Identity } from '../types.ts';
import { placeOf, type Rights, whoIs } from './resolve.ts';
import type { When, Who } from './table.ts';

/** One who asks, with what the rules give them, worked out once for a request. */
export interface Asker {
  readonly identity: Identity;
  readonly who: Who;
  /** Rights on an entry; without a `uuid` on one that is still to be made. */
  rightsAt(dnKey: Uint8Array, uuid?: string): Rights;
}

const keysOfIdentities = new WeakMap<Identity, Uint8Array>();

/** Works out what an identity may do, under the settings of this moment. */
export function askerOf(engine: Engine, identity: Identity): Asker {
  const { realm, access } = engine;
  const who = whoIs(realm, identity, keyOf(engine, identity));
  const conditions = conditionsOf(engine);
  return {
    identity,
    who,
    rightsAt: (dnKey, uuid) => access.rights(who, placeOf(realm, dnKey, uuid, identity.uuid), conditions),
  };
}

function conditionsOf({ settings }: Engine): readonly When[] {
  const conditions: When[] = [];
  if (settings['ldap.anonymousRead'] === 'public') conditions.push('anonymousReadPublic');
  if (settings['global.mode'] === 'development') conditions.push('development');
  return conditions;
}

function keyOf(engine: Engine, identity: Identity): Uint8Array | undefined {
  if (identity.dn === undefined) return undefined;
  const known = keysOfIdentities.get(identity);
  if (known !== undefined) return known;
  const dn = parseDn(identity.dn);
  const key = dn === undefined ? undefined : normalizeDn(engine.schema, dn);
  if (key !== undefined) keysOfIdentities.set(identity, key);
  return key;
}
