import { refuse } from '#catalogue';
import { decodeAttributes, type PartialAttribute, type Request, type Result, resultCodes } from '#ldap';
import { compileFilter, describe } from '#schema';
import type { Snapshot } from '#store';
import type { Call } from '../call.ts';
import { checkAssertion } from '../controls/assertion.ts';
import { errors } from '../errors.ts';
import { largeAttribute } from '../large.ts';
import { findNamed } from '../lookup.ts';
import { nameOf } from '../realm.ts';
import { readableOf } from '../record.ts';
import { createWorking, type Working } from '../search/computed.ts';
import { compareSubschema, isSubschema } from '../subschema/operations.ts';

type CompareRequest = Request & { kind: 'compareRequest' };

/**
 * Says whether an entry has a value.
 *
 * @throws Refusal  RFC 4511 §4.10: referral, noSuchObject, undefinedAttributeType, noSuchAttribute, inappropriateMatching, invalidAttributeSyntax;
 *                  insufficientAccessRights for what the asker may not read, secrets above all
 */
export async function compare(call: Call, request: CompareRequest): Promise<Result> {
  const { engine, asker, controls } = call;
  const { schema, store } = engine;
  const asked = nameOf(schema, request.entry);
  if (isSubschema(asked)) return compareSubschema(call, request);
  const snapshot = store.snapshot();
  const { entry, name, rights } = findNamed(engine, asker, snapshot, asked, { controls });
  const described = describe(schema, request.description);
  if (described === undefined) throw refuse(errors.attributeUnknown, { attribute: request.description });
  const { type, description } = described;
  checkAssertion(call, snapshot, rights, () => readableOf(entry));
  if (!rights.mayCompare(type)) throw refuse(errors.accessDenied, { why: `${description} may not be compared` });
  if (type.equality === undefined) throw refuse(errors.matchingInappropriate, { attribute: description });
  if (type.equality.assertion(request.value) === undefined) {
    throw refuse(errors.valueUnfit, { attribute: description, why: `the value does not fit ${type.syntax.name}` });
  }

  const attributes = new Map<string, PartialAttribute>();
  for (const attribute of [...decodeAttributes(entry.user), ...decodeAttributes(entry.operational)]) {
    const own = describe(schema, attribute.description);
    if (own !== undefined && rights.mayCompare(own.type)) attributes.set(own.key, attribute);
  }
  for (const list of entry.large) {
    const own = describe(schema, list.description);
    if (own !== undefined && rights.mayCompare(own.type)) attributes.set(own.key, largeAttribute(schema, snapshot, entry.id, list));
  }
  const working = createWorking(call);
  const worked =
    working.askedOf(type, entry, snapshot) ?? (type.key === 'member' ? dynamicMembers(working, entry.id, snapshot) : undefined);
  if (worked !== undefined) attributes.set(type.key, worked);
  const ask = (filter: Parameters<typeof compileFilter>[1]) => compileFilter(schema, filter)({ dn: name.dn, attributes });
  const [isEqual, isPresent] = [ask({ kind: 'equality', description, value: request.value }), ask({ kind: 'present', description })];
  await store.durable(snapshot.number);
  if (isEqual === true) return { ...neither, code: resultCodes.compareTrue };
  if (isPresent !== true) throw refuse(errors.comparedAbsent);
  return { ...neither, code: resultCodes.compareFalse };
}

const neither = { matchedDN: '', diagnostic: '' };

/** A comparison asks a group for members that are found by searches, too. */
function dynamicMembers(working: Working, id: number, snapshot: Snapshot) {
  const group = snapshot.readable(id);
  return group && working.membersAsked(group, snapshot);
}
