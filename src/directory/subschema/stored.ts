import { text, utf8 } from '#base';
import { decodeAttributes, type LdifContent, type PartialAttribute } from '#ldap';
import { type Definition, definitionKinds, type Schema } from '#schema';
import type { EntryRecord } from '#store';
import { type Name, nameOf, subschemaDn } from '../realm.ts';

/** The definitions that were added at run time: the operational attributes of one entry, whose name is that of the subschema subentry. */

/** The key of its name, for those who look for it before there is a schema to make it with. */
export const subschemaKey = utf8('cn=subschema');

/** Where that entry stands. Its name is of attributes that every schema has. */
export function subschemaName(schema: Schema): Name {
  return nameOf(schema, subschemaDn);
}

/** The definitions of a stored subschema entry, for `loadSchema`. */
export function storedDefinitions(entry: Pick<EntryRecord, 'operational'> | undefined): Definition[] {
  return entry === undefined ? [] : definitionsIn(decodeAttributes(entry.operational));
}

/** The same of attributes that are to become one: those that hold no definitions are passed over. */
export function definitionsIn(attributes: readonly PartialAttribute[]): Definition[] {
  return definitionKinds.flatMap(({ keyword, attribute }) => {
    const held = attributes.filter(({ description }) => description.toLowerCase() === attribute.toLowerCase());
    return held
      .flatMap(({ values }) => values)
      .map((value, at) => ({ keyword, text: text(value) ?? '', file: `${subschemaDn}, ${attribute}`, line: at + 1 }));
  });
}

/**
 * The entry as an export writes it: the definitions always, since without them nothing that uses them can be read back.
 *
 * @param operational  entryUUID, timestamps and the like, too
 */
export function subschemaRecord(attributes: readonly PartialAttribute[], operational: boolean): LdifContent {
  const isDefining = ({ description }: PartialAttribute) => definitionKinds.some(({ attribute }) => attribute === description);
  const own: readonly PartialAttribute[] = [
    { description: 'objectClass', values: subschemaClasses.map(utf8) },
    { description: 'cn', values: [utf8('Subschema')] },
  ];
  const kept = attributes.filter((each) => operational || isDefining(each) || each.description === 'subtreeSpecification');
  return { kind: 'content', line: 0, dn: subschemaDn, attributes: [...own, ...kept] };
}

/** The classes of the subentry, as slapd has them. */
export const subschemaClasses = ['top', 'subentry', 'subschema', 'extensibleObject'];

/** The attributes that hold definitions. */
export function attributesWith(definitions: readonly Definition[]): PartialAttribute[] {
  return definitionKinds
    .map(({ keyword, attribute }) => ({
      description: attribute,
      values: definitions.filter((each) => each.keyword === keyword).map((each) => utf8(each.text)),
    }))
    .filter(({ values }) => values.length > 0);
}
