import { equalBytes } from '#base';
import { refuse } from '#catalogue';
import type { Modification, Request } from '#ldap';
import { checkModified, checkNotObsolete, type Described, describe, isLanguageRange, type Schema, typeOfKey } from '#schema';
import type { Expectation, Snapshot, StoredEntry } from '#store';
import type { Rights } from '../access/rights.ts';
import { counted } from '../attempts.ts';
import type { Call } from '../call.ts';
import { checkAssertion } from '../controls/assertion.ts';
import { permissiveModify } from '../controls/permissive-modify.ts';
import { checkModifiable, checkRelaxed, isRelaxed } from '../controls/relax.ts';
import { becomeHolder } from '../credential-holder.ts';
import { checkStays } from '../dynamic-entries.ts';
import { errors } from '../errors.ts';
import { changeOf, editedLists, settleLists, withLists } from '../lists.ts';
import { checkRealm, type Found, find } from '../lookup.ts';
import { settleAge } from '../password-age.ts';
import { checkHistory, settleHistory } from '../password-rules.ts';
import { nameOf } from '../realm.ts';
import { realmOf } from '../realms.ts';
import { type Attributes, attributesOf, readableOf, stampChanged, stampClass } from '../record.ts';
import { checkRecoverySet } from '../recovery.ts';
import { giveNumbers, missingNumbers, withNumbers } from '../relations/numbers.ts';
import { checkSealable, sealedSteps, settleTotp } from '../sealing.ts';
import { isSubschema } from '../subschema/operations.ts';
import { checkTaskStays } from '../tasks/check.ts';
import { settleVerifiers, type Verifiers } from '../verifiers.ts';
import { broughtBy, type Decide, type Decision, isHashed, namesPassword, passwordKey, prepareHashes, writerName } from '../write.ts';
import { apply, checkStep, type Step } from './changes.ts';
import { checkedSteps, type Draft, drafted, isMany, type ManyStep } from './many.ts';

type ModifyRequest = Request & { kind: 'modifyRequest' };

/** Judges whether changes may be made with some rights. @throws Refusal `accessDenied` (50), as a rule */
export type Permit = (rights: Rights, steps: readonly Step[]) => void;

/** A request as it is made, each time that it is decided. */
interface Prepared {
  readonly request: ModifyRequest;
  readonly steps: readonly Step[];
  readonly verifiers: Verifiers;
  readonly relaxed: boolean;
  readonly permissive: boolean;
  readonly permit: Permit;
  /** What many values have made of the entry already. */
  readonly draft?: Draft;
}

/**
 * Changes an entry: all changes in order, or none.
 *
 * @param permit  judges whether the changes may be made; by default the rights on the entry do
 * @throws Refusal  RFC 4511 §4.6: referral, noSuchObject, insufficientAccessRights, and what the changes and the schema refuse
 */
export function modify(call: Call, request: ModifyRequest, permit: Permit = judgeRights): Decide | Promise<Decide> {
  const { schema } = call.engine;
  const name = nameOf(schema, request.object);
  if (isSubschema(name)) throw refuse(errors.subschemaFixed, { why: 'the schema is changed by itself, in no transaction' });
  checkRealm(call, name);
  const relaxed = isRelaxed(call);
  const steps = request.changes.map((change) => stepOf(schema, change, relaxed));
  const given: Prepared = { request, steps, verifiers: none, relaxed, permissive: call.controls.has(permissiveModify), permit };
  const many = steps.some(isMany);
  if (!steps.some(isHashedStep)) return many ? decideInTurns(call, given) : (look) => decide(call, look(), given);
  if (many) for (const step of steps) if (isMany(step)) checkStep(step);
  return readyHashes(call, given).then((ready) => (look) => decide(call, look(), ready));
}

const none: Verifiers = new Map();

function decide(call: Call, snapshot: Snapshot, prepared: Prepared): Decision {
  const { engine, asker } = call;
  const { schema } = engine;
  const { steps, relaxed, permissive, verifiers, draft } = prepared;
  const { entry, name } = judged(call, snapshot, prepared);
  const old = draft?.old ?? attributesOf(schema, entry);
  const attributes = draft?.attributes ?? new Map(old);
  const lists = draft?.lists ?? editedLists(schema, snapshot, entry);
  const before = { dn: name.dn, attributes: draft?.before ?? withLists(old, lists) };
  if (draft === undefined) for (const step of sealedSteps(engine, snapshot, entry, steps)) apply(attributes, step, permissive, lists);
  becomeHolder(attributes, old);
  const [password, ...others] = attributes.get(passwordKey)?.values ?? [];
  if (others.length > 0) throw refuse(errors.valueRefused, { attribute: 'userPassword', why: 'it has one value at most' });
  const set = { was: old.get(passwordKey)?.values[0], is: password, byOwner: entry.uuid === asker.identity.uuid };
  settleVerifiers(attributes, set.was, password, verifiers);
  const home = realmOf(engine, snapshot, name.key) ?? engine.realms.default;
  settleHistory(engine, snapshot, home, attributes, set.was, password);
  settleAge(engine, snapshot, home, attributes, old, set);
  settleTotp(engine, entry.uuid, old, attributes);
  checkRecoverySet(attributes);
  const numbers = numbersFor(call, snapshot, steps, old, attributes, entry);
  checkStays(schema, old, attributes);
  checkTaskStays(old, attributes);
  checkModified(schema, before, { dn: name.dn, attributes: draft?.after() ?? withLists(attributes, lists) }, relaxed);
  settleLists(schema, attributes, entry, lists);
  const csn = engine.csn.next();
  const given = relaxed ? new Set(steps.map(({ described }) => described.key)) : undefined;
  stampChanged(attributes, { csn, nowMs: engine.clock.nowMs(), by: writerName(engine, asker.identity) }, given);
  if (relaxed) stampClass(schema, attributes);
  const place = { uuid: entry.uuid, parent: entry.parent, name: { ...name, text: entry.dn }, csn };
  const { change, listedOctets, whole } = changeOf(schema, place, attributes, lists, entry);
  const expected: Expectation[] = [{ kind: 'unchanged', uuid: entry.uuid, csn: entry.csn }, ...numbers.expected];
  const changes = [...numbers.changes, change];
  const touched = touchedTypes(old, attributes, steps);
  return { target: entry.uuid, line: numbers.line, expected, changes, before: entry, listedOctets, whole, touched };
}

/** How often an entry may be changed in a pause before its changes are made in one turn. */
const restartsMax = 3;

/** The same with many values: they are looked at with pauses, and when the entry is another then, again. */
function decideInTurns(call: Call, given: Prepared): Decide {
  let checked: readonly ManyStep[] | undefined;
  return function* (look) {
    checked ??= yield* checkedSteps(given.steps);
    for (let at = 0; at < restartsMax; at++) {
      const { entry } = judged(call, look(), given);
      const draft = yield* drafted(call, look, entry, sealedSteps(call.engine, look(), entry, checked), given.permissive);
      if (draft !== undefined) return decide(call, look(), { ...given, draft });
    }
    return decide(call, look(), given);
  };
}

/** Those whose attributes are others than they were, and those of lists that a step names: these stand beside the attributes. */
function touchedTypes(old: Attributes, now: Attributes, steps: readonly Step[]): ReadonlySet<string> {
  const touched = new Set(steps.map(({ described }) => described.type.key));
  for (const [key, attribute] of now) if (old.get(key) !== attribute) touched.add(typeOfKey(key));
  for (const key of old.keys()) if (!now.has(key)) touched.add(typeOfKey(key));
  return touched;
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
  const isOther =
    steps.some(({ described }) => described.type.key === 'objectclass') &&
    !equalBytes(dnKey, realmOf(engine, snapshot, dnKey)?.suffix.key ?? dnKey);
  const missing = isOther ? missingNumbers(engine.schema, attributes, old) : [];
  const numbers = giveNumbers(engine, snapshot, missing, dnKey);
  withNumbers(attributes, missing, numbers.given);
  return numbers;
}

function isHashedStep({ described }: Step): boolean {
  return isHashed(described.type.key);
}

/** Hashes what is to be hashed. Judged first: nobody makes the service work who may not write. */
async function readyHashes(call: Call, prepared: Prepared): Promise<Prepared> {
  const { engine, asker, queued } = call;
  const { request, steps, permit } = prepared;
  const snapshot = engine.store.snapshot();
  const name = nameOf(engine.schema, request.object);
  // The entry may be one that its own transaction makes: then only rights can be judged yet.
  const early = queued === true ? snapshot.byDnKey(name.key) : judged(call, snapshot, prepared).entry;
  const rights = early === undefined ? asker.rightsOnName(name.key, snapshot) : asker.rightsAt(early, snapshot);
  permit(rights, steps);
  const brought = request.changes.filter(({ operation }) => operation === 'add' || operation === 'replace');
  const hashes = await prepareHashes(
    engine,
    broughtBy(call, rights),
    name,
    brought.map(({ attribute }) => attribute),
  );
  if (early !== undefined && !prepared.relaxed) await checkLast(call, early, brought);
  const ready = await Promise.all(steps.map((step) => prepare(call, step, hashes.stored, early)));
  return { ...prepared, steps: ready, verifiers: hashes.verifiers };
}

/**
 * Nobody sets one of the last passwords, their own or another's, but with the relax control.
 *
 * @see specification document 1, "Password policy": enforced wherever a password is set
 */
async function checkLast(call: Call, entry: StoredEntry, brought: ModifyRequest['changes']): Promise<void> {
  const { engine, asker } = call;
  for (const { attribute } of brought) {
    if (describe(engine.schema, attribute.description)?.type.key !== passwordKey) continue;
    const realm = realmOf(engine, engine.store.snapshot(), entry.dnKey) ?? engine.realms.default;
    const { dn } = asker.identity;
    const asking = dn === undefined ? undefined : realmOf(engine, engine.store.snapshot(), nameOf(engine.schema, dn).key);
    for (const value of attribute.values) {
      const judge = () => checkHistory(engine, realm, entry, value);
      // To be told that it is one of them is to have guessed it: whoever asks does so no oftener than they could try to sign in. The operators' socket has no name.
      await (dn === undefined ? judge() : counted(call, { realm: asking ?? engine.realms.default, dn }, judge));
    }
  }
}

function stepOf(schema: Schema, { operation, attribute }: Modification, relaxed: boolean): Step {
  const described: Described | undefined = describe(schema, attribute.description);
  // RFC 3866 §2.2: a range names no attribute that could be written.
  if (described === undefined || described.options.some(isLanguageRange))
    throw refuse(errors.attributeUnknown, { attribute: attribute.description });
  const step = { operation, described, values: attribute.values };
  // Many are checked with pauses.
  if (!isMany(step)) checkStep(step);
  checkModifiable(described.type, relaxed, false);
  checkSealable(described.type, attribute.values);
  if (operation !== 'delete' && attribute.values.length > 0) checkNotObsolete(described.type);
  return step;
}

function judged(call: Call, snapshot: Snapshot, { request, steps, permit }: Prepared): Found {
  const { engine, asker, controls } = call;
  const found = find(engine, asker, snapshot, request.object, { controls, changes: true });
  checkAssertion(call, snapshot, found.rights, () => readableOf(found.entry));
  permit(found.rights, steps);
  checkRelaxed(call, found.rights);
  return found;
}

function judgeRights(rights: Rights, steps: readonly Step[]): void {
  for (const { described } of steps) {
    if (!rights.mayWrite(described.type))
      throw described.type.key === passwordKey
        ? refuse(errors.passwordFixed)
        : refuse(errors.accessDenied, { why: `${described.description} may not be changed` });
  }
}

/** Puts hashes in the place of clear secrets: those to be stored, and the one that a delete names by its clear text. */
async function prepare(
  { engine }: Call,
  step: Step,
  prepared: ReadonlyMap<Uint8Array, Uint8Array>,
  entry: StoredEntry | undefined,
): Promise<Step> {
  const { described } = step;
  if (!isHashedStep(step)) return step;
  if (step.operation !== 'delete') return { ...step, values: step.values.map((value) => prepared.get(value) ?? value) };
  if (described.type.key !== passwordKey) return step;
  const stored = entry && attributesOf(engine.schema, entry).get(passwordKey)?.values[0];
  const values: Uint8Array[] = [];
  for (const value of step.values) {
    values.push(stored !== undefined && (await namesPassword(engine, value, stored)) ? stored : value);
  }
  return { ...step, values };
}
