import { concat, empty, utf8 } from '#base';
import type { Dn, Rdn } from '#ldap';
import { syntaxOids } from './syntaxes/table.ts';
import type { AttributeType, Schema } from './types.ts';

/**
 * Keys of names. A key is read from the root down, a level after a level, with `levelEnd` between two levels; so the keys of all entries
 * below one are those that begin with its key and `levelEnd`, and in octet order they stand together behind it.
 */

/** Between two levels of a key: the smallest octet, so that nothing stands between an entry's key and those below it. */
const levelEnd = 0x00;
/** In front of an octet that would be read as one of these three. */
const escapeMark = 0x01;
/** Between two assertions of one RDN. */
const assertionEnd = 0x02;

type Types = Pick<Schema, 'attributeType'>;

/**
 * The key of a DN: equal for names that the matching rules of their attributes call equal (RFC 4517 §4.2.15), the assertions of an RDN in
 * any order.
 *
 * @returns `undefined` when an attribute type is unknown, has no equality rule or stands twice in an RDN, or a value does not fit its syntax or is empty; no octets for the empty DN
 */
export function normalizeDn(schema: Types, dn: Dn): Uint8Array | undefined {
  if (dn.length === 0) return empty;
  const parts: Uint8Array[] = [];
  for (let level = dn.length - 1; level >= 0; level--) {
    if (parts.length > 0) parts.push(levelMark);
    if (!pushRdn(schema, dn[level] as Rdn, parts)) return undefined;
  }
  return joined(parts);
}

/** The key of one RDN: a level of `normalizeDn`. */
export function normalizeRdn(schema: Types, rdn: Rdn): Uint8Array | undefined {
  const parts: Uint8Array[] = [];
  return pushRdn(schema, rdn, parts) ? joined(parts) : undefined;
}

function pushRdn(schema: Types, rdn: Rdn, parts: Uint8Array[]): boolean {
  const assertions: Uint8Array[] = [];
  const types = new Set<AttributeType>();
  for (const { type, value } of rdn) {
    const attribute = schema.attributeType(type);
    if (attribute === undefined || value.length === 0) return false;
    const { mark, fits } = namingOf(attribute);
    const normal = fits?.(value) === false ? undefined : attribute.equality?.assertion(value);
    if (normal === undefined) return false;
    // RFC 4512 §2.3: the assertions of an RDN have different types.
    if (rdn.length > 1 && types.size === types.add(attribute).size) return false;
    if (rdn.length === 1) parts.push(mark, escaped(normal));
    else assertions.push(joined([mark, escaped(normal)]));
  }
  assertions.sort(Buffer.compare);
  for (const [index, assertion] of assertions.entries()) {
    if (index > 0) parts.push(assertionMark);
    parts.push(assertion);
  }
  return true;
}

/** What of a type names are made of, made once. */
interface Naming {
  /** `name=` */
  readonly mark: Uint8Array;
  /** Whether a value is one of the type's, where its equality rule takes more than that. */
  readonly fits: ((value: Uint8Array) => boolean) | undefined;
}

const namings = new WeakMap<AttributeType, Naming>();

function namingOf(type: AttributeType): Naming {
  let naming = namings.get(type);
  if (naming === undefined) {
    const { equality, syntax } = type;
    // Nearly all names are of these: their rules refuse what is not UTF-8, and there is nothing else to it.
    const isJudged = syntax.oid === syntaxOids.directoryString || (equality?.judges === true && equality.syntax === syntax.oid);
    naming = { mark: utf8(`${type.key}=`), fits: isJudged ? undefined : (value) => syntax.validate(value) };
    namings.set(type, naming);
  }
  return naming;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  let octets = 0;
  for (const part of parts) octets += part.length;
  const whole = new Uint8Array(octets);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Whether a key is that of an entry at or below another. Everything is at or below the root, whose key is empty. */
export function isWithin(key: Uint8Array, base: Uint8Array): boolean {
  const { length } = base;
  if (length === 0) return true;
  if (key.length < length || (key.length > length && key[length] !== levelEnd)) return false;
  // Names are short: a call out of JavaScript costs more than this.
  for (let i = 0; i < length; i++) if (key[i] !== base[i]) return false;
  return true;
}

/** Whether an entry stands directly below another. */
export function isDirectlyBelow(key: Uint8Array, parent: Uint8Array): boolean {
  if (key.length <= parent.length || !isWithin(key, parent)) return false;
  for (let i = parent.length === 0 ? 0 : parent.length + 1; i < key.length; i++) if (key[i] === levelEnd) return false;
  return true;
}

/** The key of the superior; no octets for an entry directly below the root, `undefined` for the root itself. */
export function parentKey(key: Uint8Array): Uint8Array | undefined {
  if (key.length === 0) return undefined;
  const at = key.lastIndexOf(levelEnd);
  return at < 0 ? empty : key.subarray(0, at);
}

/** The keys of all that stands above an entry, from `base` down; none for what is not below it. */
export function* keysAbove(key: Uint8Array, base: Uint8Array): Generator<Uint8Array> {
  if (!isWithin(key, base)) return;
  for (let end = base.length; end >= 0 && end < key.length; end = key.indexOf(levelEnd, end + 1)) yield key.subarray(0, end);
}

/** The keys below an entry, as a range: from the first that could stand there to the first that could not. The root's range is everything. */
export function keysBelow(key: Uint8Array): { from: Uint8Array; before: Uint8Array | undefined } {
  if (key.length === 0) return { from: levelMark, before: undefined };
  return { from: concat([key, levelMark]), before: concat([key, Uint8Array.of(levelEnd + 1)]) };
}

const levelMark = Uint8Array.of(levelEnd);
const assertionMark = Uint8Array.of(assertionEnd);

/** Values may hold any octet; the three that have a meaning in keys are written as two. */
function escaped(value: Uint8Array): Uint8Array {
  let special = 0;
  for (const octet of value) if (octet <= assertionEnd) special++;
  if (special === 0) return value;
  const out = new Uint8Array(value.length + special);
  let at = 0;
  for (const octet of value) {
    if (octet > assertionEnd) out[at++] = octet;
    else {
      out[at++] = escapeMark;
      out[at++] = octet + 3;
    }
  }
  return out;
}
