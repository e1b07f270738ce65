import { type Chance, type Clock, utf8, uuid4 } from '#base';
import { refuse } from '#catalogue';
import type { Modification } from '#ldap';
import { schemaErrors } from '#schema';
import type { Change, Expectation, Store, StoredEntry } from '#store';
import type { CsnSource } from '../csn.ts';
import { errors } from '../errors.ts';
import { type Attributes, attributesOf, recordOf, stampNew } from '../record.ts';
import { affectedBy } from './affected.ts';
import { findUse, useFinder } from './in-use.ts';
import type { OwnSchema } from './live.ts';
import { planChange, type SchemaPlan } from './plan.ts';
import { attributesWith, storedDefinitions, subschemaClasses, subschemaName } from './stored.ts';

/** What a change of the schema works with. */
export interface SchemaDesk {
  readonly live: OwnSchema;
  readonly store: Store;
  readonly csn: CsnSource;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly entryOctetsMax: number;
}

/**
 * Changes the schema by a modify of the subschema subentry: one after the other, each wholly or not at all, on disk before it resolves, and in force
 * for whatever is asked after that. While it is committed other commits wait; while entries are looked through they do not.
 *
 * @param by  the DN that the change is put down to
 * @throws Refusal as `planChange`; `definitionInUse` (53), `entryTooLarge` (11)
 */
export function changeSchema(desk: SchemaDesk, changes: readonly Modification[], by: string): Promise<void> {
  const { live, store } = desk;
  return live.inTurn(async () => {
    const { current } = live;
    const entry = store.snapshot().byDnKey(subschemaName(current).key);
    const plan = planChange(current, storedDefinitions(entry), changes, live.build);
    const affected = affectedBy(current, plan.schema);
    const isAffecting = affected.types.size + affected.classes.size > 0;
    const uses = useFinder(current, affected);
    const touched = new Set<string>();
    const unwatch = store.watch((records) => {
      for (const { change } of records) if (change.kind !== 'delete') touched.add(change.entry.uuid);
    });
    try {
      if (isAffecting) refuseUse(await findUse(store, uses));
      await live.closed(async (replace) => {
        // Judged in the order of the calls: when this one is through, so are all that were there before the door was closed, and told of.
        await store.commit([], []);
        if (isAffecting) refuseUse(useAmong(store, touched, uses));
        await commit(desk, entry, plan, by);
        replace(plan.schema);
      });
    } finally {
      unwatch();
    }
  });
}

function refuseUse(use: { readonly entry: string; readonly definition: string } | undefined): void {
  if (use !== undefined) throw refuse(schemaErrors.definitionInUse, use);
}

/** Those that were written while the others were looked through. */
function useAmong(store: Store, uuids: ReadonlySet<string>, uses: ReturnType<typeof useFinder>) {
  const snapshot = store.snapshot();
  for (const uuid of uuids) {
    const entry = snapshot.byUuid(uuid);
    const definition = entry && uses(entry, snapshot);
    if (entry !== undefined && definition !== undefined) return { entry: entry.dn, definition };
  }
  return undefined;
}

async function commit(desk: SchemaDesk, entry: StoredEntry | undefined, { stored }: SchemaPlan, by: string): Promise<void> {
  const { live, store, csn: source, clock, chance, entryOctetsMax } = desk;
  const { current } = live;
  const name = subschemaName(current);
  const csn = source.next();
  const uuid = entry?.uuid ?? uuid4(chance);
  const attributes: Attributes = new Map();
  put(attributes, [
    ['objectClass', subschemaClasses],
    ['cn', ['Subschema']],
    ['subtreeSpecification', ['{ }']],
  ]);
  for (const attribute of attributesWith(stored)) attributes.set(attribute.description.toLowerCase(), attribute);
  const before = entry === undefined ? undefined : attributesOf(current, entry);
  for (const key of ['createtimestamp', 'creatorsname']) {
    const kept = before?.get(key);
    if (kept !== undefined) attributes.set(key, kept);
  }
  stampNew(current, attributes, uuid, { csn, nowMs: clock.nowMs(), by });
  const record = recordOf(current, { uuid, parent: undefined, name, csn }, attributes);
  if (record.user.length + record.operational.length > entryOctetsMax) throw refuse(errors.entryTooLarge);
  const expected: Expectation[] =
    entry === undefined ? [{ kind: 'absent', dnKey: name.key }] : [{ kind: 'unchanged', uuid: entry.uuid, csn: entry.csn }];
  const changes: Change[] = [{ kind: 'put', entry: record }];
  // Nobody else writes this entry: to find it changed would be a defect, and is answered as one who lost a race.
  if ((await store.commit(expected, changes)).kind === 'conflict') throw refuse(errors.contended);
}

function put(attributes: Attributes, given: readonly (readonly [name: string, values: readonly string[]])[]): void {
  for (const [name, values] of given) attributes.set(name.toLowerCase(), { description: name, values: values.map(utf8) });
}
