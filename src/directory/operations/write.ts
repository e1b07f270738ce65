import { refuse } from '#catalogue';
import { parseDn, type Request, type Result } from '#ldap';
import type { Call } from '../call.ts';
import { withReads } from '../controls/read-entry.ts';
import { errors } from '../errors.ts';
import { deletedUuid } from '../life/told.ts';
import { nameOf } from '../realm.ts';
import { done } from '../result.ts';
import { isSubschema, modifySubschema } from '../subschema/operations.ts';
import { commit, type Decide } from '../write.ts';
import { add } from './add.ts';
import { remove } from './delete.ts';
import { modify, type Permit } from './modify.ts';
import { modifyDn } from './modify-dn.ts';

/** The requests that change entries. */
export type WriteRequest = Request & { readonly kind: 'addRequest' | 'delRequest' | 'modifyRequest' | 'modifyDNRequest' };

/**
 * Makes a change, alone.
 *
 * @param permit  judges a modify, where the rights on the entry alone do not
 * @throws Refusal of the operation; `contended` (LDAP busy), `entryTooLarge` (adminLimitExceeded)
 */
export async function write(call: Call, op: WriteRequest, permit?: Permit): Promise<Result> {
  if (op.kind === 'modifyRequest' && isSubschema(nameOf(call.engine.schema, op.object))) return await modifySubschema(call, op);
  const ready = decisionOn(call, op, permit);
  const controls = await commit(call.engine, ready instanceof Promise ? await ready : ready);
  for (const control of controls) call.controls.answer(control);
  return done;
}

/** How a request is decided, once all that takes its time is done. @throws Refusal of the operation */
export function decisionOn(call: Call, op: WriteRequest, permit?: Permit): Decide | Promise<Decide> {
  const ready = readied(call, op, permit);
  return ready instanceof Promise ? ready.then((decide) => withReads(call, decide)) : withReads(call, ready);
}

/** What is kept of deleted people is made by the directory. @throws Refusal `tombstoneFixed` (53) */
function refuseTombstone({ engine: { schema } }: Call, op: WriteRequest): void {
  if (op.kind === 'delRequest') return;
  const isOne = (dn: string) => parseDn(dn)?.[0]?.some(({ type }) => schema.attributeType(type)?.name === deletedUuid) === true;
  const names = op.kind === 'modifyRequest' ? [op.object] : op.kind === 'addRequest' ? [op.entry] : [op.entry, op.newRdn];
  if (names.some(isOne)) throw refuse(errors.tombstoneFixed);
}

function readied(call: Call, op: WriteRequest, permit: Permit | undefined): Decide | Promise<Decide> {
  refuseTombstone(call, op);
  switch (op.kind) {
    case 'addRequest':
      return add(call, op);
    case 'delRequest':
      return remove(call, op);
    case 'modifyRequest':
      return modify(call, op, permit);
    case 'modifyDNRequest':
      return modifyDn(call, op);
  }
}
