import { type AttributeType, type Described, describe, type Schema } from '#schema';

/** Which attributes a search asks for (RFC 4511 §4.5.1.8, RFC 3673 for `+`). */
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

/** Reads the selection of a search request: names and OIDs in any case, with options, `*`, `+` and `1.1`; unknown ones are ignored. */
export function readSelection(schema: Schema, attributes: readonly string[]): Wanted {
  const allUser = attributes.length === 0 || attributes.includes('*');
  const allOperational = attributes.includes('+');
  const named: Described[] = [];
  for (const text of attributes) {
    // RFC 4511 §4.5.1.8: beside others, 1.1 means nothing.
    if (text === '*' || text === '+' || text === noAttributes) continue;
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

/** RFC 4512 §2.5.2: a description selects its subtypes, and attributes with more options than it names. */
function selects(asked: Described, type: AttributeType, options: readonly string[]): boolean {
  return asked.type.family.includes(type) && asked.options.every((option) => options.includes(option));
}
