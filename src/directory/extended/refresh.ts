import { refuse } from '#catalogue';
import { decodeBer, encodeBer } from '#ldap';
import { isDynamicEntry, setExpiry } from '../dynamic-entries.ts';
import { errors } from '../errors.ts';
import { changeOf, editedLists, settleLists } from '../lists.ts';
import { find } from '../lookup.ts';
import { settingsAt } from '../realms.ts';
import { attributesOf, stampChanged } from '../record.ts';
import { done } from '../result.ts';
import { commit, writerName } from '../write.ts';
import type { ExtendedKind } from './kind.ts';

const tags = { name: 0x80, ttl: 0x81 } as const;

/** RFC 2589 §4.1: a year and a day, in seconds; nobody may ask for more. */
const askedMaxS = 31_557_600;

/** Refresh (RFC 2589 §4): gives a dynamic entry more time, by who may write it and by itself. */
export const refresh: ExtendedKind = {
  oid: '1.3.6.1.4.1.1466.101.119.1',
  name: 'dynamic refresh',
  async perform({ engine, asker }, value, tell) {
    const request = value && decodeBer(value, (ber) => ber.sequence(() => ({ name: ber.string(tags.name), ttlS: ber.number(tags.ttl) })));
    if (request === undefined || request.ttlS < 1 || request.ttlS > askedMaxS) throw refuse(errors.refreshMalformed);
    const { schema, clock } = engine;
    let { ttlS } = request;
    const type = schema.attributeType('entryTtl');
    let dn = '';

    await commit(engine, (look) => {
      const snapshot = look();
      const { entry, name, rights } = find(engine, asker, snapshot, request.name);
      dn = entry.dn;
      const settings = settingsAt(engine, snapshot, entry.dnKey);
      if (request.ttlS > settings['ldap.dynamicTtlMaxS']) throw refuse(errors.refreshTooLong);
      ttlS = Math.max(request.ttlS, settings['ldap.dynamicTtlMinS']);
      const mayWrite = type !== undefined && rights.mayWrite(type);
      if (!mayWrite && asker.identity.uuid !== entry.uuid) throw refuse(errors.accessDenied, { why: 'entryTtl may not be changed' });
      if (!isDynamicEntry(schema, entry)) throw refuse(errors.refreshOfStatic);
      const attributes = new Map(attributesOf(schema, entry));
      const lists = editedLists(schema, snapshot, entry);
      setExpiry(attributes, clock.nowMs() + ttlS * 1000);
      settleLists(schema, attributes, entry, lists);
      const csn = engine.csn.next();
      stampChanged(attributes, { csn, nowMs: clock.nowMs(), by: writerName(engine, asker.identity) });
      const place = { uuid: entry.uuid, parent: entry.parent, name: { ...name, text: entry.dn }, csn };
      const { change, listedOctets, whole } = changeOf(schema, place, attributes, lists, entry);
      const expected = [{ kind: 'unchanged' as const, uuid: entry.uuid, csn: entry.csn }];
      return { target: entry.uuid, expected, changes: [change], listedOctets, whole, before: entry };
    });
    tell(`refreshed ${dn} for ${ttlS} s`);
    return { kind: 'extendedResponse', result: done, value: encodeBer((ber) => ber.sequence(() => ber.number(ttlS, tags.ttl))) };
  },
};
