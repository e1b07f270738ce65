import { equalBytes } from '#base';
import { refuse } from '#catalogue';
import { parseRdn, type Rdn, type Request, type Result } from '#ldap';
import { checkModified, describe, isWithin, type Schema } from '#schema';
import type { Expectation, Snapshot, StoredEntry } from '#store';
import type { Call } from '../call.ts';
import { errors } from '../errors.ts';
import { changeOf, type EditedLists, editedLists, settleLists, withLists } from '../lists.ts';
import { find } from '../lookup.ts';
import { type Name, nameOf, nameOfDn, superiorOf } from '../realm.ts';
import { type Attributes, attributesOf, recordOf, stampChanged } from '../record.ts';
import { withReferences } from '../relations/references.ts';
import { done } from '../result.ts';
import { findNewSuperior, taken } from '../superior.ts';
import { commit, writerName } from '../write.ts';
import { apply } from './changes.ts';

type ModifyDnRequest = Request & { kind: 'modifyDNRequest' };

/**
 * Gives an entry that has none below it another name, another superior, or both.
 *
 * @throws Refusal  RFC 4511 §4.9: invalidDNSyntax, referral, noSuchObject, affectsMultipleDSAs, entryAlreadyExists, insufficientAccessRights, notAllowedOnNonLeaf
 */
export async function modifyDn(call: Call, request: ModifyDnRequest): Promise<Result> {
  const { engine, asker, controls } = call;
  const { schema } = engine;
  const rdn = parseRdn(request.newRdn);
  if (rdn === undefined) throw refuse(errors.nameInvalid);

  await commit(engine, (snapshot) => {
    const { entry, name, rights } = find(engine, asker, snapshot, request.entry, { controls, changes: true });
    const target = targetOf(call, snapshot, name, rdn, request.newSuperior);
    if (!rights.mayRename || !asker.rightsAt(target.name.key, entry.uuid).mayRename) {
      throw refuse(errors.accessDenied, { why: 'this entry may not be renamed' });
    }
    const samePlace = equalBytes(target.name.key, entry.dnKey);
    if (snapshot.hasChildren(entry.uuid)) throw refuse(errors.renameOfSubtree);
    const there = samePlace ? undefined : snapshot.byDnKey(target.name.key);
    if (there !== undefined) throw taken(call, snapshot, there, target.name, true);

    const old = attributesOf(schema, entry);
    const attributes: Attributes = new Map(old);
    const lists = editedLists(schema, snapshot, entry);
    const before = { dn: name.dn, attributes: withLists(old, lists) };
    if (request.deleteOldRdn) takeAway(schema, attributes, lists, name.dn[0] ?? [], rdn);
    putThere(schema, attributes, lists, rdn);
    checkModified(schema, before, { dn: target.name.dn, attributes: withLists(attributes, lists) });
    settleLists(schema, attributes, entry, lists);

    const csn = engine.csn.next();
    stampChanged(attributes, { csn, nowMs: engine.clock.nowMs(), by: writerName(engine, asker.identity) });
    const place = { uuid: entry.uuid, parent: target.superior.uuid, name: target.name, csn };
    const expected: Expectation[] = [
      { kind: 'unchanged', uuid: entry.uuid, csn: entry.csn },
      { kind: 'childless', uuid: entry.uuid },
      { kind: 'unchanged', uuid: target.superior.uuid, csn: target.superior.csn },
    ];
    if (!samePlace) expected.push({ kind: 'absent', dnKey: target.name.key });
    const { change, listedOctets } = changeOf(recordOf(schema, place, attributes), lists);
    const decision = { expected, changes: [change], listedOctets, before: entry };
    return withReferences(call, snapshot, decision, [{ dn: entry.dn, dnKey: entry.dnKey, to: target.name }]);
  });
  return done;
}

/** The new name and the superior under which it stands. */
function targetOf(
  call: Call,
  snapshot: Snapshot,
  name: Name,
  rdn: Rdn,
  newSuperior: string | undefined,
): { name: Name; superior: StoredEntry } {
  const { schema, realm } = call.engine;
  if (name.key.length === realm.suffix.key.length) throw refuse(errors.superiorUnfit, { why: 'the entry of a suffix cannot be renamed' });
  const wanted = newSuperior === undefined ? superiorOf(schema, name) : nameOf(schema, newSuperior);
  // Below the suffix every name has a superior; one of another realm is refused where it is looked for.
  if (wanted === undefined || isWithin(wanted.key, name.key))
    throw refuse(errors.superiorUnfit, { why: 'an entry cannot be moved below itself' });
  const superior = findNewSuperior(call, snapshot, wanted);
  const dn = [rdn, ...nameOf(schema, superior.dn).dn];
  return { name: nameOfDn(schema, dn), superior };
}

/** Values of the old RDN go, but for those that the new one has too. */
function takeAway(schema: Schema, attributes: Attributes, lists: EditedLists, old: Rdn, rdn: Rdn): void {
  for (const { type, value } of old) {
    const described = describe(schema, type);
    if (described === undefined || holds(schema, rdn, described.key, value)) continue;
    if (isHeld(schema, attributes, lists, described.key, value))
      apply(attributes, { operation: 'delete', described, values: [value] }, lists);
  }
}

function putThere(schema: Schema, attributes: Attributes, lists: EditedLists, rdn: Rdn): void {
  for (const { type, value } of rdn) {
    const described = describe(schema, type);
    if (described === undefined) throw refuse(errors.attributeUnknown, { attribute: type });
    if (!isHeld(schema, attributes, lists, described.key, value))
      apply(attributes, { operation: 'add', described, values: [value] }, lists);
  }
}

function isHeld(schema: Schema, attributes: Attributes, lists: EditedLists, key: string, value: Uint8Array): boolean {
  const list = lists.get(key);
  if (list === undefined) return (attributes.get(key)?.values ?? []).some((each) => isEqual(schema, key, each, value));
  const normal = list.attribute.rule.normalize(value);
  return normal !== undefined && list.attribute.holds(normal);
}

function holds(schema: Schema, rdn: Rdn, key: string, value: Uint8Array): boolean {
  return rdn.some((ava) => describe(schema, ava.type)?.key === key && isEqual(schema, key, ava.value, value));
}

function isEqual(schema: Schema, key: string, one: Uint8Array, other: Uint8Array): boolean {
  const rule = schema.attributeType(key)?.equality;
  const a = rule?.normalize(one);
  const b = rule?.normalize(other);
  return a !== undefined && b !== undefined && equalBytes(a, b);
}
