import type { PartialAttribute } from '#ldap';
import { formOf } from '#schema';
import type { NoteKind } from './report.ts';

/** An attribute of an entry that is being converted. */
export interface Given {
  description: string;
  values: Uint8Array[];
}

/** An entry on its way, changed step by step. */
export interface Draft {
  readonly line: number;
  dn: string;
  attributes: Given[];
  /** Values that the source does not have. */
  readonly supplied: Set<Uint8Array>;
  /** Values that have another form than in the source, or mean something else, and what is to be noted of those that stay. */
  readonly changed: Map<Uint8Array, readonly [kind: NoteKind, what: string]>;
}

/** Values as texts that are equal where the octets are. */
export const textOf: (value: Uint8Array) => string = formOf;

/** The name of the type in lower case, and the options behind it. */
export function partsOf(description: string): readonly [type: string, options: string] {
  const at = description.indexOf(';');
  return at < 0 ? [description.toLowerCase(), ''] : [description.slice(0, at).toLowerCase(), description.slice(at)];
}

export function valuesOf({ attributes }: { readonly attributes: readonly PartialAttribute[] }, type: string): readonly Uint8Array[] {
  return attributes.filter(({ description }) => description.toLowerCase() === type).flatMap(({ values }) => values);
}
