import { uuid4 } from '#base';
import { refuse } from '#catalogue';
import type { PartialAttribute, Request, Result } from '#ldap';
import { checkEntry, checkNotObsolete, collectAttributes, isWithin, type Schema, typeOfKey } from '#schema';
import type { Snapshot } from '#store';
import type { Call } from '../call.ts';
import { admit } from '../dynamic-entries.ts';
import { errors } from '../errors.ts';
import { absent } from '../lookup.ts';
import { type Name, nameOf, superiorOf } from '../realm.ts';
import { type Attributes, recordOf, stampNew } from '../record.ts';
import { giveNumbers, missingNumbers, withNumbers } from '../relations/numbers.ts';
import { done } from '../result.ts';
import { isSubschema } from '../subschema/operations.ts';
import { findParent, taken } from '../superior.ts';
import { settleVerifiers } from '../verifiers.ts';
import { checkSettable, commit, type Decision, type Prepared, passwordKey, preparePasswords, writerName } from '../write.ts';

type AddRequest = Request & { kind: 'addRequest' };

/**
 * Adds an entry below one that exists.
 *
 * @throws Refusal  RFC 4511 §4.7: invalidDNSyntax, referral, noSuchObject, aliasProblem, unwillingToPerform, entryAlreadyExists,
 *                  insufficientAccessRights, and what the schema refuses
 */
export async function add(call: Call, request: AddRequest): Promise<Result> {
  const { engine, asker } = call;
  const { schema } = engine;
  const name = nameOf(schema, request.entry);
  if (isSubschema(engine, name)) throw refuse(errors.entryExists);
  // Judged first, before anything is hashed: nobody makes the service work who may not write.
  judgePlace(call, engine.store.snapshot(), name);
  const attributes = collectAttributes(schema, request.attributes);
  for (const key of attributes.keys()) {
    const type = typeFor(schema, key);
    checkSettable(type);
    checkNotObsolete(type);
  }
  withPreparedPasswords(attributes, await preparePasswords(call, request.attributes));
  const missing = missingNumbers(schema, attributes);
  withNumbers(attributes, missing);
  checkEntry(schema, { dn: name.dn, attributes });

  await commit(engine, (snapshot) => {
    const parent = judgePlace(call, snapshot, name);
    const numbers = giveNumbers(engine, snapshot, missing);
    const csn = engine.csn.next();
    const uuid = uuid4(engine.chance);
    const made: Attributes = new Map(attributes);
    withNumbers(made, missing, numbers.given);
    stampNew(schema, made, uuid, { csn, nowMs: engine.clock.nowMs(), by: writerName(engine, asker.identity) });
    admit(engine, made, parent);
    const entry = recordOf(schema, { uuid, parent: parent?.uuid, name, csn }, made);
    const expected: Decision['expected'] = [
      { kind: 'absent', dnKey: name.key },
      ...numbers.expected,
      ...(parent === undefined ? [] : [{ kind: 'unchanged' as const, uuid: parent.uuid, csn: parent.csn }]),
    ];
    return { expected, changes: [...numbers.changes, { kind: 'put', entry }] };
  });
  return done;
}

/**
 * Whether an entry of this name may be made here.
 *
 * @returns its superior; `undefined` for the entry at the suffix
 */
function judgePlace(call: Call, snapshot: Snapshot, name: Name) {
  const { engine, asker } = call;
  const { schema, realm } = engine;
  if (!isWithin(name.key, realm.suffix.key)) throw absent(engine, asker, snapshot, name, { changes: true });
  const isSuffix = name.key.length === realm.suffix.key.length;
  const superior = isSuffix ? undefined : superiorOf(schema, name);
  const mayAdd = asker.rightsAt(name.key).mayAdd;
  const parent = superior === undefined ? undefined : findParent(call, snapshot, name, superior);
  if (!mayAdd) throw refuse(errors.accessDenied, { why: 'an entry may not be added here' });
  const there = snapshot.byDnKey(name.key);
  if (there !== undefined) throw taken(call, snapshot, there, name, false);
  return parent;
}

export function withPreparedPasswords(attributes: Map<string, PartialAttribute>, prepared: Prepared): void {
  for (const [key, { description, values }] of attributes) {
    if (typeOfKey(key) !== passwordKey) continue;
    attributes.set(key, { description, values: values.map((value) => prepared.stored.get(value) ?? value) });
  }
  settleVerifiers(attributes, undefined, attributes.get(passwordKey)?.values[0], prepared.verifiers);
}

function typeFor(schema: Schema, key: string) {
  const type = schema.attributeType(typeOfKey(key));
  if (type === undefined) throw refuse(errors.attributeUnknown, { attribute: key });
  return type;
}
