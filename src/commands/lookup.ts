import { utf8 } from '#base';
import { allOf, anyOf, type ClientEntry, ClientRefusal, equals, type OperatorsClient } from '#client';
import { type Filter, parseDn, resultCodes } from '#ldap';
import { Absent, Failure } from './exits.ts';
import { nearest } from './near.ts';

/** What people, groups and applications are known by, and where they are. */
interface Kind {
  readonly noun: string;
  readonly list: string;
  /** Where they are, below the realm's suffix. */
  readonly below: string;
  readonly classes: readonly string[];
  /** In the order in which a name is looked for. */
  readonly names: readonly string[];
  /** By which what was meant, perhaps, is looked for; the first of the names unless given. */
  readonly near?: string;
}

export const people: Kind = { noun: 'person', list: 'atrium person list', below: 'ou=people', classes: ['person'], names: ['uid', 'mail'] };
export const groups: Kind = {
  noun: 'group',
  list: 'atrium group list',
  below: 'ou=groups',
  classes: ['groupOfNames', 'groupOfUniqueNames', 'posixGroup', 'groupOfURLs'],
  names: ['cn'],
};
export const applications: Kind = {
  noun: 'application',
  list: 'atrium application list',
  below: 'ou=applications',
  classes: ['stsApplication'],
  names: ['stsClientId', 'cn'],
  // Not every application is a client.
  near: 'cn',
};

/** Entries with one name that are looked at. */
const sameMax = 16;
/** Entries that are looked at for what was meant, perhaps. */
const nearMax = 500;

export function isOf({ classes }: Kind): Filter {
  return anyOf(...classes.map((name) => equals('objectClass', name)));
}

/**
 * Finds the entry that a name means: a DN, or one of the names of its kind, of which the first that fits wins.
 *
 * @param suffix  of the realm
 * @returns `undefined` when there is none
 * @throws Failure when several have the name
 */
export async function find(
  { actor }: OperatorsClient,
  suffix: string,
  kind: Kind,
  name: string,
  attributes: readonly string[],
): Promise<ClientEntry | undefined> {
  if (name.includes('=') && parseDn(name) !== undefined) return await actor.read(name, attributes);
  const wanted = [...attributes, ...kind.names];
  for (const description of kind.names) {
    const filter = allOf(isOf(kind), equals(description, name));
    const { entries } = await searchOrNone(actor, {
      base: `${kind.below},${suffix}`,
      scope: 'sub',
      filter,
      attributes: wanted,
      sizeLimit: sameMax,
    });
    if (entries.length > 1)
      throw new Failure(`${name} is the ${description} of several: ${entries.map(({ dn }) => dn).join('; ')}. Give the DN`);
    if (entries[0] !== undefined) return entries[0];
  }
  return undefined;
}

/** The same. @throws Absent, with what was meant, perhaps */
export async function need(
  client: OperatorsClient,
  suffix: string,
  kind: Kind,
  name: string,
  attributes: readonly string[],
): Promise<ClientEntry> {
  const entry = await find(client, suffix, kind, name, attributes);
  if (entry !== undefined) return entry;
  const near = await nearName(client, suffix, kind, name);
  const meant = near === undefined ? '' : `; ${near} is meant, perhaps`;
  throw new Absent(`there is no ${kind.noun} ${JSON.stringify(name)}${meant}. See: ${kind.list}`);
}

/** A name that differs by little. Names that neither begin nor end alike are not looked at. */
async function nearName({ actor }: OperatorsClient, suffix: string, kind: Kind, name: string): Promise<string | undefined> {
  const description = kind.near ?? (kind.names[0] as string);
  const characters = [...name];
  const initial = utf8(characters.slice(0, 2).join(''));
  const final = utf8(characters.slice(-2).join(''));
  if (initial.length === 0) return undefined;
  const filter = allOf(
    isOf(kind),
    anyOf({ kind: 'substrings', description, initial, any: [] }, { kind: 'substrings', description, any: [], final }),
  );
  const { entries } = await searchOrNone(actor, {
    base: `${kind.below},${suffix}`,
    scope: 'sub',
    filter,
    attributes: [description],
    sizeLimit: nearMax,
  });
  return nearest(
    name,
    entries.flatMap((entry) => entry.all(description)),
  );
}

/** Where the realm has no such branch there is nothing. */
async function searchOrNone(actor: OperatorsClient['actor'], options: Parameters<OperatorsClient['actor']['search']>[0]) {
  try {
    return await actor.search(options);
  } catch (error) {
    if (error instanceof ClientRefusal && error.code === resultCodes.noSuchObject) return { entries: [], complete: true };
    throw error;
  }
}

/**
 * The person or the group that a name means.
 *
 * @throws Absent when there is neither, Failure when there are both
 */
export async function needMember(
  client: OperatorsClient,
  suffix: string,
  name: string,
  attributes: readonly string[],
): Promise<ClientEntry> {
  const person = await find(client, suffix, people, name, attributes);
  if (person !== undefined && name.includes('=')) return person;
  const group = await find(client, suffix, groups, name, attributes);
  if (person !== undefined && group !== undefined)
    throw new Failure(`${name} is a person and a group. Give the DN: ${person.dn}, or ${group.dn}`);
  const found = person ?? group;
  if (found !== undefined) return found;
  const near = (await nearName(client, suffix, people, name)) ?? (await nearName(client, suffix, groups, name));
  const meant = near === undefined ? '' : `; ${near} is meant, perhaps`;
  throw new Absent(`there is no person and no group ${JSON.stringify(name)}${meant}. See: ${people.list}, ${groups.list}`);
}
