import { type ControlKind, readMark } from './kind.ts';

/** Tree delete: an entry goes with all that stands below it. */
export const treeDelete: ControlKind<true> = {
  oid: '1.2.840.113556.1.4.805',
  name: 'tree delete',
  operations: ['delRequest'],
  read: readMark,
};
