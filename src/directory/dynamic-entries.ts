import { text, utf8 } from '#base';
import { refuse } from '#catalogue';
import { decodeAttributes } from '#ldap';
import type { Schema } from '#schema';
import type { ReadableEntry } from '#store';
import { generalizedTime } from './csn.ts';
import type { Engine, EngineSettings } from './engine.ts';
import { errors } from './errors.ts';
import type { Attributes } from './record.ts';

export const className = 'dynamicObject';
const expiryName = 'entryExpireTimestamp';
const expiryKey = expiryName.toLowerCase();

/** Whether attributes are those of a dynamic entry (RFC 2589 §3). */
export function isDynamic(schema: Schema, attributes: Attributes): boolean {
  return namesDynamic(schema, attributes.get('objectclass')?.values);
}

/** The same of an entry as it is read. */
export function isDynamicEntry(schema: Schema, { user }: Pick<ReadableEntry, 'user'>): boolean {
  return namesDynamic(schema, decodeAttributes(user).find(({ description }) => description.toLowerCase() === 'objectclass')?.values);
}

/** Sets when a dynamic entry goes. */
export function setExpiry(attributes: Attributes, expiresMs: number): void {
  attributes.set(expiryKey, { description: expiryName, values: [utf8(generalizedTime(expiresMs))] });
}

/**
 * What a new entry must be, and when it goes.
 *
 * @param settings  in force where it stands
 * @throws Refusal `staticBelowDynamic` (19): RFC 2589 §5.3: what is below a dynamic entry is dynamic, too
 */
export function admit(
  { schema, clock }: Engine,
  settings: EngineSettings,
  made: Attributes,
  parent: Pick<ReadableEntry, 'user'> | undefined,
): void {
  if (isDynamic(schema, made)) setExpiry(made, clock.nowMs() + settings['ldap.dynamicTtlS'] * 1000);
  else if (parent !== undefined && isDynamicEntry(schema, parent)) throw refuse(errors.staticBelowDynamic);
}

/** When an entry goes that is imported: as it says, or like a new one under the settings of its realm. One that stays has no such time. */
export function settleExpiry({ schema, clock }: Pick<Engine, 'schema' | 'clock'>, settings: EngineSettings, attributes: Attributes): void {
  if (!isDynamic(schema, attributes)) attributes.delete(expiryKey);
  else if (!attributes.has(expiryKey)) setExpiry(attributes, clock.nowMs() + settings['ldap.dynamicTtlS'] * 1000);
}

/** @throws Refusal `staticBelowDynamic` (19) for an entry that stays and is to be moved below one that goes */
export function checkPlace(
  { schema }: Pick<Engine, 'schema'>,
  entry: Pick<ReadableEntry, 'user'>,
  superior: Pick<ReadableEntry, 'user'>,
): void {
  if (isDynamicEntry(schema, superior) && !isDynamicEntry(schema, entry)) throw refuse(errors.staticBelowDynamic);
}

/** @throws Refusal `dynamicForGood` (65): an entry is dynamic from its beginning to its end, or never (RFC 2589 §3) */
export function checkStays(schema: Schema, before: Attributes, after: Attributes): void {
  if (before.get('objectclass') === after.get('objectclass')) return;
  if (isDynamic(schema, before) !== isDynamic(schema, after)) throw refuse(errors.dynamicForGood);
}

/** When an entry goes, in milliseconds; `undefined` for one that stays. */
export function expiryOf({ operational }: Pick<ReadableEntry, 'operational'>): number | undefined {
  const found = decodeAttributes(operational).find(({ description }) => description.toLowerCase() === expiryKey)?.values[0];
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(found === undefined ? '' : (text(found) ?? '')) ?? [];
  return year === undefined ? undefined : Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** Whole seconds that are left until a time, none when it is over. */
export function ttlS(expiresMs: number, nowMs: number): number {
  return Math.max(0, Math.ceil((expiresMs - nowMs) / 1000));
}

function namesDynamic(schema: Schema, values: readonly Uint8Array[] | undefined): boolean {
  return values?.some((value) => schema.objectClass(text(value) ?? '')?.name === className) === true;
}
