import { uuid4 } from '#base';
import { refuse } from '#catalogue';
import type { PartialAttribute, Request } from '#ldap';
import { type AttributeType, checkEntry, checkNotObsolete, collectAttributes, type Schema, typeOfKey } from '#schema';
import { noLists, type Snapshot, type StoredEntry } from '#store';
import type { Rights } from '../access/rights.ts';
import type { Call } from '../call.ts';
import { checkAssertion } from '../controls/assertion.ts';
import { checkModifiable, checkRelaxed, isRelaxed } from '../controls/relax.ts';
import { admit } from '../dynamic-entries.ts';
import { errors } from '../errors.ts';
import { absent, checkRealm } from '../lookup.ts';
import { supplyNaming } from '../naming.ts';
import { settleAgeOfNew } from '../password-age.ts';
import { type Name, nameOf, superiorOf } from '../realm.ts';
import { settleRealm } from '../realm-entries/rules.ts';
import { isRealmEntry, realmOf, settingsAt } from '../realms.ts';
import { type Attributes, readableOf, recordOf, stampNew } from '../record.ts';
import { checkRecoverySet } from '../recovery.ts';
import { giveNumbers, missingNumbers, type WantedNumber, withNumbers } from '../relations/numbers.ts';
import { checkSealable, sealAll } from '../sealing.ts';
import { isSubschema } from '../subschema/operations.ts';
import { findParent, taken } from '../superior.ts';
import { checkTask } from '../tasks/check.ts';
import { settleVerifiers } from '../verifiers.ts';
import { broughtBy, type Decide, type Decision, isHashed, type Prepared, passwordKey, prepareHashes, writerName } from '../write.ts';

type AddRequest = Request & { kind: 'addRequest' };

/**
 * Adds an entry below one that exists. Values of its name that it does not bring it is given.
 *
 * @throws Refusal  RFC 4511 §4.7: invalidDNSyntax, referral, noSuchObject, aliasProblem, unwillingToPerform, entryAlreadyExists,
 *                  insufficientAccessRights, and what the schema refuses
 */
export async function add(call: Call, request: AddRequest): Promise<Decide> {
  const { engine } = call;
  const { schema } = engine;
  const name = nameOf(schema, request.entry);
  if (isSubschema(name)) throw refuse(errors.entryExists);
  checkRealm(call, name);
  const attributes = collectAttributes(schema, request.attributes);
  const relaxed = isRelaxed(call);
  for (const key of attributes.keys()) {
    const type = typeFor(schema, key);
    if (type.singleValue && (attributes.get(key)?.values.length ?? 0) > 1) {
      throw refuse(errors.valueRefused, { attribute: type.name, why: 'multiple values provided' });
    }
    checkModifiable(type, relaxed, true);
    checkSealable(type, attributes.get(key)?.values ?? []);
    checkNotObsolete(type);
  }
  supplyNaming(schema, name, attributes);
  const given: Given = { name, attributes, types: [...attributes.keys()].map((key) => typeFor(schema, key)) };
  // Judged before anything is hashed: nobody makes the service work who may not write.
  if ([...attributes.keys()].some((key) => isHashed(typeOfKey(key)))) {
    if (call.queued === true) judgeRights(call, engine.store.snapshot(), given);
    else judgePlace(call, engine.store.snapshot(), given);
  }
  const brought = broughtBy(call, rightsOn(call, engine.store.snapshot(), given));
  withHashes(attributes, await prepareHashes(engine, brought, name, request.attributes));
  checkRecoverySet(attributes);
  const missing = missingNumbers(schema, attributes);
  withNumbers(attributes, missing);
  checkEntry(schema, { dn: name.dn, attributes });
  return (look) => decide(call, look(), given, missing);
}

/** What a request gives the entry that it makes. */
interface Given {
  readonly name: Name;
  readonly attributes: Attributes;
  /** Of the attributes that it gives itself: what the directory adds needs nobody's right. */
  readonly types: readonly AttributeType[];
}

function decide(call: Call, snapshot: Snapshot, given: Given, missing: readonly WantedNumber[]): Decision {
  const { engine, asker } = call;
  const { schema } = engine;
  const { name, attributes } = given;
  const parent = judgePlace(call, snapshot, given);
  checkTask(call, name, attributes, snapshot);
  const numbers = giveNumbers(engine, snapshot, missing, name.key);
  const csn = engine.csn.next();
  const uuid = uuidOf(call, snapshot, attributes);
  const made: Attributes = new Map(attributes);
  withNumbers(made, missing, numbers.given);
  settleRealm(schema, made);
  settleAgeOfNew(engine, made, made.get(passwordKey)?.values[0]);
  stampNew(schema, made, uuid, { csn, nowMs: engine.clock.nowMs(), by: writerName(engine, asker.identity) });
  admit(engine, settingsAt(engine, snapshot, name.key), made, parent);
  sealAll(engine, realmOf(engine, snapshot, name.key) ?? engine.realms.default, uuid, made);
  const entry = recordOf(schema, { uuid, parent: parent?.uuid, name, csn }, made);
  checkAssertion(call, snapshot, asker.rightsOnNew(name.key, { dn: name.dn, attributes: made }, snapshot), () =>
    readableOf({ ...entry, id: 0, large: noLists }),
  );
  const expected: Decision['expected'] = [
    { kind: 'absent', dnKey: name.key },
    ...(attributes.has('entryuuid') ? [{ kind: 'unused' as const, uuid }] : []),
    ...numbers.expected,
    ...(parent === undefined ? [] : [{ kind: 'unchanged' as const, uuid: parent.uuid, csn: parent.csn }]),
  ];
  return { target: uuid, line: numbers.line, expected, changes: [...numbers.changes, { kind: 'put', entry }] };
}

/** The entryUUID of a new entry: a relaxed request may bring it, if no other entry has it. */
function uuidOf({ engine }: Call, snapshot: Snapshot, attributes: Attributes): string {
  const given = attributes.get('entryuuid')?.values[0];
  if (given === undefined) return uuid4(engine.chance);
  const uuid = Buffer.from(given).toString('latin1').toLowerCase();
  if (snapshot.byUuid(uuid) !== undefined) throw refuse(errors.valueRefused, { attribute: 'entryUUID', why: 'another entry has it' });
  return uuid;
}

/**
 * Whether an entry of this name may be made here.
 *
 * @returns its superior; `undefined` for the entry at the suffix
 */
function judgePlace(call: Call, snapshot: Snapshot, given: Given): StoredEntry | undefined {
  const { engine, asker, controls } = call;
  const { name } = given;
  const { schema } = engine;
  const realm = realmOf(engine, snapshot, name.key);
  if (realm === undefined) throw absent(engine, asker, snapshot, name, { controls, changes: true });
  const isSuffix = name.key.length === realm.suffix.key.length;
  const superior = isSuffix ? undefined : superiorOf(schema, name);
  const parent = superior === undefined ? undefined : findParent(call, snapshot, name, superior);
  judgeRights(call, snapshot, given);
  const there = snapshot.byDnKey(name.key);
  if (there !== undefined && isRealmEntry(engine, snapshot, there)) throw refuse(errors.realmIdTaken);
  if (there !== undefined) throw taken(call, snapshot, there, name, false);
  return parent;
}

function judgeRights(call: Call, snapshot: Snapshot, given: Given): void {
  const rights = rightsOn(call, snapshot, given);
  if (!rights.mayAdd) throw refuse(errors.accessDenied, { why: 'an entry may not be added here' });
  const unwritable = given.types.find((type) => !rights.mayWrite(type));
  if (unwritable !== undefined) throw refuse(errors.accessDenied, { why: `${unwritable.name} may not be given to an entry here` });
  checkRelaxed(call, rights);
}

function rightsOn({ asker }: Call, snapshot: Snapshot, { name, attributes }: Given): Rights {
  return asker.rightsOnNew(name.key, { dn: name.dn, attributes }, snapshot);
}

/** Puts hashes in the place of the secrets that came in clear, and SCRAM verifiers beside them where the policy wants these. */
export function withHashes(attributes: Map<string, PartialAttribute>, prepared: Prepared): void {
  for (const [key, { description, values }] of attributes) {
    if (!isHashed(typeOfKey(key))) continue;
    attributes.set(key, { description, values: values.map((value) => prepared.stored.get(value) ?? value) });
  }
  settleVerifiers(attributes, undefined, attributes.get(passwordKey)?.values[0], prepared.verifiers);
}

function typeFor(schema: Schema, key: string) {
  const type = schema.attributeType(typeOfKey(key));
  if (type === undefined) throw refuse(errors.attributeUnknown, { attribute: key });
  return type;
}
