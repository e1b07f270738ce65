import { text, utf8 } from '#base';
import { type Refusal, refuse } from '#catalogue';
import type { Modification } from '#ldap';
import { type Described, formOf, normalizer } from '#schema';
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
 *
 * @param permissive  to add what is there, or to delete what is not, is no error
 */
export function apply(attributes: Attributes, step: Step, permissive: boolean, lists?: EditedLists): void {
  const list = lists?.get(step.described.key);
  if (lists !== undefined && list !== undefined && applyToList(list, step, permissive, lists)) return;
  switch (step.operation) {
    case 'add':
      addValues(attributes, step, permissive);
      return;
    case 'delete':
      deleteValues(attributes, step, permissive);
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
function applyToList(list: EditedList, { operation, described, values }: Step, permissive: boolean, lists: EditedLists): boolean {
  switch (operation) {
    case 'add':
      list.add(values, permissive);
      return true;
    case 'delete':
      if (values.length > 0) list.remove(values, permissive);
      else if (list.count === 0 && !permissive) throw noAttribute('delete', described.description);
      else lists.delete(described.key);
      return true;
    case 'replace':
      lists.delete(described.key);
      return false;
    case 'increment':
      return false;
  }
}

function addValues(attributes: Attributes, { described, values }: Step, permissive: boolean): void {
  const { key, description, type } = described;
  const held = attributes.get(key)?.values ?? [];
  if (held.length > 0 && type.equality === undefined) throw noEquality('add', description);
  const forms = new Set(held.map((value) => form(described, value)));
  const fresh = values.filter((value, index) => {
    if (!forms.has(form(described, value))) return true;
    if (!permissive) throw existing(description, index);
    return false;
  });
  if (fresh.length > 0) attributes.set(key, { description, values: [...held, ...fresh] });
}

function deleteValues(attributes: Attributes, { described, values }: Step, permissive: boolean): void {
  const { key, description, type } = described;
  const held = attributes.get(key)?.values;
  if (values.length > 0 && type.equality === undefined) throw noEquality('delete', description);
  if (held === undefined) {
    if (permissive) return;
    throw noAttribute('delete', description);
  }
  if (values.length === 0) {
    attributes.delete(key);
    return;
  }
  const left = new Map(held.map((value) => [form(described, value), value]));
  const gone = new Set<string>();
  for (const value of values) {
    const own = form(described, value);
    if (!left.delete(own) && !gone.has(own) && !permissive) throw noValue(description);
    gone.add(own);
  }
  if (left.size === 0) attributes.delete(key);
  else if (left.size < held.length) attributes.set(key, { description, values: [...left.values()] });
}

export function existing(description: string, index: number): Refusal {
  return refuse(errors.valueExists, { attribute: `modify/add: ${description}`, why: `value #${index} already exists` });
}

export function noAttribute(operation: Step['operation'], description: string): Refusal {
  return refuse(errors.attributeAbsent, { attribute: `modify/${operation}: ${description}`, why: 'no such attribute' });
}

export function noValue(description: string): Refusal {
  return refuse(errors.attributeAbsent, { attribute: `modify/delete: ${description}`, why: 'no such value' });
}

export function noEquality(operation: Step['operation'], description: string): Refusal {
  return refuse(errors.equalityMissing, { attribute: `modify/${operation}: ${description}` });
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
  const { key, description } = described;
  const held = attributes.get(key)?.values;
  if (held === undefined) throw noAttribute('increment', description);
  const by = integerOf(values[0]) ?? 0n;
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

/**
 * Holds a change against its attribute, before the entry is looked at (RFC 4511 §4.6): how many values it brings, that they fit the syntax, and that no two
 * of them are equal.
 *
 * @throws Refusal `valuesUnasked` (2), `valueUnfit` (21), `valueExists` (20), `valueRefused` (19)
 */
export function checkStep(step: Step): void {
  checkCount(step);
  const { operation, described, values } = step;
  const { type, description } = described;
  const forms = new Map<string, number>();
  for (const [index, value] of values.entries()) {
    if (!type.syntax.validate(value)) throw unfit(described, index);
    // RFC 4511 §4.6 says nothing of a value that is to be deleted twice: slapd takes it for once.
    if (values.length === 1 || type.equality === undefined || operation === 'delete') continue;
    const own = form(described, value, index);
    const before = forms.get(own);
    if (before !== undefined) throw repeated(description, before);
    forms.set(own, index);
  }
}

/** How many values a change brings, as `checkStep` looks at it. @throws Refusal `valuesUnasked` (2), `valueRefused` (19) */
export function checkCount({ operation, described, values }: Step): void {
  const { type, description } = described;
  if (values.length === 0 && operation === 'add') throw refuse(errors.valuesUnasked, { operation, what: 'values' });
  if (values.length === 0 && operation === 'increment') throw refuse(errors.valuesUnasked, { operation, what: 'value' });
  if (operation === 'increment' && values.length > 1) throw refuse(errors.valuesUnasked, { operation, what: 'single value' });
  if (operation === 'increment' && type.syntax.oid !== integerOid) {
    throw refuse(errors.valueRefused, { attribute: description, why: 'attribute syntax inappropriate for increment' });
  }
  if (values.length > 1 && type.singleValue) throw refuse(errors.valueRefused, { attribute: description, why: 'multiple values provided' });
}

/** Values are told apart by their attribute's equality rule. */
function form(described: Described, value: Uint8Array, index = 0): string {
  const normal = normalizer(described.type)(value);
  if (normal === undefined) throw unfit(described, index);
  return formOf(normal);
}

export function unfit({ description }: Described, index: number): Refusal {
  return refuse(errors.valueUnfit, { attribute: description, why: `value #${index} invalid per syntax` });
}

export function repeated(description: string, index: number): Refusal {
  return refuse(errors.valueExists, { attribute: description, why: `value #${index} provided more than once` });
}
