import { parseAttributeType } from '#ldap';
import { isMarked } from './resolve-types.ts';

/**
 * What a schema marks as secret or sealed, by all its names and its OID in lower case.
 *
 * @param definitions  of attribute types (RFC 4512 §4.1.2), as a subschema subentry has them; what cannot be read marks nothing
 */
export function hiddenNames(definitions: readonly string[]): readonly string[] {
  return definitions.flatMap((text) => {
    // Nearly none is: the others need not be read.
    const parsed = text.includes('X-ATRIUM-') ? parseAttributeType(text) : undefined;
    if (parsed === undefined || parsed.kind === 'bad') return [];
    const { oid, names } = parsed.value;
    const isHidden = isMarked(parsed.value, 'X-ATRIUM-SECRET') || isMarked(parsed.value, 'X-ATRIUM-SEALED');
    return isHidden ? [oid, ...names.map((name) => name.toLowerCase())] : [];
  });
}
