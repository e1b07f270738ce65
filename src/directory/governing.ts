import { validityAttributes } from '#holdings';
import { walkAttributes, walkValues } from '#ldap';
import { type AttributeType, type Schema, typeOfKey } from '#schema';
import type { Governs } from '#store';
import { createDecisions, type Decisions } from './search/descriptions.ts';

/** What governs others by its class: an entry that says what holds for more than itself. */
const classes: readonly string[] = [
  'stsAccessRule',
  'stsRealmEntry',
  'stsServiceSettings',
  'stsUniquenessPolicy',
  'pwdPolicy',
  'stsPasswordPolicy',
  'stsAuthnPolicy',
  'groupOfURLs',
];

/** And by what it holds: members, and what these are by it; and that nobody may be here as it any more. Subtypes count. */
const attributes: readonly string[] = ['member', 'uniqueMember', 'memberUid', 'memberURL', 'stsRole', 'stsRealmId', ...validityAttributes];

/**
 * Tells the store which entries govern others. Members that are found by searches change with the people who are found, and are not told of: who
 * needs them asks again.
 */
function createGoverns(schema: Schema): Governs {
  const kinds: Decisions<'class' | 'governing' | 'other'> = createDecisions((description) => kindOf(schema, description));
  const isGoverning = createDecisions((name) => isGoverningClass(schema, name));
  const holds = (part: Uint8Array): boolean => {
    let governs = false;
    walkAttributes(part, (_start, _end, descriptionStart, descriptionEnd, valuesStart, valuesEnd) => {
      const kind = kinds.of(part, descriptionStart, descriptionEnd);
      if (kind === 'governing') governs = true;
      if (kind !== 'class' || governs) return;
      walkValues(part, valuesStart, valuesEnd, (start, end) => {
        governs ||= isGoverning.of(part, start, end);
      });
    });
    return governs;
  };
  return ({ user, operational }) => holds(user) || holds(operational);
}

/** The same where the schema may change. */
export function createLiveGoverns(live: { readonly current: Schema }): Governs {
  let schema = live.current;
  let governs = createGoverns(schema);
  return (entry) => {
    if (live.current !== schema) {
      schema = live.current;
      governs = createGoverns(schema);
    }
    return governs(entry);
  };
}

function kindOf(schema: Schema, description: string): 'class' | 'governing' | 'other' {
  const lineage: AttributeType[] = [];
  for (let type = schema.attributeType(typeOfKey(description.toLowerCase())); type !== undefined; type = type.superior) lineage.push(type);
  if (lineage.some(({ key }) => key === 'objectclass')) return 'class';
  return lineage.some(({ name }) => attributes.includes(name)) ? 'governing' : 'other';
}

function isGoverningClass(schema: Schema, name: string): boolean {
  const found = schema.objectClass(name);
  return found?.lineage.some((each) => classes.includes(each.name)) === true;
}
