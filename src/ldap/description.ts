/** An attribute description (RFC 4512 §2.5): its type as given, and its options in lower case, as given in order. */
export interface Description {
  readonly type: string;
  readonly options: readonly string[];
}

const oidPattern = '(?:0|[1-9][0-9]*)(?:\\.(?:0|[1-9][0-9]*))+';
const typePattern = `(?:[A-Za-z][A-Za-z0-9-]*|${oidPattern})`;
const description = new RegExp(`^${typePattern}(?:;[A-Za-z0-9-]+)*$`);
const type = new RegExp(`^${typePattern}$`);
const oid = new RegExp(`^${oidPattern}$`);
const none: readonly string[] = [];

/** Parses `type *( ";" option )`; `undefined` for text that is none. */
export function parseDescription(text: string): Description | undefined {
  if (!description.test(text)) return undefined;
  const semicolon = text.indexOf(';');
  if (semicolon < 0) return { type: text, options: none };
  // RFC 4512 §2.5: options are case insensitive, and their order does not matter to what is described.
  return {
    type: text.slice(0, semicolon),
    options: text
      .slice(semicolon + 1)
      .toLowerCase()
      .split(';'),
  };
}

/** The text of a description. */
export function formatDescription(from: Description): string {
  return [from.type, ...from.options].join(';');
}

/** Whether text is an attribute type's name or number, without options. */
export function isAttributeType(text: string): boolean {
  return type.test(text);
}

/** Whether text is a numericoid (RFC 4512 §1.4). */
export function isNumericOid(text: string): boolean {
  return oid.test(text);
}
