import { text, utf8 } from '#base';
import type { PartialAttribute } from '#ldap';

/** An entry as the directory returned it. Attribute names are looked up in any case. */
export interface ClientEntry {
  readonly dn: string;
  readonly attributes: readonly PartialAttribute[];
  has(description: string): boolean;
  /** The first value as text; `undefined` when there is none, or it is not UTF-8. */
  one(description: string): string | undefined;
  /** All values that are text. */
  all(description: string): readonly string[];
  /** All values as octets. */
  octets(description: string): readonly Uint8Array[];
}

export function entryOf(dn: string, attributes: readonly PartialAttribute[]): ClientEntry {
  const octets = (description: string) => {
    const wanted = description.toLowerCase();
    return attributes.find((attribute) => attribute.description.toLowerCase() === wanted)?.values ?? [];
  };
  const all = (description: string) => octets(description).flatMap((value) => text(value) ?? []);
  return { dn, attributes, octets, all, one: (description) => all(description)[0], has: (description) => octets(description).length > 0 };
}

/** Attributes given as text or octets, each with a value or several: `attributesOf({ cn: 'Ada', objectClass: ['person'] })`. */
export function attributesOf(
  given: Readonly<Record<string, string | Uint8Array | readonly (string | Uint8Array)[]>>,
): readonly PartialAttribute[] {
  return Object.entries(given).map(([description, values]) => ({
    description,
    values: (typeof values === 'string' || values instanceof Uint8Array ? [values] : values).map((value) =>
      typeof value === 'string' ? utf8(value) : value,
    ),
  }));
}
