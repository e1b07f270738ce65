import { utf8 } from '#base';
import { refuse } from '#catalogue';
import { type ClientEntry, equals } from '#client';
import { type Filter, formatDn, type Modification, parseDn } from '#ldap';
import { errors } from '../errors.ts';
import { findOne, type Place } from './entries-found.ts';
import { entryAttributes, entryMembersOf } from './entry-shape.ts';
import type { Call } from './row.ts';
import { Unfit } from './unfit.ts';

/** The tag of what has no entry of its own yet. */
export const noEntry = 'none';

/** What was read of what has an entry, or has none of its own yet: for If-Match. */
export function tagOf(entry: ClientEntry | undefined): string {
  return entry === undefined ? noEntry : (entry.one('entryCSN') ?? '');
}

/** What must be true of an entry that its caller has read: that nobody has changed it since (RFC 4528). */
export function unchanged({ ifMatch }: Pick<Call, 'ifMatch'>): Filter | undefined {
  return ifMatch === undefined ? undefined : equals('entryCSN', ifMatch);
}

/** Changes one entry. @throws ClientRefusal `assertionFailed` when it is another than its caller has read */
export async function changeOne(call: Call, place: Place, named: string, changes: readonly Modification[], field: string): Promise<string> {
  if (changes.length === 0) throw new Unfit({ field: 'attributes', message: 'names nothing that should change' });
  const { dn } = await findOne(call, place, named, ['1.1'], field);
  await call.actor.modify(dn, changes, unchanged(call));
  return dn;
}

/** Deletes one entry. */
export async function deleteOne(call: Call, place: Place, named: string, field: string): Promise<string> {
  const { dn } = await findOne(call, place, named, ['1.1'], field);
  await call.actor.delete(dn, unchanged(call));
  return dn;
}

/** The name of an entry that is made: below its place, with one attribute in its name. */
export function nameIn({ realm }: Pick<Call, 'realm'>, { below }: Place, type: string, value: string): string {
  return formatDn([[{ type, value: utf8(value) }], ...(parseDn(`${below},${realm.suffix}`) ?? [])]);
}

/** An entry as its caller sees it, who has just made or changed it. @throws Refusal `absent` for one that they may change and not see */
export async function readAgain({ actor }: Pick<Call, 'actor'>, dn: string, attributes: readonly string[], { word }: Pick<Place, 'word'>) {
  const entry = await actor.read(dn, attributes);
  if (entry === undefined) throw refuse(errors.absent, { what: word });
  return entry;
}

/** Where any entry is read. */
export function entryLocation({ dn }: Readonly<Record<string, unknown>>): string {
  return `/admin-api/entries?${new URLSearchParams({ dn: String(dn) }).toString()}`;
}

/** What an answer says of such an entry. @throws Refusal as `readAgain` does */
export async function madeAgain(call: Pick<Call, 'actor'>, dn: string, place: Pick<Place, 'word'>) {
  return entryMembersOf(await readAgain(call, dn, entryAttributes, place));
}
