import { text, utf8 } from '#base';
import { type AttributeType, describe, formOf, isLanguageRange, normalizer, type Schema } from '#schema';
import type { Dialect } from './dialect.ts';
import { lockedForGood } from './dialect.ts';
import { type Draft, type Given, partsOf } from './draft.ts';
import type { EntryNotes } from './report.ts';

/** Attributes that are other ones here, or none: by the dialect's table. */
export function translate({ attributes: table }: Dialect, draft: Draft, notes: EntryNotes): void {
  const there = new Set(draft.attributes.map(({ description }) => description.toLowerCase()));
  const translated: Given[] = [];
  for (const each of draft.attributes) {
    const [type] = partsOf(each.description);
    const treatment = table[type];
    if (treatment === undefined) translated.push(each);
    else if ('leave' in treatment) notes.note(treatment.leave, each.description, each.values.length);
    else if (treatment.unless !== undefined && there.has(treatment.unless)) notes.note('superseded', each.description, each.values.length);
    else {
      const { as, note, value } = treatment;
      const made = (octets: Uint8Array) => (value === undefined ? octets : asOctets(value(text(octets) ?? '')));
      const values = each.values.map(made).filter((octets) => octets !== undefined);
      for (const octets of values) draft.changed.set(octets, [note, `${each.description} → ${as}`]);
      if (values.length < each.values.length) notes.note('passwordState', each.description, each.values.length - values.length);
      if (values.length > 0) translated.push({ description: as, values });
    }
  }
  draft.attributes = translated;
}

function asOctets(made: string | undefined): Uint8Array | undefined {
  return made === undefined ? undefined : utf8(made);
}

/** Locks that would have ended by themselves there. */
export function noteLocks({ attributes, changed }: Draft): void {
  for (const { description, values } of attributes) {
    if (description.toLowerCase() !== 'pwdaccountlockedtime') continue;
    for (const value of values) if (text(value) !== lockedForGood) changed.set(value, ['locked', description]);
  }
}

/**
 * What the schema knows, under its own names, with values that fit and differ.
 *
 * @param isImportable  whether an import may set values of a type
 */
export function settleValues(schema: Schema, isImportable: (type: AttributeType) => boolean, draft: Draft, notes: EntryNotes): void {
  const settled = new Map<
    string,
    { readonly type: AttributeType; readonly description: string; readonly seen: Set<string>; readonly values: Uint8Array[] }
  >();
  for (const { description, values } of draft.attributes) {
    const described = describe(schema, description);
    if (described === undefined || described.options.some(isLanguageRange)) {
      notes.note('unknownAttribute', description, values.length);
      continue;
    }
    const { type, key } = described;
    if (!isImportable(type)) {
      notes.note('readOnly', description, values.length);
      continue;
    }
    let held = settled.get(key);
    if (held === undefined) {
      held = { type, description: described.description, seen: new Set(), values: [] };
      settled.set(key, held);
    }
    // Names of classes are told apart where classes are: those that are not known have no normal form.
    const normalOf = type.key === 'objectclass' ? (value: Uint8Array) => value : normalizer(type);
    for (const value of values) {
      const normal = value.length > 0 && type.syntax.validate(value) ? normalOf(value) : undefined;
      if (normal === undefined) notes.note('badValue', description, 1);
      else if (held.seen.has(formOf(normal))) notes.note('twice', description, 1);
      else if (type.singleValue && held.values.length > 0) notes.note('surplus', description, 1);
      else {
        held.seen.add(formOf(normal));
        held.values.push(value);
      }
    }
  }
  draft.attributes = [...settled.values()]
    .filter(({ values }) => values.length > 0)
    .map(({ description, values }) => ({ description, values }));
}
