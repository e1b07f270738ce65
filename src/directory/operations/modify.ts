import { equalBytes } from '#base';
import { refuse } from '#catalogue';
import type { Modification, Request, Result } from '#ldap';
import { checkModified, checkNotObsolete, type Described, describe, type Schema } from '#schema';
import type { Expectation, Snapshot, StoredEntry } from '#store';
import type { Call } from '../call.ts';
import { checkStays } from '../dynamic-entries.ts';
import { errors } from '../errors.ts';
import { changeOf, editedLists, settleLists, withLists } from '../lists.ts';
import { find, findNamed } from '../lookup.ts';
import { nameOf } from '../realm.ts';
import { type Attributes, attributesOf, recordOf, stampChanged } from '../record.ts';
import { giveNumbers, missingNumbers, withNumbers } from '../relations/numbers.ts';
import { done } from '../result.ts';
import { isSubschema, modifySubschema } from '../subschema/operations.ts';
import { settleVerifiers, type Verifiers } from '../verifiers.ts';
import { checkSettable, commit, namesPassword, type Prepared, passwordKey, preparePasswords, writerName } from '../write.ts';
import { apply, type Step } from './changes.ts';

const none: Verifiers = new Map();

type ModifyRequest = Request & { kind: 'modifyRequest' };

/**
 * Changes an entry: all changes in order, or none.
 *
 * @param permit  judges whether the steps may be made; by default the rights on the entry do
 * @throws Refusal  RFC 4511 §4.6: referral, noSuchObject, insufficientAccessRights, and what the changes and the schema refuse
 */
export async function modify(call: Call, request: ModifyRequest, permit = judge): Promise<Result> {
  const { engine, asker, controls } = call;
  const { schema } = engine;
  const name = nameOf(schema, request.object);
  if (isSubschema(engine, name)) return await modifySubschema(call, request);
  const steps = request.changes.map((change) => stepOf(schema, change));
  const { ready, verifiers } = steps.some(isPassword)
    ? await readyPasswords(call, request, steps, permit)
    : { ready: steps, verifiers: none };

  await commit(engine, (snapshot) => {
    const { entry, rights } = findNamed(engine, asker, snapshot, name, { controls, changes: true });
    permit(rights, steps);
    const old = attributesOf(schema, entry);
    const attributes = new Map(old);
    const lists = editedLists(schema, snapshot, entry);
    const before = { dn: name.dn, attributes: withLists(old, lists) };
    for (const step of ready) apply(attributes, step, lists);
    const [password, ...others] = attributes.get(passwordKey)?.values ?? [];
    if (others.length > 0) throw refuse(errors.valueRefused, { attribute: 'userPassword', why: 'it has one value at most' });
    settleVerifiers(attributes, old.get(passwordKey)?.values[0], password, verifiers);
    const numbers = numbersFor(call, snapshot, steps, old, attributes, entry);
    checkStays(schema, old, attributes);
    checkModified(schema, before, { dn: name.dn, attributes: withLists(attributes, lists) });
    settleLists(schema, attributes, entry, lists);
    const csn = engine.csn.next();
    stampChanged(attributes, { csn, nowMs: engine.clock.nowMs(), by: writerName(engine, asker.identity) });
    const place = { uuid: entry.uuid, parent: entry.parent, name: { ...name, text: entry.dn }, csn };
    const { change, listedOctets } = changeOf(recordOf(schema, place, attributes), lists);
    const expected: Expectation[] = [{ kind: 'unchanged', uuid: entry.uuid, csn: entry.csn }, ...numbers.expected];
    return { expected, changes: [...numbers.changes, change], listedOctets, before: entry };
  });
  return done;
}

/** An entry that becomes an account or a group of Unix is given the numbers that it lacks. */
function numbersFor(
  { engine }: Call,
  snapshot: Snapshot,
  steps: readonly Step[],
  old: Attributes,
  attributes: Attributes,
  { dnKey }: StoredEntry,
) {
  const isOther = steps.some(({ described }) => described.type.key === 'objectclass') && !equalBytes(dnKey, engine.realm.suffix.key);
  const missing = isOther ? missingNumbers(engine.schema, attributes, old) : [];
  const numbers = giveNumbers(engine, snapshot, missing);
  withNumbers(attributes, missing, numbers.given);
  return numbers;
}

function isPassword({ described }: Step): boolean {
  return described.type.key === passwordKey;
}

/** Hashes what is to be hashed. Judged first: nobody makes the service work who may not write. */
async function readyPasswords(call: Call, request: ModifyRequest, steps: readonly Step[], permit: typeof judge) {
  const { engine, asker, controls } = call;
  const before = find(engine, asker, engine.store.snapshot(), request.object, { controls, changes: true });
  permit(before.rights, steps);
  const brought = request.changes.filter(({ operation }) => operation === 'add' || operation === 'replace');
  const prepared = await preparePasswords(
    call,
    brought.map(({ attribute }) => attribute),
  );
  const ready = await Promise.all(steps.map((step) => prepare(call, step, prepared, before.entry)));
  return { ready, verifiers: prepared.verifiers };
}

function stepOf(schema: Schema, { operation, attribute }: Modification): Step {
  const described: Described | undefined = describe(schema, attribute.description);
  if (described === undefined) throw refuse(errors.attributeUnknown, { attribute: attribute.description });
  checkSettable(described.type);
  if (operation !== 'delete' && attribute.values.length > 0) checkNotObsolete(described.type);
  return { operation, described, values: attribute.values };
}

function judge(rights: ReturnType<typeof find>['rights'], steps: readonly Step[]): void {
  for (const { described } of steps) {
    if (!rights.mayWrite(described.type)) throw refuse(errors.accessDenied, { why: `${described.description} may not be changed` });
  }
}

/** Puts hashes in the place of clear passwords: those to be stored, and the one that a delete names by its clear text. */
async function prepare(
  { engine }: Call,
  step: Step,
  { stored: hashes }: Prepared,
  entry: Parameters<typeof attributesOf>[1],
): Promise<Step> {
  if (!isPassword(step)) return step;
  if (step.operation !== 'delete') return { ...step, values: step.values.map((value) => hashes.get(value) ?? value) };
  const stored = attributesOf(engine.schema, entry).get(passwordKey)?.values[0];
  const values: Uint8Array[] = [];
  for (const value of step.values) {
    values.push(stored !== undefined && (await namesPassword(engine, value, stored)) ? stored : value);
  }
  return { ...step, values };
}
