import type { AttributeType, Schema } from './types.ts';

/** An attribute description, resolved (RFC 4512 §2.5). */
export interface Described {
  readonly type: AttributeType;
  /** Lower case, sorted, without repetition. */
  readonly options: readonly string[];
  /** The key under which entries hold it: `key` of the type, options behind it. */
  readonly key: string;
  /** As the directory writes it: the type's first name, options in the same order as in `key`. */
  readonly description: string;
}

const option = /^[A-Za-z0-9-]+$/;

/**
 * Reads an attribute description.
 *
 * @param text  a name or an OID, options behind semicolons
 * @returns `undefined` when the type is unknown or an option is no keystring
 */
export function describe(schema: Pick<Schema, 'attributeType'>, text: string): Described | undefined {
  const at = text.indexOf(';');
  const type = schema.attributeType(at < 0 ? text : text.slice(0, at));
  if (type === undefined) return undefined;
  if (at < 0) return { type, options: none, key: type.key, description: type.name };

  const given = text.slice(at + 1).split(';');
  if (!given.every((each) => option.test(each))) return undefined;
  const options = [...new Set(given.map((each) => each.toLowerCase()))].sort();
  const behind = `;${options.join(';')}`;
  return { type, options, key: type.key + behind, description: type.name + behind };
}

const none: readonly string[] = [];

const language = 'lang-';

/** RFC 3866 §2.2: a language range stands for a language and what is narrower, and alone for all languages. No attribute is stored under one. */
export function isLanguageRange(option: string): boolean {
  return option.startsWith(language) && option.endsWith('-');
}

/** Whether an attribute with its own options is among those that a description with others asks for (RFC 4512 §2.5.2, RFC 3866 §2.2). */
export function coversOptions(asked: readonly string[], own: readonly string[]): boolean {
  return asked.every((option) => own.includes(option) || (isLanguageRange(option) && own.some((each) => `${each}-`.startsWith(option))));
}

/** The options in an entry's key; none for most. */
export function optionsOfKey(key: string): readonly string[] {
  const at = key.indexOf(';');
  return at < 0 ? none : key.slice(at + 1).split(';');
}

/** The type of an entry's key. Nearly all keys are a type's own. */
export function typeAt(schema: Pick<Schema, 'attributeType'>, key: string): AttributeType | undefined {
  return schema.attributeType(key) ?? (key.includes(';') ? schema.attributeType(typeOfKey(key)) : undefined);
}

/** The type's part of an entry's key. */
export function typeOfKey(key: string): string {
  const at = key.indexOf(';');
  return at < 0 ? key : key.slice(0, at);
}
