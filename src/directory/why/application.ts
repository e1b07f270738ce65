import { utf8 } from '#base';
import { Refusal } from '#catalogue';
import { barOf } from '#holdings';
import { applicationRefusals, type Demand, demandOfApplication, grantTypesOf, signInGrants } from '#policy';
import { isWithin, normalizer } from '#schema';
import type { Snapshot, StoredEntry } from '#store';
import type { Call } from '../call.ts';
import { entryValidity } from '../entry-validity.ts';
import { errors } from '../errors.ts';
import { indexKey } from '../indexing.ts';
import { entryNamed } from '../named.ts';
import type { Realm } from '../realm.ts';
import { attributesOf } from '../record.ts';
import { createGroups } from '../relations/chain.ts';
import { isOf, textsOf } from '../said.ts';
import { passes, refuses, says, type WhyRow } from './row.ts';

/** What an application has to do with somebody who signs in to it. */
export interface Applied {
  readonly demand: Demand;
  /** What is judged before the sign-in page is reached. */
  readonly before: readonly WhyRow[];
  /** What is judged when the person comes back from it. */
  readonly after: readonly WhyRow[];
  /** The name of its entry; empty where nobody has the id. */
  readonly at: string;
}

export const noApplication: Applied = { demand: {}, before: [], after: [], at: '' };

/** @param id  its client id */
export function appliedBy(call: Call, snapshot: Snapshot, realm: Realm, entry: StoredEntry, id: string): Applied {
  const { engine } = call;
  const application = applicationWith(call, snapshot, realm, id);
  if (application === undefined)
    return {
      ...noApplication,
      before: [
        refuses(
          'application',
          applicationRefusals.invalidClient,
          `stsClientId of an entry below ${realm.applications.text}: none has ${id}`,
        ),
      ],
    };
  const { dn } = application;
  const values = textsOf(attributesOf(engine.schema, application));
  const flag = (name: string) => values(name)[0]?.toUpperCase() === 'TRUE';
  const [requiredAcr] = values('stsrequiredacr');
  const refuseEmailFactor = flag('stsrefuseemailfactor');
  const demand = demandOfApplication({ requiredAcr, refuseEmailFactor });
  const asks = [
    ...(requiredAcr === undefined ? [] : [`stsRequiredAcr: ${requiredAcr}`]),
    ...(refuseEmailFactor ? ['stsRefuseEmailFactor: TRUE'] : []),
  ];
  const bar = barOf(entryValidity(application), engine.clock.nowMs());
  const attribute = bar && { disabled: 'pwdAccountLockedTime', early: 'stsValidFrom', late: 'stsValidUntil' }[bar];
  const isForPeople = grantTypesOf(values('stsgranttype')).some((each) => signInGrants.includes(each));
  return {
    demand,
    at: dn,
    before: [
      attribute === undefined
        ? passes('application', `it is ${dn}, and is neither disabled nor out of its time`)
        : refuses('application', applicationRefusals.invalidClient, `${attribute} of ${dn}`),
      isForPeople
        ? passes('grant', 'people may sign in to it')
        : refuses('grant', applicationRefusals.unauthorizedClient, `stsGrantType of ${dn}: it names none with which people sign in`),
      asks.length === 0
        ? passes('demand', 'the application asks nothing of the sign-in')
        : says(
            'demand',
            `of the sign-in the application asks ${asks.join(', ')}`,
            `${asks.map((each) => each.split(':')[0]).join(', ')} of ${dn}`,
          ),
    ],
    after: [ofGroups(call, snapshot, entry, values('stsallowedgroup'), dn)],
  };
}

/** Of two, which an import can leave, neither is meant. */
function applicationWith({ engine: { schema } }: Call, snapshot: Snapshot, { applications }: Realm, id: string): StoredEntry | undefined {
  const type = schema.attributeType('stsClientId');
  const key = type && normalizer(type)(utf8(id));
  if (type === undefined || key === undefined) return undefined;
  const all = snapshot.idsEqual(type.key, indexKey(type, key), namesakesMax).flatMap((each) => snapshot.byId(each) ?? []);
  const [one, other] = all.filter(
    (each) => isWithin(each.dnKey, applications.key) && isOf(schema, attributesOf(schema, each), 'stsOAuthClient'),
  );
  return other === undefined ? one : undefined;
}

/** In so many realms an id may stand. */
const namesakesMax = 100_000;

function ofGroups(call: Call, snapshot: Snapshot, entry: StoredEntry, groups: readonly string[], dn: string): WhyRow {
  if (groups.length === 0) return passes('group', 'everybody may use the application');
  const mine = createGroups(call);
  const isIn = (name: string) => {
    const group = entryNamed(call.engine, snapshot, name);
    try {
      return group !== undefined && mine.reaches(snapshot, entry, group.dnKey);
    } catch (error) {
      // Somebody in so many groups that they cannot be followed has not been found in one that may.
      if (error instanceof Refusal && error.row.code === errors.chainTooLong.code) return false;
      throw error;
    }
  };
  const through = groups.find(isIn);
  return through === undefined
    ? refuses('group', applicationRefusals.notInGroup, `member of ${groups.join(', or of ')}; or stsAllowedGroup of ${dn}`)
    : passes('group', `they may use the application as one of ${through}`);
}
