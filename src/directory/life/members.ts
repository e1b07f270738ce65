import { concat, text, utf8 } from '#base';
import type { PartialAttribute } from '#ldap';
import { normalizer, type Schema, typeOfKey } from '#schema';
import type { Engine } from '../engine.ts';
import { settingsAt } from '../realms.ts';
import type { Attributes } from '../record.ts';
import type { Look } from '../write.ts';

/**
 * Who is in a group that was deleted is kept by entryUUID: who is renamed meanwhile comes back under the new name, and whoever has an old name by then does
 * not come in by it.
 */
const memberKeys: ReadonlySet<string> = new Set(['member', 'uniquemember']);

/** So many are looked up before others have the event loop. */
const turnLooks = 256;
const uuidOctets = 16;
/** In a key of `uniqueMember`, between the name and the identifier behind it. */
const identifierMark = 0xff;

/** The attributes of a group with entryUUIDs in the place of members' names, and without those that name nobody. */
export function* membersById(
  schema: Schema,
  look: Look,
  attributes: readonly PartialAttribute[],
): Generator<undefined, PartialAttribute[]> {
  const kept: PartialAttribute[] = [];
  let looked = 0;
  for (const attribute of attributes) {
    const type = memberTypeOf(schema, attribute.description);
    if (type === undefined) {
      kept.push(attribute);
      continue;
    }
    const normal = normalizer(type);
    const values: Uint8Array[] = [];
    for (const value of attribute.values) {
      if (looked++ % turnLooks === turnLooks - 1) yield;
      const key = normal(value);
      const mark = key === undefined || type.key === 'member' ? -1 : key.indexOf(identifierMark);
      const snapshot = look();
      const id = key && snapshot.idOf(mark < 0 ? key : key.subarray(0, mark));
      const uuid = id === undefined ? undefined : snapshot.readable(id)?.uuid;
      const name = text(value) ?? '';
      if (uuid !== undefined) values.push(concat([octetsOf(uuid), utf8(mark < 0 ? '' : name.slice(name.lastIndexOf('#')))]));
    }
    kept.push({ description: attribute.description, values });
  }
  return kept;
}

/** Puts the names back of those who are there: in a group that must have a member, and has none, what `ldap.referencesNothing` says. */
export function* membersByName(engine: Engine, look: Look, attributes: Attributes, dnKey: Uint8Array): Generator<undefined, void> {
  const { schema } = engine;
  let looked = 0;
  for (const [key, { description, values }] of attributes) {
    const type = memberTypeOf(schema, key);
    if (type === undefined) continue;
    const names: Uint8Array[] = [];
    for (const value of values) {
      if (looked++ % turnLooks === turnLooks - 1) yield;
      const dn = look().byUuid(uuidOf(value.subarray(0, uuidOctets)))?.dn;
      if (dn !== undefined) names.push(concat([utf8(dn), value.subarray(uuidOctets)]));
    }
    const classes = (attributes.get('objectclass')?.values ?? []).flatMap((name) => schema.objectClass(text(name) ?? '') ?? []);
    if (names.length > 0) attributes.set(key, { description, values: names });
    else if (classes.some(({ must }) => must.includes(type))) {
      attributes.set(key, { description, values: [utf8(settingsAt(engine, look(), dnKey)['ldap.referencesNothing'])] });
    } else attributes.delete(key);
  }
}

function memberTypeOf(schema: Schema, description: string) {
  const type = schema.attributeType(typeOfKey(description.toLowerCase()));
  return type !== undefined && memberKeys.has(type.key) ? type : undefined;
}

function octetsOf(uuid: string): Uint8Array {
  return new Uint8Array(Buffer.from(uuid.replaceAll('-', ''), 'hex'));
}

function uuidOf(octets: Uint8Array): string {
  return Buffer.from(octets)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
