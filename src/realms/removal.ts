import type { Audit, Log } from '#audit';
import { type Clock, utf8 } from '#base';
import type { SettingValues } from '#catalogue';
import { allOf, type ClientEntry, ClientRefusal, type DirectoryClient, equals } from '#client';
import type { policySettings } from '#policy';
import { errors } from './errors.ts';
import { realmClass } from './realm.ts';

/** Something that a realm owes when it is removed. A room that has such things registers a row. */
export interface Obligation {
  /** For operators: `sessions`. */
  readonly name: string;
  /**
   * Hands over what is owed for a realm. It is asked again until nothing is left, also after a crash.
   *
   * @returns how much is left
   */
  deliver(realm: string): Promise<number>;
}

export interface RemovalOptions {
  readonly client: Pick<DirectoryClient, 'as'>;
  /** Of the default realm, as text. */
  readonly suffix: string;
  readonly obligations: readonly Obligation[];
  readonly settings: Pick<SettingValues<typeof policySettings>, 'realms.removalDeliveryTimeoutS'>;
  readonly audit: Pick<Audit, 'record'>;
  readonly log: Pick<Log, 'warn'>;
  readonly clock: Clock;
}

const removalAttributes = ['cn', 'stsRealmRemovingSince', 'modifyTimestamp'];
const removingState = 'removing';
/** What the directory waits for before it deletes. */
const deliveredState = 'delivered';

/**
 * What stands above the LDAP interface in the removal of a realm. The directory refuses all sign-ins of a realm whose state is `removing`; here
 * its sessions end, and what is owed is handed over. When nothing is left, or the time for it is over, the state becomes `delivered`, and the
 * directory deletes. Nothing is remembered between two looks: who starts again goes on from what the entry says.
 *
 * @returns one look at all realms that are being removed; it says what it did
 */
export function createRemoval(options: RemovalOptions): () => Promise<string> {
  const { client, suffix } = options;
  return async () => {
    let delivered = 0;
    const waiting: string[] = [];
    for (const entry of await removingRealms(client, suffix)) {
      const id = entry.one('cn') ?? '';
      const owed = await deliverAll(options, id);
      if (owed.length > 0 && !isLate(options, entry)) waiting.push(id);
      else if (await reported(options, entry, id, owed)) delivered++;
      else waiting.push(id);
    }
    return `${delivered} realms may be deleted, ${waiting.length} owe something yet`;
  };
}

async function removingRealms(client: RemovalOptions['client'], suffix: string): Promise<readonly ClientEntry[]> {
  const filter = allOf(equals('objectClass', realmClass), equals('stsRealmState', removingState));
  return (await client.as('self').search({ base: suffix, scope: 'sub', filter, attributes: removalAttributes })).entries;
}

/** What is left, by name: one that fails is left. */
async function deliverAll({ obligations, log }: RemovalOptions, id: string): Promise<readonly (readonly [name: string, left: number])[]> {
  const owed: (readonly [string, number])[] = [];
  for (const { name, deliver } of obligations) {
    try {
      const left = await deliver(id);
      if (left > 0) owed.push([name, left]);
    } catch (error) {
      log.warn(errors.notDelivered, `realm ${id}: ${name}: ${error instanceof Error ? error.message : 'unknown error'}`);
      owed.push([name, 1]);
    }
  }
  return owed;
}

/** True when the time that a realm has for what it owes is over. */
function isLate({ settings, clock }: RemovalOptions, entry: ClientEntry): boolean {
  const sinceMs = timeMs(entry.one('stsRealmRemovingSince') ?? entry.one('modifyTimestamp') ?? '');
  return sinceMs === undefined || clock.nowMs() - sinceMs >= settings['realms.removalDeliveryTimeoutS'] * 1000;
}

/** Tells the directory, and the operators what was given up. False when the directory does not take it: the next look tries again. */
async function reported(
  { client, audit, log }: RemovalOptions,
  { dn }: ClientEntry,
  id: string,
  owed: readonly (readonly [name: string, left: number])[],
): Promise<boolean> {
  const count = owed.reduce((sum, [, left]) => sum + left, 0);
  const replace = (description: string, value: string) =>
    ({ operation: 'replace', attribute: { description, values: [utf8(value)] } }) as const;
  try {
    await client.as('self').modify(dn, [replace('stsRealmOwed', String(count)), replace('stsRealmState', deliveredState)]);
  } catch (error) {
    if (!(error instanceof ClientRefusal)) throw error;
    log.warn(errors.notDelivered, `realm ${id}: the directory did not take that it may be deleted: ${error.message}`);
    return false;
  }
  const event = { realm: id, door: 'service', subject: dn, action: 'realm.deliver', correlationId: '', address: '' };
  if (count === 0) audit.record({ ...event, outcome: 'success', summary: 'the realm that is being removed owes nothing any more' });
  else {
    const list = owed.map(([name, left]) => `${name} (${left})`).join(', ');
    audit.record({ ...event, outcome: 'failed', error: errors.removedOwing, summary: `${errors.removedOwing.means}: ${list}` });
  }
  return true;
}

/** The moment of a GeneralizedTime in UTC (RFC 4517 §3.3.13) as the directory writes it: `20261121220000Z`, with or without a fraction. */
function timeMs(given: string): number | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:[.,]\d+)?Z$/.exec(given);
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1).map(Number) as [number, number, number, number, number, number];
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
