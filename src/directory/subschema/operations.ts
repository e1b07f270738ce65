import { equalBytes, utf8 } from '#base';
import { refuse } from '#catalogue';
import { decodeAttributes, type Filter, type PartialAttribute, type Request, type Result, resultCodes } from '#ldap';
import { compileFilter, describe, subschemaAttributes } from '#schema';
import type { Call } from '../call.ts';
import { assertion } from '../controls/assertion.ts';
import { postRead, preRead } from '../controls/read-entry.ts';
import { generalizedTime } from '../csn.ts';
import { errors } from '../errors.ts';
import { type Name, subschemaDn } from '../realm.ts';
import { done } from '../result.ts';
import { writerName } from '../write.ts';
import { subschemaClasses, subschemaKey } from './stored.ts';

/** Whether a name is that of the subschema subentry (RFC 4512 §4.2), which is no entry of the tree. */
export function isSubschema(name: Name): boolean {
  return equalBytes(name.key, subschemaKey);
}

/** What the subentry has, as it is answered. Everybody reads it, but who has changed the schema is for those who may read who changed any entry. */
export function subentryAttributes({
  engine: { schema, store, realms, startedMs },
  asker,
}: Pick<Call, 'engine' | 'asker'>): readonly PartialAttribute[] {
  const stored = store.snapshot().byDnKey(subschemaKey);
  const started = generalizedTime(startedMs);
  const kept = new Map(stored === undefined ? [] : decodeAttributes(stored.operational).map((each) => [each.description, each]));
  const changed = Buffer.from(kept.get('modifyTimestamp')?.values[0] ?? []).toString();
  const own: readonly [name: string, values: readonly string[]][] = [
    ['objectClass', subschemaClasses],
    ['cn', ['Subschema']],
    ['structuralObjectClass', ['subentry']],
    ['subtreeSpecification', ['{ }']],
    // Files may be others since the last start: whoever keeps what it read of the schema must look again.
    ['modifyTimestamp', [[changed, started].sort()[1] ?? started]],
    ['entryDN', [subschemaDn]],
    ['subschemaSubentry', [subschemaDn]],
    ['hasSubordinates', ['FALSE']],
  ];
  const made = own.map(([description, values]) => ({ description, values: values.map(utf8) }));
  const created = kept.get('createTimestamp') ?? { description: 'createTimestamp', values: [utf8(started)] };
  const rights = asker.rightsOnName(realms.default.suffix.key, store.snapshot());
  const mayRead = (name: string) => {
    const type = schema.attributeType(name);
    return type !== undefined && rights.mayRead(type);
  };
  const rest = ['creatorsName', 'modifiersName', 'entryUUID', 'entryCSN'].flatMap((name) => (mayRead(name) ? (kept.get(name) ?? []) : []));
  return [...made, created, ...rest, ...subschemaAttributes(schema)];
}

/**
 * Adds and deletes definitions (RFC 4512 §4.2: the subschema is changed as any entry is).
 *
 * @throws Refusal `accessDenied` (50) for everybody but those who manage the default realm's suffix, and as `changeSchema`
 */
export async function modifySubschema(call: Call, { changes }: Request & { kind: 'modifyRequest' }): Promise<Result> {
  const { engine, asker, controls } = call;
  // RFC 4511 §4.1.11: what a critical control asks for is done, or nothing. These ask for something of an entry, and the change may be made in another thread.
  const unheeded = controls.counted.find(({ oid, critical }) => critical && ofEntries.some((kind) => kind.oid === oid));
  if (unheeded !== undefined) throw refuse(errors.controlUnknown, { oid: unheeded.oid });
  const { suffix } = engine.realms.default;
  if (!asker.rightsOnName(suffix.key, engine.store.snapshot()).mayManage)
    throw refuse(errors.accessDenied, { why: 'the schema may not be changed' });
  await engine.changeSchema(changes, writerName(engine, asker.identity));
  return done;
}

const ofEntries = [assertion, preRead, postRead];

/** Compares with what the subentry has; everybody may read it. @throws Refusal as every comparison */
export function compareSubschema(call: Call, request: Request & { kind: 'compareRequest' }): Result {
  const { schema } = call.engine;
  const described = describe(schema, request.description);
  if (described === undefined) throw refuse(errors.attributeUnknown, { attribute: request.description });
  const { type, description } = described;
  if (type.equality === undefined) throw refuse(errors.matchingInappropriate, { attribute: description });
  if (type.equality.assertion(request.value) === undefined)
    throw refuse(errors.valueUnfit, { attribute: description, why: `the value does not fit ${type.syntax.name}` });
  const attributes = new Map(subentryAttributes(call).map((each) => [each.description.toLowerCase(), each]));
  const isTrue = (filter: Filter) => compileFilter(schema, filter)({ dn: [], attributes }) === true;
  const asserted = call.controls.of(assertion);
  if (asserted !== undefined && !isTrue(asserted)) throw refuse(errors.assertionFailed);
  if (!attributes.has(type.key)) throw refuse(errors.attributeAbsent, { attribute: description, why: 'the entry has none' });
  const isEqual = isTrue({ kind: 'equality', description, value: request.value });
  return { matchedDN: '', diagnostic: '', code: isEqual ? resultCodes.compareTrue : resultCodes.compareFalse };
}
