import { z } from 'zod';
import type { Operation } from './row.ts';

/** How a member of the input is given on the command line. */
export interface CommandMember {
  /** Its name in the operation. */
  readonly member: string;
  readonly place: 'path' | 'query' | 'body';
  /** Of an operand in capitals, of an option without its dashes: `NEW-RDN`, `new-rdn`. */
  readonly name: string;
  readonly isOperand: boolean;
  /**
   * `flag`: true where it is given. `answer`: yes or no. `texts`: given several times. `attributes`: names with values, given several times.
   */
  readonly kind: 'text' | 'number' | 'flag' | 'answer' | 'texts' | 'attributes';
  readonly isRequired: boolean;
  /** What it may be. */
  readonly values?: readonly string[];
  /** What holds where it is not given. */
  readonly standing?: string;
  /** True where nothing may be said in its place: null. */
  readonly mayBeNull?: true;
  readonly means: string;
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly default?: unknown;
  readonly description?: string;
}

/**
 * How the members of an operation are given: a text that must be there as an operand, in the order of the shape, all else as options. What leads from page
 * to page the command does by itself; the realm is that of the path.
 */
export function commandMembersOf({ input, path, method, takes, query }: Operation): readonly CommandMember[] {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as {
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly required?: readonly string[];
  };
  const inQuery = method === 'GET' || method === 'DELETE' || takes !== undefined;
  const isPaged = 'after' in properties;
  const members = Object.entries(properties).flatMap(([member, given]): CommandMember[] => {
    if (member === 'realm' || (isPaged && (member === 'after' || member === 'limit'))) return [];
    const mayBeNull = given.anyOf?.some(({ type }) => type === 'null') === true;
    const schema = mayBeNull ? { ...given.anyOf?.find(({ type }) => type !== 'null'), description: given.description ?? '' } : given;
    const isRequired = required.includes(member);
    const kind = kindOf(schema, isAnswer(input.shape[member]));
    const isOperand = isRequired && kind === 'text';
    const name = kind === 'attributes' ? 'set' : member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const place = path.includes(`:${member}`) ? 'path' : inQuery || query?.includes(member) === true ? 'query' : 'body';
    const values = (schema.enum ?? schema.items?.enum)?.map(String);
    return [
      {
        ...{ member, place, name: isOperand ? name.toUpperCase() : name, isOperand, kind, isRequired, means: phraseOf(schema.description) },
        ...(values === undefined ? {} : { values }),
        ...(schema.default === undefined || kind === 'flag' ? {} : { standing: String(schema.default) }),
        ...(mayBeNull ? { mayBeNull } : {}),
      },
    ];
  });
  return members.toSorted((one, other) => Number(other.isOperand) - Number(one.isOperand));
}

function kindOf({ type, default: standing }: Schema, isAnswered: boolean): CommandMember['kind'] {
  if (isAnswered || (type === 'boolean' && standing === false)) return 'flag';
  switch (type) {
    case 'boolean':
      return 'answer';
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return 'texts';
    case 'object':
      return 'attributes';
  }
  return 'text';
}

/** Of a query, where yes and no are texts. */
function isAnswer(shape: unknown): boolean {
  const def = (shape as { readonly def?: { readonly type?: string; readonly innerType?: unknown } } | undefined)?.def;
  return def?.type === 'pipe' || (def?.innerType !== undefined && isAnswer(def.innerType));
}

/** As the help of a command has it: no sentence, but what goes on from the name. */
function phraseOf(sentence = ''): string {
  const text = sentence.replace(/\.$/, '');
  return /^[A-Z](?:[a-z ]|$)/.test(text) ? `${text[0]?.toLowerCase()}${text.slice(1)}` : text;
}

/** The words behind `atrium` that do an operation with what was given for its members. */
export function commandWordsOf(row: Operation, given: Readonly<Record<string, unknown>>): readonly string[] {
  const words = commandMembersOf(row).flatMap(({ member, name, isOperand, kind }) => {
    const value = given[member];
    if (value === undefined || value === '' || value === 'false' || value === false) return isOperand ? ['…'] : [];
    if (isOperand) return [String(value)];
    if (kind === 'flag') return [`--${name}`];
    if (kind === 'attributes') return [`--${name}`, '…'];
    return (Array.isArray(value) ? value : [value]).flatMap((each) => [`--${name}`, String(each)]);
  });
  return [...row.command.split(' '), ...words];
}
