import { type Cursor, close, Malformed, open, peekTag, readBoolean, readNumber, readOctets, readString } from '../ber/read.ts';
import { readFilter } from '../filter/ber.ts';
import { readAttribute } from './attributes.ts';
import { derefPolicies, modifyOperations, scopes, operationTags as tags, universal } from './tags.ts';
import type { Authentication, Modification, PartialAttribute, Request } from './types.ts';

interface FilterLimits {
  readonly depthMax: number;
  readonly filterItemsMax?: number;
}

/** Reads the request at the cursor; `undefined` when `tag` is no request's. */
export function decodeRequest(c: Cursor, tag: number, limits: FilterLimits): Request | undefined {
  switch (tag) {
    case tags.searchRequest:
      return searchRequest(c, limits);
    case tags.bindRequest:
      return bindRequest(c);
    case tags.unbindRequest:
      if (readOctets(c, tag).length > 0) throw new Malformed('unbind has no content');
      return { kind: 'unbindRequest' };
    case tags.modifyRequest:
      return modifyRequest(c);
    case tags.addRequest:
      return addRequest(c);
    case tags.delRequest:
      return { kind: 'delRequest', entry: readString(c, tag) };
    case tags.modifyDNRequest:
      return modifyDNRequest(c);
    case tags.compareRequest:
      return compareRequest(c);
    case tags.abandonRequest:
      return { kind: 'abandonRequest', messageId: readNumber(c, tag) };
    case tags.extendedRequest:
      return extendedRequest(c);
  }
  return undefined;
}

/** RFC 4511 §4.5.1 */
function searchRequest(c: Cursor, limits: FilterLimits): Request {
  const outer = open(c, tags.searchRequest);
  const baseObject = readString(c, universal.octets);
  const scope = named(scopes, readNumber(c, universal.enumerated), 'scope');
  const derefAliases = named(derefPolicies, readNumber(c, universal.enumerated), 'derefAliases');
  const sizeLimit = readNumber(c, universal.integer);
  const timeLimitS = readNumber(c, universal.integer);
  const typesOnly = readBoolean(c, universal.boolean);
  const filter = readFilter(c, limits);
  const list = open(c, universal.sequence);
  const attributes: string[] = [];
  while (c.at < c.end) attributes.push(readString(c, universal.octets));
  c.end = list;
  close(c, outer);
  return { kind: 'searchRequest', baseObject, scope, derefAliases, sizeLimit, timeLimitS, typesOnly, filter, attributes };
}

/** RFC 4511 §4.2 */
function bindRequest(c: Cursor): Request {
  const outer = open(c, tags.bindRequest);
  const version = readNumber(c, universal.integer);
  const name = readString(c, universal.octets);
  const authentication = readAuthentication(c);
  close(c, outer);
  return { kind: 'bindRequest', version, name, authentication };
}

function readAuthentication(c: Cursor): Authentication {
  const tag = peekTag(c);
  if (tag === 0x80) return { kind: 'simple', password: readOctets(c, tag) };
  if (tag !== 0xa3) throw new Malformed(tag < 0 ? 'no authentication' : `authentication choice 0x${tag.toString(16)}`);
  const outer = open(c, tag);
  const mechanism = readString(c, universal.octets);
  const credentials = peekTag(c) === universal.octets ? readOctets(c, universal.octets) : undefined;
  close(c, outer);
  return credentials === undefined ? { kind: 'sasl', mechanism } : { kind: 'sasl', mechanism, credentials };
}

/** RFC 4511 §4.6 */
function modifyRequest(c: Cursor): Request {
  const outer = open(c, tags.modifyRequest);
  const object = readString(c, universal.octets);
  const list = open(c, universal.sequence);
  const changes: Modification[] = [];
  while (c.at < c.end) {
    const change = open(c, universal.sequence);
    const operation = named(modifyOperations, readNumber(c, universal.enumerated), 'modification');
    changes.push({ operation, attribute: readAttribute(c) });
    close(c, change);
  }
  c.end = list;
  close(c, outer);
  return { kind: 'modifyRequest', object, changes };
}

/** RFC 4511 §4.7 */
function addRequest(c: Cursor): Request {
  const outer = open(c, tags.addRequest);
  const entry = readString(c, universal.octets);
  const attributes = readAttributes(c);
  close(c, outer);
  return { kind: 'addRequest', entry, attributes };
}

export function readAttributes(c: Cursor): PartialAttribute[] {
  const list = open(c, universal.sequence);
  const attributes: PartialAttribute[] = [];
  while (c.at < c.end) attributes.push(readAttribute(c));
  c.end = list;
  return attributes;
}

/** RFC 4511 §4.9 */
function modifyDNRequest(c: Cursor): Request {
  const outer = open(c, tags.modifyDNRequest);
  const entry = readString(c, universal.octets);
  const newRdn = readString(c, universal.octets);
  const deleteOldRdn = readBoolean(c, universal.boolean);
  const newSuperior = peekTag(c) === 0x80 ? readString(c, 0x80) : undefined;
  close(c, outer);
  return { kind: 'modifyDNRequest', entry, newRdn, deleteOldRdn, ...(newSuperior !== undefined && { newSuperior }) };
}

/** RFC 4511 §4.10 */
function compareRequest(c: Cursor): Request {
  const outer = open(c, tags.compareRequest);
  const entry = readString(c, universal.octets);
  const ava = open(c, universal.sequence);
  const description = readString(c, universal.octets);
  const value = readOctets(c, universal.octets);
  close(c, ava);
  close(c, outer);
  return { kind: 'compareRequest', entry, description, value };
}

/** RFC 4511 §4.12 */
function extendedRequest(c: Cursor): Request {
  const outer = open(c, tags.extendedRequest);
  const oid = readString(c, 0x80);
  const value = peekTag(c) === 0x81 ? readOctets(c, 0x81) : undefined;
  close(c, outer);
  return { kind: 'extendedRequest', oid, ...(value && { value }) };
}

function named<T>(names: readonly T[], number: number, what: string): T {
  const name = names[number];
  if (name === undefined) throw new Malformed(`${what} ${number}`);
  return name;
}
