import { refuse } from '#catalogue';
import type { Request } from '#ldap';
import type { Change, Expectation, Snapshot, StoredEntry } from '#store';
import type { Call } from '../call.ts';
import { checkAssertion } from '../controls/assertion.ts';
import { checkRelaxed, isRelaxed } from '../controls/relax.ts';
import { treeDelete } from '../controls/tree-delete.ts';
import { errors } from '../errors.ts';
import { dropped } from '../large.ts';
import { tombstoneFor } from '../life/tombstones.ts';
import { checkRealm, type Found, find } from '../lookup.ts';
import { nameOf } from '../realm.ts';
import { realmOf } from '../realms.ts';
import { readableOf } from '../record.ts';
import { type Moved, withReferences } from '../relations/references.ts';
import { type Decide, type Decision, inSteps, type Look } from '../write.ts';
import { below } from './subtree.ts';

type DeleteRequest = Request & { kind: 'delRequest' };

/**
 * Deletes an entry that has none below it, or one with all below it.
 *
 * @param isDue  asked for the entry as it is committed: false is refused as `contended`
 * @throws Refusal  RFC 4511 §4.8: referral, noSuchObject, insufficientAccessRights, notAllowedOnNonLeaf; adminLimitExceeded for a subtree that is too large
 */
export function remove(call: Call, request: DeleteRequest, isDue: (entry: StoredEntry) => boolean = () => true): Decide {
  const { engine, controls } = call;
  isRelaxed(call);
  checkRealm(call, nameOf(engine.schema, request.entry));
  return (look) => {
    const snapshot = look();
    const found = judged(call, snapshot, request);
    if (!isDue(found.entry)) throw refuse(errors.contended);
    if (snapshot.hasChildren(found.entry.uuid)) {
      if (!controls.has(treeDelete)) throw refuse(errors.entryHasSubordinates);
      return removeAll(call, look, found);
    }
    const steps = removeOne(call, look, found);
    const first = steps.next();
    return first.done === true ? first.value : goOn(steps);
  };
}

function* goOn(steps: Generator<undefined, Decision>): Generator<undefined, Decision> {
  yield;
  return yield* steps;
}

function* removeOne(call: Call, look: Look, { entry }: Found): Generator<undefined, Decision> {
  const { engine } = call;
  const { uuid, csn, dn, dnKey } = entry;
  const kept = yield* tombstoneFor(call, look, entry);
  const gone: Change = { kind: 'delete', uuid, csn: engine.csn.next(), ...dropped(entry) };
  const decision: Decision = {
    target: uuid,
    expected: [{ kind: 'unchanged', uuid, csn }, { kind: 'childless', uuid }, ...(kept?.expected ?? [])],
    changes: kept === undefined ? [gone] : [gone, kept.make()],
  };
  return yield* inSteps(withReferences(call, look, decision, [{ dn, dnKey, to: undefined }], dnKey));
}

function judged(call: Call, snapshot: Snapshot, request: DeleteRequest): Found {
  const { engine, asker, controls } = call;
  const found = find(engine, asker, snapshot, request.entry, { controls, changes: true });
  checkAssertion(call, snapshot, found.rights, () => readableOf(found.entry));
  checkRelaxed(call, found.rights);
  if (!found.rights.mayDelete) throw refuse(errors.accessDenied, { why: 'this entry may not be deleted' });
  return found;
}

function withoutPause<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** What is below an entry goes before it: nobody who follows the changes ever sees an entry without its superior. */
function* removeAll(call: Call, look: Look, { entry }: Found): Generator<undefined, Decision> {
  const { engine, asker } = call;
  // With a whole realm goes what is kept of its people, too.
  const isWhole = realmOf(engine, look(), entry.dnKey)?.suffix.key.length === entry.dnKey.length;
  const own = isWhole ? undefined : yield* tombstoneFor(call, look, entry);
  const { each, expected } = yield* below(call, look, entry, asker.assertionsOn(entry.dnKey, look()), (under, snapshot) => {
    const { dn, dnKey, uuid, large } = under;
    const { visible, mayDelete } = asker.rightsAt(under, snapshot);
    if (!visible || !mayDelete) throw refuse(errors.accessDenied, { why: 'an entry below it may not be deleted' });
    const kept = isWhole ? undefined : withoutPause(tombstoneFor(call, () => snapshot, under));
    return { kept: { uuid, dn, dnKey, large, kept }, octets: kept === undefined ? 0 : under.user.length + under.operational.length };
  });
  const self: Expectation = { kind: 'unchanged', uuid: entry.uuid, csn: entry.csn };
  const all = [entry, ...each];
  const kept = [own, ...each.map((under) => under.kept)].filter((stone) => stone !== undefined);
  const decision: Decision = {
    target: entry.uuid,
    expected: [self, ...expected, ...kept.flatMap((stone) => stone.expected)],
    changes: [
      ...all.toReversed().map((each): Change => ({ kind: 'delete', uuid: each.uuid, csn: engine.csn.next(), ...dropped(each) })),
      ...kept.map((stone) => stone.make()),
    ],
  };
  const gone = all.map(({ dn, dnKey }): Moved => ({ dn, dnKey, to: undefined }));
  return yield* inSteps(withReferences(call, look, decision, gone, entry.dnKey));
}
