import { type ControlKind, readMark } from './kind.ts';

/** Permissive modify: to add a value that is there, or to delete one that is not, is no error. */
export const permissiveModify: ControlKind<true> = {
  oid: '1.2.840.113556.1.4.1413',
  name: 'permissive modify',
  operations: ['modifyRequest'],
  read: readMark,
};
