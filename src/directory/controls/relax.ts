import { refuse } from '#catalogue';
import { type AttributeType, checkUserModifiable } from '#schema';
import type { Call } from '../call.ts';
import { errors } from '../errors.ts';
import { type ControlKind, readMark } from './kind.ts';

/** Relax rules: an administrator sets what the directory else sets by itself, and changes the structural class of an entry. */
export const relax: ControlKind<true> = {
  oid: '1.3.6.1.4.1.4203.666.5.12',
  name: 'relax rules',
  operations: ['addRequest', 'modifyRequest', 'modifyDNRequest', 'delRequest'],
  read: readMark,
};

/** What a relaxed request may set: who made and changed an entry and when, and, of a new one, its entryUUID. */
const settable: ReadonlySet<string> = new Set(['createtimestamp', 'creatorsname', 'modifytimestamp', 'modifiersname']);

/** @throws Refusal `relaxDenied` (50) for anybody but administrators */
export function isRelaxed({ controls, asker }: Pick<Call, 'controls' | 'asker'>): boolean {
  if (!controls.has(relax)) return false;
  if (asker.who !== 'administrator') throw refuse(errors.relaxDenied);
  return true;
}

/** @throws Refusal `attributeReadOnly` (19) for what only the directory sets, though the request be relaxed */
export function checkModifiable(type: AttributeType, isRelaxed: boolean, isNew: boolean): void {
  if (isRelaxed && (settable.has(type.key) || (isNew && type.key === 'entryuuid'))) return;
  checkUserModifiable(type);
}
