import type { Request, Result } from '#ldap';
import type { Call } from '../call.ts';
import { withReads } from '../controls/read-entry.ts';
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

function readied(call: Call, op: WriteRequest, permit: Permit | undefined): Decide | Promise<Decide> {
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
