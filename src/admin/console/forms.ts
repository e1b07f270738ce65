import { z } from 'zod';
import { html, type SafeHtml } from '#web';
import { type Field, field } from './parts.ts';
import { texts } from './texts.ts';

/** What a form is drawn from and read by: the shape of an operation's input, as JSON Schema says it. */
export interface Shape {
  readonly properties: Readonly<Record<string, Member>>;
  readonly required: readonly string[];
}

export interface Member {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Member;
  readonly anyOf?: readonly Member[];
  readonly default?: unknown;
  readonly description?: string;
  readonly maxLength?: number;
}

/** Reads the shape of an operation's input. */
export function shapeOf(input: z.ZodObject): Shape {
  const schema = z.toJSONSchema(input, {
    io: 'input',
    unrepresentable: 'any',
    // Of yes and no that are texts in a query it leaves the default out, by which a form knows them.
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      if (def.type === 'default' && typeof def.defaultValue === 'boolean') jsonSchema.default = def.defaultValue;
    },
  }) as Partial<Shape>;
  return { properties: schema.properties ?? {}, required: schema.required ?? [] };
}

/** What was typed, by name; what is wrong with it, by name. */
export interface Typed {
  readonly values?: Readonly<Record<string, string>>;
  readonly faults?: Readonly<Record<string, string>>;
  /** Members that somebody else fills in. */
  readonly without?: readonly string[];
  /** Tells the form from others of its page. */
  readonly at?: string;
  /** Words for members, where their names are not enough. */
  readonly labels?: Readonly<Record<string, string>>;
  /** It asks for a list, where what is left empty narrows nothing. */
  readonly filters?: true;
}

/** The fields of a form, one for each member of the shape. */
export function fieldsOf(
  { properties, required }: Shape,
  { values = {}, faults = {}, without = [], at, labels = {}, filters }: Typed = {},
): readonly SafeHtml[] {
  return Object.entries(properties)
    .filter(([name]) => !without.includes(name))
    .map(([name, member]) => {
      const isNeeded = required.includes(name);
      const value = values[name] ?? textOf(member.default);
      const told = {
        name,
        label: labels[name] ?? labelOf(name),
        // A box is ticked or it is not.
        hint: hintOf(member, isNeeded || isBoolean(member) || filters === true),
        required: isNeeded,
        value,
        fault: faults[name],
        at,
      };
      const many = manyOf(member);
      return many === undefined
        ? field({ ...told, ...controlOf(name, member, isNeeded, filters === true ? texts.any : texts.asItIs) })
        : boxes(told, many);
    });
}

/** Some of several words: a box each. */
function boxes({ name, label, hint, value, fault }: Omit<Field, 'kind'>, words: readonly string[]): SafeHtml {
  const chosen = new Set((value ?? '').split('\n'));
  return html`<fieldset><legend>${label}</legend>${hint !== undefined && html`<p class="quiet">${hint}</p>`}${words.map(
    (each) =>
      html`<div class="box"><input type="checkbox" id="${name}-${each}" name="${name}" value="${each}"${chosen.has(each) && html` checked`}><label for="${name}-${each}">${each}</label></div>`,
  )}${fault !== undefined && html`<p class="fault">${fault}</p>`}</fieldset>`;
}

function manyOf({ type, items }: Member): readonly string[] | undefined {
  return type === 'array' && items?.enum !== undefined ? items.enum.map(String) : undefined;
}

/** @param left  the words of what is left as it is */
function controlOf(name: string, member: Member, isNeeded: boolean, left: string): Pick<Field, 'kind' | 'choices'> {
  const { type, maxLength = 0 } = member;
  const words = wordsOf(member);
  if (words !== undefined)
    return { kind: 'choice', choices: [...(isNeeded ? [] : [['', left] as const]), ...words.map((each) => [each, each] as const)] };
  if (isBoolean(member)) {
    if (isNeeded || member.default !== undefined) return { kind: 'box' };
    return {
      kind: 'choice',
      choices: [
        ['', left],
        ['true', texts.yes],
        ['false', texts.no],
      ],
    };
  }
  if (type === 'integer' || type === 'number') return { kind: 'number' };
  if (type === 'array' || type === 'object') return { kind: 'lines' };
  if (/password|secret/i.test(name) && !/policy/i.test(name)) return { kind: 'password' };
  return { kind: maxLength > 10_000 || /ldif/i.test(name) ? 'lines' : 'text' };
}

/** In a query yes and no are texts. */
function isBoolean(member: Member): boolean {
  return member.type === 'boolean' || typeof member.default === 'boolean';
}

function wordsOf(member: Member): readonly string[] | undefined {
  if (member.const !== undefined) return [String(member.const)];
  if (member.enum !== undefined) return member.enum.map(String);
  const each = member.anyOf?.map(wordsOf);
  return each?.every((words) => words !== undefined) ? each.flat() : undefined;
}

function hintOf({ type, items, description }: Member, isNeeded: boolean): string | undefined {
  const how =
    type === 'array' && items?.enum === undefined
      ? isText(items)
        ? texts.oneALine
        : texts.asJson
      : type === 'object'
        ? texts.asJson
        : undefined;
  const hint = [description?.replaceAll('`', ''), how, isNeeded ? undefined : texts.optional]
    .filter((each) => each !== undefined)
    .join(' ');
  return hint === '' ? undefined : hint;
}

function isText(member: Member | undefined): boolean {
  return member?.type === 'string' || member?.type === undefined;
}

/**
 * The input of an operation from what a form brought: what is empty is absent, lines are lists, figures are numbers. Whether it fits is for the operation's own shape.
 *
 * @param form  as it came; names that the shape does not have are passed over
 */
export function inputOf({ properties, required }: Shape, form: URLSearchParams): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(properties)) {
    const value = memberOf(member, form.getAll(name), required.includes(name) || member.default !== undefined);
    if (value !== undefined) input[name] = value;
  }
  return input;
}

/** The same from what stands in fields, as `textOf` has it. */
export function inputFrom(shape: Shape, values: Readonly<Record<string, string>>): Record<string, unknown> {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    const member = shape.properties[name];
    const isMany = member !== undefined && manyOf(member) !== undefined;
    for (const each of isMany ? value.split('\n') : [value]) form.append(name, each);
  }
  return inputOf(shape, form);
}

function memberOf(member: Member, given: readonly string[], isNeeded: boolean): unknown {
  const [first = ''] = given;
  if (manyOf(member) !== undefined) return given.length > 0 || isNeeded ? [...given] : undefined;
  // A box that is not ticked is not sent.
  if (isBoolean(member)) {
    if (first === '' && !isNeeded) return undefined;
    return member.type === 'boolean' ? first === 'true' : String(first === 'true');
  }
  if (first === '') return undefined;
  if (member.type === 'integer' || member.type === 'number') return /^\s*-?\d+(\.\d+)?\s*$/.test(first) ? Number(first) : first;
  if (member.type === 'array' && isText(member.items)) return linesOf(first);
  if (member.type === 'array' || member.type === 'object') return parsed(first);
  return first.replace(/\r\n/g, '\n');
}

function linesOf(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** JSON, or the text itself where it is none: the shape then says what is wrong. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What stands in a field for a value that there is. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join('\n');
  return typeof value === 'object' ? JSON.stringify(value, undefined, 2) : String(value);
}

/** Names that say nothing to those who do not know the specification that they are from. */
const labels: Readonly<Record<string, string>> = {
  acr: 'Strength',
  amr: 'Signed in with',
  agrees: 'The tables agree',
  all: 'Everybody',
  dn: 'DN',
  id: 'Id',
  jti: 'Token id',
  kid: 'Key id',
  q: 'Word',
  read: 'People looked at',
  setKey: 'Token set',
  sid: 'Session id',
  sub: 'Subject',
  uid: 'User name',
  user: 'Person',
  userId: 'Person',
  username: 'Person',
};

/** Words within a name, likewise. */
const words: Readonly<Record<string, string>> = {
  dn: 'DN',
  ldap: 'LDAP',
  ldif: 'LDIF',
  mfa: 'second factor',
  oid: 'OID',
  sasl: 'SASL',
  scram: 'SCRAM',
  tls: 'TLS',
  totp: 'authenticator app',
  ttl: 'lifetime',
  uri: 'address',
  url: 'address',
};

/** `validFrom` as people read it: Valid from. */
export function labelOf(name: string): string {
  const known = Object.hasOwn(labels, name) ? labels[name] : undefined;
  if (known !== undefined) return known;
  const [, before] = /^(.*[a-z])S$/.exec(name) ?? [];
  if (before !== undefined) return `${labelOf(before)} (seconds)`;
  const label = name
    .replace(/AtMs$/, 'At')
    .replace(/[_.-]+/g, ' ')
    .replace(/([a-z\d])([A-Z])(?=[a-z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`)
    .replace(/[a-z]+/gi, (word) => words[word.toLowerCase()] ?? word);
  return label.charAt(0).toUpperCase() + label.slice(1);
}
