import { hex, text, utf8 } from '#base';
import { refuse } from '#catalogue';
import type { Modification } from '#ldap';
import { type Described, normalizer } from '#schema';
import { errors } from '../errors.ts';
import type { EditedList, EditedLists } from '../lists.ts';
import type { Attributes } from '../record.ts';

/** One change of a modify, its attribute looked up. */
export interface Step {
  readonly operation: Modification['operation'];
  readonly described: Described;
  readonly values: readonly Uint8Array[];
}

/**
 * Makes one change (RFC 4511 §4.6, RFC 4525). What the result may look like is the schema's to judge, when all changes are made.
 *
 * @throws Refusal `attributeAbsent` (16), `valueExists` (20), `valueUnfit` (21), `valueRefused` (19), `matchingInappropriate` (18)
 */
export function apply(attributes: Attributes, step: Step, lists?: EditedLists): void {
  const list = lists?.get(step.described.key);
  if (lists !== undefined && list !== undefined && applyToList(list, step, lists)) return;
  switch (step.operation) {
    case 'add':
      addValues(attributes, step);
      return;
    case 'delete':
      deleteValues(attributes, step);
      return;
    case 'replace':
      replaceValues(attributes, step);
      return;
    case 'increment':
      increment(attributes, step);
      return;
  }
}

/** @returns false when the list is gone, and the step is still to be made on what is left: nothing */
function applyToList(list: EditedList, { operation, described, values }: Step, lists: EditedLists): boolean {
  switch (operation) {
    case 'add':
      list.add(values);
      return true;
    case 'delete':
      if (values.length > 0) list.remove(values);
      else if (list.count === 0) throw refuse(errors.attributeAbsent, { attribute: described.description, why: 'the entry has none' });
      else lists.delete(described.key);
      return true;
    case 'replace':
      lists.delete(described.key);
      return false;
    case 'increment':
      return false;
  }
}

function addValues(attributes: Attributes, { described, values }: Step): void {
  const { key, description } = described;
  if (values.length === 0) throw refuse(errors.valueUnfit, { attribute: description, why: 'no values to add' });
  const held = attributes.get(key)?.values ?? [];
  const forms = new Set(held.map((value) => form(described, value)));
  for (const value of values) {
    if (forms.size === forms.add(form(described, value)).size) {
      throw refuse(errors.valueExists, { attribute: description, why: 'the entry has a value already, or it is given twice' });
    }
  }
  attributes.set(key, { description, values: [...held, ...values] });
}

function deleteValues(attributes: Attributes, { described, values }: Step): void {
  const { key, description } = described;
  const held = attributes.get(key)?.values;
  if (held === undefined) throw refuse(errors.attributeAbsent, { attribute: description, why: 'the entry has none' });
  if (values.length === 0) {
    attributes.delete(key);
    return;
  }
  const left = new Map(held.map((value) => [form(described, value), value]));
  for (const value of values) {
    if (!left.delete(form(described, value)))
      throw refuse(errors.attributeAbsent, { attribute: description, why: 'the entry has no such value' });
  }
  if (left.size === 0) attributes.delete(key);
  else attributes.set(key, { description, values: [...left.values()] });
}

/** Without values it deletes, and an attribute that is not there is no error (RFC 4511 §4.6). */
function replaceValues(attributes: Attributes, { described, values }: Step): void {
  if (values.length === 0) attributes.delete(described.key);
  else attributes.set(described.key, { description: described.description, values });
}

const integerOid = '1.3.6.1.4.1.1466.115.121.1.27';
const integer = /^(?:0|-?[1-9][0-9]{0,99})$/;

/** RFC 4525 §3: every value grows by the one that is given. */
function increment(attributes: Attributes, { described, values }: Step): void {
  const { key, description, type } = described;
  if (type.syntax.oid !== integerOid)
    throw refuse(errors.valueRefused, { attribute: description, why: 'only integers can be incremented' });
  const by = values.length === 1 ? integerOf(values[0]) : undefined;
  if (by === undefined) throw refuse(errors.valueUnfit, { attribute: description, why: 'one integer says by how much' });
  const held = attributes.get(key)?.values;
  if (held === undefined) throw refuse(errors.attributeAbsent, { attribute: description, why: 'the entry has none' });
  const grown = held.map((value) => {
    const number = integerOf(value);
    if (number === undefined) throw refuse(errors.valueRefused, { attribute: description, why: 'a value is not an integer' });
    return utf8(String(number + by));
  });
  attributes.set(key, { description, values: grown });
}

function integerOf(value: Uint8Array | undefined): bigint | undefined {
  const digits = value === undefined ? undefined : text(value);
  return digits !== undefined && integer.test(digits) ? BigInt(digits) : undefined;
}

/** Values are told apart by their attribute's equality rule. */
function form({ type, description }: Described, value: Uint8Array): string {
  const normal = normalizer(type)(value);
  if (normal === undefined) throw refuse(errors.valueUnfit, { attribute: description, why: `the value does not fit ${type.syntax.name}` });
  return hex(normal);
}
