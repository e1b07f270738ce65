import type { Modification } from '#ldap';

/** What may be drawn of an attribute, and what the model must know of its type. */
export interface ModelType {
  readonly name: string;
  /** The form in which equal values are the same text; nothing for a value that does not fit the syntax. */
  readonly form: (value: string) => string | undefined;
  readonly single?: true;
  readonly integer?: true;
  /** A class of the entry requires it. */
  readonly required?: true;
  readonly values: readonly string[];
}

export type Change = [operation: Modification['operation'], name: string, ...values: string[]];

/** Values of attributes, in their order. */
export type State = ReadonlyMap<string, readonly string[]>;

const folded = (value: string) => (value === '' ? undefined : value.trim().replace(/ +/g, ' ').toLowerCase());
const number = (value: string) => (/^(?:0|-?[1-9]\d*)$/.test(value) ? value : undefined);

const words = ['one', 'ONE', ' one ', 'two', 'two  words', 'Two Words', 'three', ''];

/** The types of the entry that is changed; `cn` names it, by its value `named`. */
export const types: readonly ModelType[] = [
  { name: 'description', form: folded, values: words },
  { name: 'description;lang-fr', form: folded, values: words },
  { name: 'title', form: folded, values: words },
  { name: 'cn', form: folded, required: true, values: ['named', 'NAMED', 'other', 'another', 'Other '] },
  { name: 'sn', form: folded, required: true, values: ['s', 'S', 'other'] },
  { name: 'employeeNumber', form: folded, single: true, values: ['1', '2', 'a', 'A'] },
  { name: 'preferredLanguage', form: folded, single: true, values: ['de', 'DE', 'en'] },
  { name: 'uidNumber', form: number, single: true, integer: true, values: ['1', '-3', '41', '007', 'x', ''] },
  {
    name: 'telephoneNumber',
    form: (value) => (/\d/.test(value) ? value.replace(/[ -]/g, '') : undefined),
    values: ['+1 2', '+12', '+1-2', '+3'],
  },
  { name: 'serialNumber', form: folded, values: ['7', '8', 'a', 'A'] },
  { name: 'nothing', form: () => undefined, values: ['x'] },
];

export const initial: State = new Map([
  ['description', ['one', 'three']],
  ['cn', ['named', 'other']],
  ['sn', ['s']],
  ['uidNumber', ['41']],
  ['telephoneNumber', ['+1 2']],
]);

const codes = { absent: 16, undefinedType: 17, constraint: 19, exists: 20, syntax: 21, protocol: 2, objectClass: 65, onRdn: 67 } as const;

/** Why a modify is refused. */
class Refused extends Error {
  readonly code: number;
  constructor(code: number) {
    super(String(code));
    this.code = code;
  }
}

/**
 * Carries out a modify in memory, or refuses it whole: RFC 4511 §4.6, RFC 4525, and permissive modify. As slapd it looks first at what the request
 * brings, then carries the changes out one after the other, and judges what came of it at the end.
 */
export function modelled(before: State, changes: readonly Change[], permissive: boolean): { readonly code: number; readonly state: State } {
  try {
    for (const change of changes) judge(change);
    const state = new Map(before);
    for (const change of changes) carryOut(state, change, permissive);
    judgeWhole(state);
    return { code: 0, state };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { code: error.code, state: before };
  }
}

function typeOf(name: string): ModelType {
  const type = types.find((each) => each.name === name);
  if (type === undefined) throw new Error(name);
  return type;
}

function judge([operation, name, ...values]: Change): void {
  const type = typeOf(name);
  if (name === 'nothing') throw new Refused(codes.undefinedType);
  if (values.length === 0 && (operation === 'add' || operation === 'increment')) throw new Refused(codes.protocol);
  if (operation === 'increment' && values.length > 1) throw new Refused(codes.protocol);
  if (operation === 'increment' && type.integer === undefined) throw new Refused(codes.constraint);
  if (type.single && values.length > 1) throw new Refused(codes.constraint);
  const forms = new Set<string>();
  for (const value of values) {
    const form = type.form(value);
    if (form === undefined) throw new Refused(codes.syntax);
    if (forms.has(form) && operation !== 'delete') throw new Refused(codes.exists);
    forms.add(form);
  }
}

function carryOut(state: Map<string, readonly string[]>, [operation, name, ...values]: Change, permissive: boolean): void {
  const { form } = typeOf(name);
  const held = state.get(name) ?? [];
  const has = (value: string) => held.some((each) => form(each) === form(value));
  if (operation === 'add') {
    if (!permissive && values.some(has)) throw new Refused(codes.exists);
    set(state, name, [...held, ...values.filter((value) => !has(value))]);
  } else if (operation === 'delete') {
    const isMissing = held.length === 0 || !values.every(has);
    if (!permissive && isMissing) throw new Refused(codes.absent);
    const gone = new Set(values.map(form));
    set(state, name, values.length === 0 ? [] : held.filter((value) => !gone.has(form(value))));
  } else if (operation === 'replace') set(state, name, values);
  else {
    if (held.length === 0) throw new Refused(codes.absent);
    const grown = held.map((value) => String(BigInt(value) + BigInt(values[0] ?? '0')));
    set(state, name, grown);
  }
}

function set(state: Map<string, readonly string[]>, name: string, values: readonly string[]): void {
  if (values.length === 0) state.delete(name);
  else state.set(name, values);
}

function judgeWhole(state: State): void {
  const cn = typeOf('cn');
  if (!(state.get('cn') ?? []).some((value) => cn.form(value) === 'named')) throw new Refused(codes.onRdn);
  for (const { name, required, single } of types) {
    if (required && !state.has(name)) throw new Refused(codes.objectClass);
    if (single && (state.get(name)?.length ?? 0) > 1) throw new Refused(codes.constraint);
  }
}
