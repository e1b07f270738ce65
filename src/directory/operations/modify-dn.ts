import { concat, equalBytes } from '#base';
import { Refusal, refuse } from '#catalogue';
import { formatDn, parseRdn, type Rdn, type Request } from '#ldap';
import { checkModified, describe, isWithin, normalizeRdn, type Schema } from '#schema';
import type { Change, Expectation, Snapshot, StoredEntry } from '#store';
import type { Asker } from '../access/asker.ts';
import type { Call } from '../call.ts';
import { checkAssertion } from '../controls/assertion.ts';
import { checkRelaxed, isRelaxed } from '../controls/relax.ts';
import { checkPlace } from '../dynamic-entries.ts';
import { errors } from '../errors.ts';
import { changeOf, type EditedLists, editedLists, settleLists, withLists } from '../lists.ts';
import { checkRealm, find } from '../lookup.ts';
import { isEqual } from '../naming.ts';
import { type Name, nameOf, nameOfDn, superiorOf } from '../realm.ts';
import { areTogether, realmOf } from '../realms.ts';
import { type Attributes, attributesOf, readableOf, stampChanged } from '../record.ts';
import { type Moved, withReferences } from '../relations/references.ts';
import { stamped } from '../stamped.ts';
import { findNewSuperior, taken } from '../superior.ts';
import { isTask } from '../tasks/check.ts';
import { type Decide, type Decision, inSteps, type Look, writerName } from '../write.ts';
import { apply } from './changes.ts';
import { below } from './subtree.ts';

type ModifyDnRequest = Request & { kind: 'modifyDNRequest' };

/**
 * Gives an entry another name, another superior, or both; all below it goes with it.
 *
 * @throws Refusal  RFC 4511 §4.9: invalidDNSyntax, referral, noSuchObject, affectsMultipleDSAs, entryAlreadyExists, insufficientAccessRights;
 *                  adminLimitExceeded for a subtree that is too large
 */
export function modifyDn(call: Call, request: ModifyDnRequest): Decide {
  const { engine } = call;
  checkRealm(call, nameOf(engine.schema, request.entry));
  const rdn = parseRdn(request.newRdn);
  if (rdn === undefined || normalizeRdn(engine.schema, rdn) === undefined) throw refuse(errors.newRdnInvalid);
  const relaxed = isRelaxed(call);
  return (look) => {
    const renaming = renamingOf(call, look(), request, rdn);
    if (moves(renaming, look())) return withSubtree(call, look, renaming, relaxed);
    const decision = ownDecision(call, look(), renaming, relaxed);
    return withReferences(call, look, decision, [followed(renaming)], renaming.entry.dnKey);
  };
}

/** What a request wants, judged by one snapshot. */
interface Renaming {
  readonly request: ModifyDnRequest;
  readonly rdn: Rdn;
  readonly entry: StoredEntry;
  readonly name: Name;
  readonly target: Target;
  /** Below another superior. */
  readonly goesElsewhere: boolean;
}

interface Target {
  readonly name: Name;
  readonly superior: StoredEntry;
}

function renamingOf(call: Call, snapshot: Snapshot, request: ModifyDnRequest, rdn: Rdn): Renaming {
  const { engine, asker, controls } = call;
  const { entry, name, rights } = find(engine, asker, snapshot, request.entry, { controls, changes: true });
  checkAssertion(call, snapshot, rights, () => readableOf(entry));
  const target = targetOf(call, snapshot, name, rdn, request.newSuperior);
  checkRelaxed(call, rights);
  const old = request.deleteOldRdn ? (nameOf(engine.schema, entry.dn).dn[0] ?? []) : [];
  const naming = [...rdn, ...old].map(({ type }) => describe(engine.schema, type)?.type);
  if (!naming.every((type) => type !== undefined && rights.mayWrite(type)))
    throw refuse(errors.accessDenied, { why: 'this entry may not be renamed' });
  const goesElsewhere = target.superior.uuid !== entry.parent;
  if (goesElsewhere && !mayGo(asker, snapshot, entry, target.name.key))
    throw refuse(errors.accessDenied, { why: 'this entry may not be moved there' });
  const there = equalBytes(target.name.key, entry.dnKey) ? undefined : snapshot.byDnKey(target.name.key);
  if (there !== undefined) throw taken(call, snapshot, there, target.name, true);
  checkPlace(engine, entry, target.superior);
  return { request, rdn, entry, name, target, goesElsewhere };
}

/** Below another superior an entry goes away from where it is, and comes to where it will be. */
function mayGo(asker: Asker, snapshot: Snapshot, entry: StoredEntry, dnKey: Uint8Array): boolean {
  const { visible, mayDelete } = asker.rightsAt(entry, snapshot);
  return visible && mayDelete && asker.rightsUnder(dnKey, entry, snapshot).mayAdd;
}

/** Whether there are entries below it whose names change. */
function moves({ entry, target }: Renaming, snapshot: Snapshot): boolean {
  return snapshot.hasChildren(entry.uuid) && target.name.text !== entry.dn;
}

/** The change of the entry itself. */
function ownDecision(
  { engine, asker }: Call,
  snapshot: Snapshot,
  { request, rdn, entry, name, target }: Renaming,
  relaxed: boolean,
): Decision {
  const { schema } = engine;
  const old = attributesOf(schema, entry);
  if (target.superior.uuid !== entry.parent && isTask(old)) throw refuse(errors.taskFixed);
  const attributes: Attributes = new Map(old);
  const lists = editedLists(schema, snapshot, entry);
  const before = { dn: name.dn, attributes: withLists(old, lists) };
  if (request.deleteOldRdn) takeAway(schema, attributes, lists, nameOf(schema, entry.dn).dn[0] ?? [], rdn);
  putThere(schema, attributes, lists, rdn);
  checkModified(schema, before, { dn: target.name.dn, attributes: withLists(attributes, lists) }, relaxed);
  settleLists(schema, attributes, entry, lists);

  const csn = engine.csn.next();
  stampChanged(attributes, { csn, nowMs: engine.clock.nowMs(), by: writerName(engine, asker.identity) });
  const place = { uuid: entry.uuid, parent: target.superior.uuid, name: target.name, csn };
  const isMoved = !equalBytes(target.name.key, entry.dnKey);
  const hasChildren = snapshot.hasChildren(entry.uuid);
  const expected: Expectation[] = [
    { kind: 'unchanged', uuid: entry.uuid, csn: entry.csn },
    { kind: 'unchanged', uuid: target.superior.uuid, csn: target.superior.csn },
    ...(hasChildren ? [] : [{ kind: 'childless' as const, uuid: entry.uuid }]),
    ...(isMoved ? [{ kind: 'absent' as const, dnKey: target.name.key }] : []),
  ];
  const { change, listedOctets, whole } = changeOf(schema, place, attributes, lists, entry);
  return { target: entry.uuid, expected, changes: [change], before: entry, listedOctets, whole };
}

/** The same with all that is below it. */
function* withSubtree(call: Call, look: Look, renaming: Renaming, relaxed: boolean): Generator<undefined, Decision> {
  const { engine, asker } = call;
  // Where it was and where it comes.
  const assertions = renaming.goesElsewhere ? 2 * asker.assertionsOn(renaming.entry.dnKey, look()) : 0;
  const { each, expected } = yield* below(call, look, renaming.entry, assertions, (entry, snapshot) =>
    moved(call, renaming, entry, snapshot),
  );
  // By now the entry itself may be another, or stand elsewhere: then what is expected of it does not hold, and all is decided again.
  const own = ownDecision(call, look(), renaming, relaxed);
  const changes = stamped(
    each.map(({ change }) => change),
    engine.csn,
  );
  const decision = { ...own, expected: [...own.expected, ...expected], changes: [...own.changes, ...changes] };
  const all = [followed(renaming), ...each.map(({ from }) => from)];
  return yield* inSteps(withReferences(call, look, decision, all, renaming.entry.dnKey));
}

/** The entry itself, for those that name it. */
function followed({ entry: { dn, dnKey }, target }: Renaming): Moved {
  return { dn, dnKey, to: target.name };
}

/** An entry below one that moves, and what those that name it are to know. */
interface MovedEntry {
  readonly change: Change;
  readonly from: Moved;
}

/** An entry below one that moves: its name begins as before and ends as the new superior's, and nothing else of it changes but its CSN. */
function moved({ engine, asker }: Call, renamed: Renaming, entry: StoredEntry, snapshot: Snapshot): { kept: MovedEntry; octets: number } {
  const { entry: base, target } = renamed;
  const { uuid, parent, csn, user, secret, large } = entry;
  const dnKey = concat([target.name.key, entry.dnKey.subarray(base.dnKey.length)]);
  if (renamed.goesElsewhere && !mayGo(asker, snapshot, entry, dnKey))
    throw refuse(errors.accessDenied, { why: 'an entry below it may not be moved there' });
  const own = nameOf(engine.schema, entry.dn).dn;
  const dn = formatDn([...own.slice(0, own.length - renamed.name.dn.length), ...target.name.dn]);
  // A copy: its CSN is written into it when it is committed.
  const operational = new Uint8Array(entry.operational);
  const record = { uuid, parent, dn, dnKey, csn, user, operational, secret };
  const lists = large.map(({ attribute, description }) => ({ attribute, description, removed: [], added: [] }));
  const change: Change = large.length === 0 ? { kind: 'put', entry: record } : { kind: 'amend', entry: record, lists };
  const from: Moved = { dn: entry.dn, dnKey: entry.dnKey, to: { dn: [], text: dn, key: dnKey } };
  return { kept: { change, from }, octets: user.length + operational.length + secret.length };
}

/** The new name and the superior under which it stands. */
function targetOf(call: Call, snapshot: Snapshot, name: Name, rdn: Rdn, newSuperior: string | undefined): Target {
  const { engine } = call;
  const { schema } = engine;
  const realm = realmOf(engine, snapshot, name.key);
  if (realm === undefined || name.key.length === realm.suffix.key.length)
    throw refuse(errors.superiorUnfit, { why: 'the entry of a suffix cannot be renamed' });
  const wanted = newSuperior === undefined ? superiorOf(schema, name) : nameOf(schema, newSuperior);
  if (wanted === undefined || isWithin(wanted.key, name.key))
    throw refuse(errors.superiorUnfit, { why: 'cannot place an entry below itself' });
  if (!areTogether(engine, snapshot, wanted.key, name.key)) throw refuse(errors.superiorElsewhere);
  const superior = newSuperiorOf(call, snapshot, wanted);
  const target = nameOfDn(schema, [rdn, ...nameOf(schema, superior.dn).dn]);
  // It may be the suffix of another realm, or would stand within one.
  if (!areTogether(engine, snapshot, target.key, name.key)) throw refuse(errors.superiorElsewhere);
  const isFrame = [realm.people, realm.groups, realm.rules].some(({ key }) => equalBytes(key, name.key));
  if (isFrame && !equalBytes(target.key, name.key)) {
    throw refuse(errors.superiorUnfit, { why: 'people, groups and rules of access stand where the directory looks for them' });
  }
  return { name: target, superior };
}

/** slapd names no superior of a new superior that is not there. */
function newSuperiorOf(call: Call, snapshot: Snapshot, wanted: Name): StoredEntry {
  try {
    return findNewSuperior(call, snapshot, wanted);
  } catch (error) {
    throw error instanceof Refusal && error.row === errors.entryAbsent ? refuse(errors.superiorAbsent) : error;
  }
}

/** Values of the old RDN go, but for those that the new one has too. */
function takeAway(schema: Schema, attributes: Attributes, lists: EditedLists, old: Rdn, rdn: Rdn): void {
  for (const { type, value } of old) {
    const described = describe(schema, type);
    if (described === undefined) continue;
    // In another writing it is another value: the new one takes its place, as with slapd.
    const { key } = described;
    const isWanted = (each: Uint8Array) => rdn.some((ava) => describe(schema, ava.type)?.key === key && equalBytes(ava.value, each));
    if ((attributes.get(key)?.values ?? []).some((each) => isEqual(schema, key, each, value) && isWanted(each))) continue;
    if (isHeld(schema, attributes, lists, described.key, value))
      apply(attributes, { operation: 'delete', described, values: [value] }, false, lists);
  }
}

function putThere(schema: Schema, attributes: Attributes, lists: EditedLists, rdn: Rdn): void {
  for (const { type, value } of rdn) {
    const described = describe(schema, type);
    if (described === undefined) throw refuse(errors.attributeUnknown, { attribute: type });
    if (!isHeld(schema, attributes, lists, described.key, value))
      apply(attributes, { operation: 'add', described, values: [value] }, false, lists);
  }
}

function isHeld(schema: Schema, attributes: Attributes, lists: EditedLists, key: string, value: Uint8Array): boolean {
  const list = lists.get(key);
  if (list === undefined) return (attributes.get(key)?.values ?? []).some((each) => isEqual(schema, key, each, value));
  const normal = list.attribute.rule.normalize(value);
  return normal !== undefined && list.attribute.holds(normal);
}
