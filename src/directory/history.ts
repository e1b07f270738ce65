import { equalBytes, text } from '#base';
import {
  decodeAttributes,
  decodeValue,
  formatDn,
  formatRdn,
  type LdifChange,
  type Modification,
  type PartialAttribute,
  parseDn,
} from '#ldap';
import { type AttributeType, describe, type Schema } from '#schema';
import type { ListChange, LoggedChange } from '#store';
import { isDeleted } from './life/told.ts';

/**
 * A change of the log as LDIF change records (RFC 2849) that a directory tool can apply: an add, a delete, a modify that replaces what has other
 * values now, and for a renamed entry a modrdn in front of that. Secrets are left out, and so is what every directory writes by itself, what is kept of deleted
 * people among it.
 *
 * Where the log no longer has what was before, all is replaced, and what the entry's classes allow and it does not have is emptied.
 *
 * @returns none when nothing changed that such a record could say, or the log does not know the name of an entry that was deleted
 */
export function changeRecords(schema: Schema, change: LoggedChange): readonly LdifChange[] {
  const { former, before, after, lists = [], formerLists } = change;
  const dn = after?.dn ?? former;
  if (dn !== undefined && isDeleted({ dn })) return [];
  if (after === undefined) return former === undefined ? [] : [{ kind: 'delete', line: 0, dn: former, controls: [] }];
  const now = settable(schema, after);
  if (former === undefined) return [{ kind: 'add', line: 0, dn: after.dn, controls: [], attributes: [...now.values()] }];
  // What is outside of the entry, as a list, is not gone.
  const outside = keysOf(schema, lists);
  const were = before === undefined ? undefined : new Map([...withoutValues(schema, formerLists), ...settable(schema, before)]);
  const changes = [
    ...(were === undefined ? allOf(schema, now, outside) : differences(were, now, outside)),
    ...lists.flatMap(listModifications),
  ];
  return [
    ...(former === after.dn ? [] : [renaming(former, after.dn)]),
    ...(changes.length === 0 ? [] : [{ kind: 'modify', line: 0, dn: after.dn, controls: [], changes } as const]),
  ];
}

type Values = ReadonlyMap<string, PartialAttribute>;

/** What of an entry a client may read and write, by its key. */
function settable(schema: Schema, { user, operational }: Pick<NonNullable<LoggedChange['after']>, 'user' | 'operational'>): Values {
  const values = new Map<string, PartialAttribute>();
  for (const attribute of [...decodeAttributes(user), ...decodeAttributes(operational)]) {
    const described = describe(schema, attribute.description);
    if (described !== undefined && isSettable(described.type)) values.set(described.key, attribute);
  }
  return values;
}

function isSettable({ noUserModification, secret, sealed }: AttributeType): boolean {
  return !noUserModification && !secret && !sealed;
}

function keysOf(schema: Schema, lists: LoggedChange['formerLists']): ReadonlySet<string> {
  return new Set(lists.map(({ description }) => describe(schema, description)?.key ?? description.toLowerCase()));
}

/** Lists that an entry had: which values these were the log does not say, only that they were there. */
function withoutValues(schema: Schema, lists: LoggedChange['formerLists']): Values {
  return new Map(
    lists.map(({ description }) => [describe(schema, description)?.key ?? description.toLowerCase(), { description, values: [] }]),
  );
}

/** A value may take the place of one that its rule calls equal. */
function listModifications({ description, removed, added }: ListChange): Modification[] {
  const steps = [
    { operation: 'delete' as const, values: removed },
    { operation: 'add' as const, values: added },
  ];
  return steps
    .filter(({ values }) => values.length > 0)
    .map(({ operation, values }) => ({ operation, attribute: { description, values: values.map(decodeValue) } }));
}

function differences(before: Values, now: Values, outside: ReadonlySet<string>): Modification[] {
  const changed = [...now].filter(([key, attribute]) => !sameValues(before.get(key), attribute)).map(([, attribute]) => attribute);
  const gone = [...before]
    .filter(([key]) => !now.has(key) && !outside.has(key))
    .map(([, { description }]) => ({ description, values: [] }));
  return replacements([...changed, ...gone]);
}

function allOf(schema: Schema, now: Values, outside: ReadonlySet<string>): Modification[] {
  const classes = (now.get('objectclass')?.values ?? []).flatMap((value) => schema.objectClass(text(value) ?? '') ?? []);
  const allowed = new Set([
    ...classes.flatMap(({ must, may }) => [...must, ...may]),
    ...schema.attributeTypes.filter(({ usage }) => usage === 'directoryOperation'),
  ]);
  const absent = [...allowed]
    .filter((type) => isSettable(type) && !now.has(type.key) && !outside.has(type.key))
    .map(({ name }) => ({ description: name, values: [] }));
  return replacements([...now.values(), ...absent]);
}

function replacements(attributes: readonly PartialAttribute[]): Modification[] {
  return attributes.map((attribute) => ({ operation: 'replace', attribute }));
}

function sameValues(before: PartialAttribute | undefined, now: PartialAttribute): boolean {
  if (before === undefined || before.values.length !== now.values.length) return false;
  return before.values.every((value, at) => equalBytes(value, now.values[at] ?? new Uint8Array(0)));
}

/** The values of the old name stay: the modify that follows has them all. */
function renaming(former: string, dn: string): LdifChange {
  const [from = [], to = []] = [parseDn(former), parseDn(dn)];
  const superior = formatDn(to.slice(1));
  return {
    kind: 'modrdn',
    line: 0,
    dn: former,
    controls: [],
    newRdn: formatRdn(to[0] ?? []),
    deleteOldRdn: false,
    ...(formatDn(from.slice(1)) === superior ? {} : { newSuperior: superior }),
  };
}
