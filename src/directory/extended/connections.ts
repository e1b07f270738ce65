import { refuse } from '#catalogue';
import { decodeBer, encodeBer } from '#ldap';
import type { Engine } from '../engine.ts';
import { errors } from '../errors.ts';
import { checkRealm, findNamed } from '../lookup.ts';
import { nameOf } from '../realm.ts';
import { realmOf } from '../realms.ts';
import { done } from '../result.ts';
import type { ExtendedKind } from './kind.ts';

const tags = { appPasswords: 0xa0 } as const;

/**
 * Says how many LDAP connections there are on which somebody is bound as an entry, in all threads: those that end with it. On the web layer's socket alone, to
 * whoever manages the entry. The entry of a realm stands for everybody of that realm, whom its removal ends. Nothing ends, and nothing is told of them but how many.
 *
 * Request: SEQUENCE { dn OCTET STRING, appPasswords [0] SEQUENCE OF OCTET STRING OPTIONAL }; with ids of app passwords those that came in with one of these.
 * Answer: SEQUENCE { count INTEGER }.
 *
 * @throws Refusal `connectionsMalformed` (2), `entryAbsent` (32), `accessDenied` (50)
 */
export const countConnections: ExtendedKind = {
  oid: '2.25.83716444157178576224225129172109131643.6.170',
  name: 'count connections',
  offered: ({ trusted }) => trusted,
  async perform(call, value) {
    const asked =
      value &&
      decodeBer(value, (ber) =>
        ber.sequence(() => ({
          dn: ber.string(),
          appPasswords: ber.more ? ber.list(() => ber.string(), tags.appPasswords) : undefined,
        })),
      );
    if (asked === undefined) throw refuse(errors.connectionsMalformed);
    const { engine, asker } = call;
    const name = nameOf(engine.schema, asked.dn);
    checkRealm(call, name);
    const { entry, rights } = findNamed(engine, asker, engine.store.snapshot(), name);
    if (!rights.mayManage) throw refuse(errors.accessDenied, { why: 'connections are counted for those who manage the entry' });
    const isRealm = engine.realms.in(engine.store.snapshot()).all.some((realm) => realm.entry?.uuid === entry.uuid);
    const count = isRealm ? await countInRealm(engine, entry.uuid) : await engine.countConnections(entry.uuid, asked.appPasswords);
    return { kind: 'extendedResponse', result: done, value: encodeBer((ber) => ber.sequence(() => ber.number(count))) };
  },
};

/** How many LDAP connections there are as entries of the realm that an entry says there is. */
async function countInRealm(engine: Engine, realmUuid: string): Promise<number> {
  const bound = await engine.boundAs();
  const snapshot = engine.store.snapshot();
  const inside = new Map<string, boolean>();
  const isInside = (uuid: string): boolean => {
    const entry = snapshot.byUuid(uuid);
    return entry !== undefined && realmOf(engine, snapshot, entry.dnKey)?.entry?.uuid === realmUuid;
  };
  for (const uuid of new Set(bound)) inside.set(uuid, isInside(uuid));
  return bound.filter((uuid) => inside.get(uuid)).length;
}
