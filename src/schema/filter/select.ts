import type { PartialAttribute } from '#ldap';
import { coversOptions, type Described, optionsOfKey, typeOfKey } from '../describe.ts';
import type { EntryAttributes } from '../entry.ts';
import type { AttributeType } from '../types.ts';

/** The values of an entry that an assertion about an attribute description is answered from. */
export interface Selection {
  readonly type: AttributeType;
  /** Whether any of the selected attributes satisfies the test. */
  some(attributes: EntryAttributes, test: (attribute: PartialAttribute) => boolean): boolean;
}

/**
 * Selects the type and its subtypes, with at least the options asked for (RFC 4512 §2.5.2: `name` selects `cn;lang-de` too).
 * What has no options is found by its key; only when that does not satisfy are the entry's keys looked through for options.
 */
export function selectValues({ type, options }: Described): Selection {
  const keys = type.family.filter((each) => !each.secret).map((each) => each.key);
  const wanted = new Set(keys);

  const isSelected = (key: string) => wanted.has(typeOfKey(key)) && coversOptions(options, optionsOfKey(key));

  return {
    type,
    some(attributes, test) {
      if (options.length === 0) {
        for (const key of keys) {
          const attribute = attributes.get(key);
          if (attribute !== undefined && test(attribute)) return true;
        }
      }
      for (const [key, attribute] of attributes) {
        if (key.includes(';') && isSelected(key) && test(attribute)) return true;
      }
      return false;
    },
  };
}
