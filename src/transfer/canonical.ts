import { compareBytes } from '#base';
import type { PartialAttribute } from '#ldap';
import { type AttributeType, describe, type Schema } from '#schema';

/** What of an entry is written beside its user attributes. */
export interface Wanted {
  /** What the directory keeps of each entry by itself: entryUUID, timestamps. */
  readonly operational: boolean;
  /** Password hashes and what else no search reads. */
  readonly secrets: boolean;
}

interface Placed {
  readonly key: string;
  readonly rank: number;
  readonly description: string;
  readonly values: Uint8Array[];
}

/**
 * An entry's attributes in the one order that there is for the same content: classes, then what users write, then what the directory keeps, then secrets,
 * each by name; descriptions in the schema's writing; values in the order of their octets, each once.
 */
export function canonicalAttributes(
  schema: Schema,
  attributes: readonly PartialAttribute[],
  isWanted: (type: AttributeType) => boolean = () => true,
): PartialAttribute[] {
  const placed: Placed[] = [];
  for (const { description, values } of attributes) {
    const described = describe(schema, description);
    if (described !== undefined && !isWanted(described.type)) continue;
    const key = described?.key ?? description.toLowerCase();
    const known = placed.find((each) => each.key === key);
    if (known !== undefined) known.values.push(...values);
    else placed.push({ key, rank: rankOf(described?.type), description: described?.description ?? description, values: [...values] });
  }
  placed.sort((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : 1));
  return placed.map(({ description, values }) => ({ description, values: inOrder(values) }));
}

function rankOf(type: AttributeType | undefined): number {
  if (type?.key === 'objectclass') return 0;
  if (type?.secret === true || type?.sealed === true) return 3;
  return type === undefined || type.usage === 'userApplications' ? 1 : 2;
}

function inOrder(values: Uint8Array[]): readonly Uint8Array[] {
  if (values.length < 2) return values;
  values.sort(compareBytes);
  return values.filter((value, at) => at === 0 || compareBytes(value, values[at - 1] as Uint8Array) !== 0);
}

/** Whether a type is written: secrets only when asked, what only the directory writes only when asked. */
export function isWanted({ operational, secrets }: Wanted): (type: AttributeType) => boolean {
  return ({ secret, sealed, usage, noUserModification }) => {
    if (secret || sealed) return secrets;
    return usage === 'userApplications' || !noUserModification || operational;
  };
}
