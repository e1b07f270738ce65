import { type AttributeType, coversOptions, type Described, describe, type Schema } from '#schema';

/** Which attributes a search asks for (RFC 4511 §4.5.1.8, RFC 3673 for `+`, RFC 4529 for `@class`). */
export interface Wanted {
  readonly allUser: boolean;
  readonly allOperational: boolean;
  /** True when some attribute of the kind may be wanted: otherwise that part of an entry is not even looked at. */
  readonly anyUser: boolean;
  readonly anyOperational: boolean;
  /** Whether a type is asked for by a name of its own or of one above it, and not only by what stands for all of its kind. */
  isNamed(type: AttributeType): boolean;
  /** Whether a stored attribute is wanted. */
  holds(type: AttributeType, options: readonly string[]): boolean;
}

const noAttributes = '1.1';

/** Reads the selection of a search request: names and OIDs in any case, with options, `*`, `+`, `1.1` and `@class`; unknown ones are ignored. */
export function readSelection(schema: Schema, attributes: readonly string[]): Wanted {
  const allUser = attributes.length === 0 || attributes.includes('*') || attributes.some((text) => isAnything(schema, text));
  const allOperational = attributes.includes('+');
  const named: Described[] = [];
  for (const text of attributes) {
    // RFC 4511 §4.5.1.8: beside others, 1.1 means nothing.
    if (text === '*' || text === '+' || text === noAttributes) continue;
    if (text.startsWith(classMark)) named.push(...attributesOfClass(schema, text));
    const described = describe(schema, text);
    if (described !== undefined) named.push(described);
  }
  const isOperational = ({ type }: Described) => type.family.some((each) => each.usage !== 'userApplications');
  const isUser = ({ type }: Described) => type.family.some((each) => each.usage === 'userApplications');
  return {
    allUser,
    allOperational,
    anyUser: allUser || named.some(isUser),
    anyOperational: allOperational || named.some(isOperational),
    isNamed: (type) => named.some((each) => selects(each, type, [])),
    holds: (type, options) =>
      (type.usage === 'userApplications' ? allUser : allOperational) || named.some((each) => selects(each, type, options)),
  };
}

const classMark = '@';

/** RFC 4529 §3: a class stands for every attribute that it and its superiors require or allow, each with the options behind the class. */
function attributesOfClass(schema: Schema, text: string): readonly Described[] {
  const [name = '', ...options] = text.slice(classMark.length).split(';');
  const found = schema.objectClass(name);
  if (found === undefined) return [];
  const behind = options.map((option) => `;${option}`).join('');
  const types = [...found.must, ...found.may];
  return types.map((type) => describe(schema, type.name + behind)).filter((each) => each !== undefined);
}

/** RFC 4529 §3: extensibleObject allows every user attribute. */
function isAnything(schema: Schema, text: string): boolean {
  return text.startsWith(classMark) && schema.objectClass(text.slice(classMark.length))?.oid === extensibleObject;
}

const extensibleObject = '1.3.6.1.4.1.1466.101.120.111';

/** RFC 4512 §2.5.2: a description selects its subtypes, and attributes with more options than it names. */
function selects(asked: Described, type: AttributeType, options: readonly string[]): boolean {
  return asked.type.family.includes(type) && coversOptions(asked.options, options);
}
