import { parseDn } from '#ldap';
import { normalizeDn } from '#schema';
import type { ReadableEntry } from '#store';
import type { Engine } from '../engine.ts';
import type { Identity } from '../types.ts';
import { placeOf, type Rights, whoIs } from './resolve.ts';
import type { Place, When, Who } from './table.ts';

/** One who asks, with what the rules give them. */
export interface Asker {
  readonly identity: Identity;
  readonly who: Who;
  /** Rights on an entry; without a `uuid` on one that is still to be made. The same object for all entries of one place. */
  rightsAt(dnKey: Uint8Array, uuid?: string): Rights;
  /** The same of an entry as search reads it. */
  rightsOn(entry: ReadableEntry): Rights;
}

interface Kept {
  readonly engine: Engine;
  readonly conditions: readonly When[];
  readonly asker: Asker;
}

/** Who asked before: an identity is made at bind and lasts as long as it is bound. */
const kept = new WeakMap<Identity, Kept>();

/** Works out what an identity may do, under the settings of this moment: one that asks again is looked at anew only when they have changed. */
export function askerOf(engine: Engine, identity: Identity): Asker {
  const conditions = conditionsOf(engine);
  const known = kept.get(identity);
  // Lists of conditions are the same object as long as the settings are the same.
  if (known !== undefined && known.engine === engine && known.conditions === conditions) return known.asker;
  const asker = resolveAsker(engine, identity, conditions);
  kept.set(identity, { engine, conditions, asker });
  return asker;
}

function resolveAsker({ realm, access, schema }: Engine, identity: Identity, conditions: readonly When[]): Asker {
  const dn = identity.dn === undefined ? undefined : parseDn(identity.dn);
  const who = whoIs(realm, identity, dn && normalizeDn(schema, dn));
  const own = identity.uuid;
  const rights = new Map<Place, Rights>();
  const at = (place: Place): Rights => {
    let there = rights.get(place);
    if (there === undefined) {
      there = access.rights(who, place, conditions);
      rights.set(place, there);
    }
    return there;
  };
  return {
    identity,
    who,
    rightsAt: (dnKey, uuid) => at(placeOf(realm, dnKey, uuid !== undefined && uuid === own)),
    rightsOn: (entry) => at(placeOf(realm, entry.dnKey, own !== undefined && entry.hasUuid(own))),
  };
}

const conditionLists: readonly (readonly When[])[] = [[], ['anonymousReadPublic'], ['development'], ['anonymousReadPublic', 'development']];

function conditionsOf({ settings }: Engine): readonly When[] {
  const isPublic = settings['ldap.anonymousRead'] === 'public';
  const isDevelopment = settings['global.mode'] === 'development';
  return conditionLists[(isPublic ? 1 : 0) + (isDevelopment ? 2 : 0)] ?? [];
}
