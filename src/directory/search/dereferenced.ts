import { concat, text } from '#base';
import { refuse } from '#catalogue';
import { type BerWriter, type Control, decodeAttributes, encodeBer, type PartialAttribute, parseDn } from '#ldap';
import { type Described, describe, normalizeDn } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';
import type { Rights } from '../access/rights.ts';
import type { Call } from '../call.ts';
import { dereference } from '../controls/dereference.ts';
import { errors } from '../errors.ts';
import { listedAttribute } from '../large.ts';
import { areTogether } from '../realms.ts';
import { lastWorking, type WorkingFor } from './computed.ts';
import type { Wanted } from './select.ts';

/** The control that goes with an entry: what the entries have that its values name. Nothing for an entry that names none. */
export type Dereferencing = (entry: ReadableEntry, snapshot: Snapshot, rights: Rights) => readonly Control[] | undefined;

interface Spec {
  readonly described: Described;
  readonly wanted: Wanted;
}

const distinguishedName = '1.3.6.1.4.1.1466.115.121.1.12';
const valuesTag = 0xa0;

/**
 * Reads what the dereference control asks for (draft-masarati-ldap-deref).
 *
 * @throws Refusal `dereferenceUnfit` (LDAP 2) for attributes that no schema defines, and where the control is critical for one whose values are no names
 */
export function dereferencingOf(call: Call): Dereferencing | undefined {
  const asked = call.controls.of(dereference);
  if (asked === undefined) return undefined;
  const { schema, prepared, settings } = call.engine;
  const specs: Spec[] = [];
  for (const { attribute, attributes } of asked.specs) {
    const described = describe(schema, attribute);
    if (described === undefined) throw refuse(errors.dereferenceUnfit, { attribute, why: 'no schema defines it' });
    const unknown = attributes.find((each) => describe(schema, each) === undefined);
    if (unknown !== undefined) throw refuse(errors.dereferenceUnfit, { attribute: unknown, why: 'no schema defines it' });
    if (described.type.syntax.oid === distinguishedName) specs.push({ described, wanted: prepared.selection(attributes) });
    else if (asked.critical) throw refuse(errors.dereferenceUnfit, { attribute, why: 'its values are no names' });
  }

  const workingFor = lastWorking(call.engine);
  return (entry, snapshot, rights) => {
    const max = settings['ldap.dereferencesMax'];
    const named = isLonger(specs, entry, rights, max)
      ? undefined
      : specs.map(({ described, wanted }) => ({ wanted, named: namesIn(call, workingFor, described, entry, snapshot, rights) }));
    const count = named?.reduce((sum, each) => sum + each.named.reduce((all, { values }) => all + values.length, 0), 0);
    if (named === undefined || count === undefined || count > max) {
      // A control that is not critical may be left out: who looked for it asks for the entries one by one.
      if (asked.critical) throw refuse(errors.dereferencesTooMany, { max });
      return undefined;
    }
    if (count === 0) return undefined;
    const octetsMax = settings['ldap.entryOctetsMax'];
    let octets = 0;
    const value = encodeBer((ber) =>
      ber.sequence(() => {
        for (const { wanted, named: attributes } of named) {
          for (const attribute of attributes) {
            writeResults(ber, attribute, (name) => {
              if (octets > octetsMax) return [];
              const pieces = attributesOf(call, wanted, entry, name, snapshot);
              for (const { length } of pieces) octets += length;
              return octets > octetsMax ? [] : pieces;
            });
          }
        }
      }),
    );
    if (octets > octetsMax) {
      if (asked.critical) throw refuse(errors.dereferencesLarge, { max: octetsMax });
      return undefined;
    }
    return [{ oid: dereference.oid, critical: false, value }];
  };
}

/** Whether a list alone has too many values: then it is not read. */
function isLonger(specs: readonly Spec[], { large }: ReadableEntry, rights: Rights, max: number): boolean {
  const isAsked = (name: string) => specs.some(({ described }) => described.key === name && rights.mayRead(described.type));
  return large.some(({ attribute, count }) => count > max && isAsked(attribute));
}

/** A DerefRes for each value: SEQUENCE { derefAttr, derefVal, attrVals [0] PartialAttributeList OPTIONAL } (§2.2). */
function writeResults(ber: BerWriter, { description, values }: PartialAttribute, read: (name: Uint8Array) => readonly Uint8Array[]): void {
  for (const name of values) {
    const shown = read(name).filter(({ length }) => length > 0);
    ber.sequence(() => {
      ber.string(description);
      ber.octets(name);
      if (shown.length > 0) ber.sequence(() => ber.elements(concat(shown)), valuesTag);
    });
  }
}

/** The values of an attribute of an entry, as far as they may be read. */
function namesIn(
  { engine, asker }: Call,
  workingFor: WorkingFor,
  { type, key }: Described,
  entry: ReadableEntry,
  snapshot: Snapshot,
  rights: Rights,
): PartialAttribute[] {
  const { schema } = engine;
  if (!rights.mayRead(type)) return [];
  const isIt = ({ description }: { readonly description: string }) => describe(schema, description)?.key === key;
  const part = type.usage === 'userApplications' ? entry.user : entry.operational;
  const stored = decodeAttributes(part).filter(isIt);
  const listed = entry.large.filter(isIt).map((list) => listedAttribute(snapshot, list));
  const worked = key === type.key ? workingFor.of(asker, snapshot).attribute(type, entry, snapshot) : undefined;
  return [...stored, ...listed, ...(worked === undefined ? [] : [worked])];
}

/** What who asks may read of the entry that another names: nothing of one that is not there, of one they may not see, and of one in another realm. */
function attributesOf(
  { engine, asker }: Call,
  wanted: Wanted,
  from: ReadableEntry,
  name: Uint8Array,
  snapshot: Snapshot,
): readonly Uint8Array[] {
  const { schema, prepared } = engine;
  const dn = parseDn(text(name) ?? '');
  const key = dn && normalizeDn(schema, dn);
  const id = key !== undefined && areTogether(engine, snapshot, key, from.dnKey) ? snapshot.idOf(key) : undefined;
  const entry = id === undefined ? undefined : snapshot.readable(id);
  if (entry === undefined) return [];
  const rights = asker.rightsOn(entry, snapshot);
  return rights.visible ? prepared.projection(wanted, rights, false)(entry, snapshot, asker) : [];
}
