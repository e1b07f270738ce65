import { parseDn } from '#ldap';
import { normalizeDn } from '#schema';
import type { ReadableEntry } from '#store';
import type { Engine, EngineSettings } from '../engine.ts';
import type { Realm } from '../realm.ts';
import type { Realms } from '../realms.ts';
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
  readonly realms: Realms;
  readonly asker: Asker;
}

/** Who asked before: an identity is made at bind and lasts as long as it is bound. */
const kept = new WeakMap<Identity, Kept>();

/** Works out what an identity may do, under the settings of this moment: one that asks again is looked at anew only when they have changed. */
export function askerOf(engine: Engine, identity: Identity): Asker {
  const conditions = conditionsOf(engine.settings);
  const realms = engine.realms.in(engine.store.snapshot());
  const known = kept.get(identity);
  // Lists of conditions are the same object as long as the settings are the same.
  if (known !== undefined && known.engine === engine && known.conditions === conditions && known.realms === realms) return known.asker;
  const asker = resolveAsker(engine, realms, identity);
  kept.set(identity, { engine, conditions, realms, asker });
  return asker;
}

function resolveAsker({ access, schema, settings }: Engine, realms: Realms, identity: Identity): Asker {
  const dn = identity.dn === undefined ? undefined : parseDn(identity.dn);
  const dnKey = dn && normalizeDn(schema, dn);
  const home = dnKey === undefined ? undefined : realms.owning(dnKey);
  const who = whoIs(realms.default, identity, dnKey);
  const own = identity.uuid;
  const byRealm = new Map<Realm | undefined, Map<Place, Rights>>();
  const at = (key: Uint8Array, isOwn: boolean): Rights => {
    const realm = realms.owning(key);
    const rights = byRealm.get(realm) ?? new Map<Place, Rights>();
    byRealm.set(realm, rights);
    const place = placeOf(realm ?? realms.default, key, isOwn);
    let there = rights.get(place);
    if (there === undefined) {
      const conditions = conditionsOf(realm?.settings ?? settings);
      // Somebody of another realm has no rights in this one, but for the default realm's administrator.
      const isForeign = who === 'person' && home !== realm;
      there = isForeign ? access.rights('person', place, conditions, 'nothing') : access.rights(inRealm(realm), place, conditions);
      rights.set(place, there);
    }
    return there;
  };
  const inRealm = (realm: Realm | undefined): Who => (who === 'person' && realm !== undefined ? whoIs(realm, identity, dnKey) : who);
  return {
    identity,
    who,
    rightsAt: (key, uuid) => at(key, uuid !== undefined && uuid === own),
    rightsOn: (entry) => at(entry.dnKey, own !== undefined && entry.hasUuid(own)),
  };
}

const conditionLists: readonly (readonly When[])[] = [[], ['anonymousReadPublic'], ['development'], ['anonymousReadPublic', 'development']];

function conditionsOf(settings: EngineSettings): readonly When[] {
  const isPublic = settings['ldap.anonymousRead'] === 'public';
  const isDevelopment = settings['global.mode'] === 'development';
  return conditionLists[(isPublic ? 1 : 0) + (isDevelopment ? 2 : 0)] ?? [];
}
