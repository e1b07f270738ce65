import { refuse } from '#catalogue';
import { type AttributeType, checkUserModifiable } from '#schema';
import type { Rights } from '../access/rights.ts';
import type { Call } from '../call.ts';
import { errors } from '../errors.ts';
import { type ControlKind, readMark } from './kind.ts';

/** Relax rules: who manages an entry sets what the directory else sets by itself, and changes the structural class of an entry. */
export const relax: ControlKind<true> = {
  oid: '1.3.6.1.4.1.4203.666.5.12',
  name: 'relax rules',
  operations: ['addRequest', 'modifyRequest', 'modifyDNRequest', 'delRequest'],
  read: readMark,
};

/** What a relaxed request may set: who made and changed an entry and when, and, of a new one, its entryUUID. */
const settable: ReadonlySet<string> = new Set(['createtimestamp', 'creatorsname', 'modifytimestamp', 'modifiersname']);

/** Whether a request asks for it: whether it may, the entry says (`checkRelaxed`). */
export function isRelaxed({ controls }: Pick<Call, 'controls'>): boolean {
  return controls.has(relax);
}

/** @throws Refusal `relaxDenied` (50) for a request that asks for it about an entry that who asks does not manage */
export function checkRelaxed({ controls }: Pick<Call, 'controls'>, rights: Rights): void {
  if (controls.has(relax) && !rights.mayManage) throw refuse(errors.relaxDenied);
}

/** @throws Refusal `attributeReadOnly` (19) for what only the directory sets, though the request be relaxed */
export function checkModifiable(type: AttributeType, isRelaxed: boolean, isNew: boolean): void {
  if (isRelaxed && (settable.has(type.key) || (isNew && type.key === 'entryuuid'))) return;
  checkUserModifiable(type);
}
