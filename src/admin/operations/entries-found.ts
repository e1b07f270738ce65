import { utf8 } from '#base';
import { refuse } from '#catalogue';
import { type Actor, allOf, anyOf, type ClientEntry, equals } from '#client';
import { type Filter, formatDn, parseDn, parseFilter } from '#ldap';
import type { WebRealm } from '#web';
import { errors } from '../errors.ts';
import { Unfit } from './unfit.ts';

/** A kind of entry that operations are about. */
export interface Place {
  /** `ou=people`. */
  readonly below: string;
  readonly isOne: Filter;
  /** By which a short name finds one. */
  readonly namedBy: readonly string[];
  /** For a refusal: `person`. */
  readonly word: string;
}

export const peoplePlace: Place = { below: 'ou=people', isOne: equals('objectClass', 'person'), namedBy: ['uid'], word: 'person' };

const uuidForm = /^(?:urn:uuid:)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
const filterDepthMax = 20;
const filterLengthMax = 4096;

/**
 * Finds one entry by what a caller calls it: its entryUUID, its DN, or its short name.
 *
 * @throws Refusal `absent` (STS-API-9007) when there is none that the caller may see, Unfit when several have the name
 */
export async function findOne(
  { actor, realm }: { readonly actor: Actor; readonly realm: WebRealm },
  place: Place,
  named: string,
  attributes: readonly string[],
  field: string,
): Promise<ClientEntry> {
  const uuid = uuidForm.exec(named)?.[1];
  const dn = uuid === undefined && named.includes('=') ? parseDn(named) : undefined;
  const isThis =
    uuid !== undefined
      ? equals('entryUUID', uuid.toLowerCase())
      : dn !== undefined
        ? equals('entryDN', formatDn(dn))
        : anyOf(...place.namedBy.map((name) => equals(name, named)));
  const base = `${place.below},${realm.suffix}`;
  const { entries } = await actor.search({ base, scope: 'sub', filter: allOf(place.isOne, isThis), attributes, sizeLimit: 2 });
  const [found, another] = entries;
  if (another !== undefined) throw new Unfit({ field, message: `Several are called so. Name one by its entryUUID or its DN.` });
  if (found === undefined) throw refuse(errors.absent, { what: place.word, field });
  return found;
}

/** Reads an LDAP filter (RFC 4515). @throws Unfit */
export function readFilter(text: string, field: string): Filter {
  if (text.length > filterLengthMax) throw new Unfit({ field, message: `is longer than ${filterLengthMax} characters` });
  const parsed = parseFilter(text.startsWith('(') ? text : `(${text})`, { depthMax: filterDepthMax });
  if (parsed.kind === 'bad') throw new Unfit({ field, message: `is no LDAP filter: ${parsed.why}` });
  return parsed.filter;
}

/** A word that stands somewhere in one of some attributes. */
export function hasWord(word: string, attributes: readonly string[]): Filter {
  return anyOf(...attributes.map((description): Filter => ({ kind: 'substrings', description, any: [utf8(word)] })));
}
