import { type ControlKind, readControl } from './kind.ts';

/** Subentries (RFC 3672 §3): TRUE shows subentries and nothing else, FALSE everything else. */
export const subentries: ControlKind<boolean> = {
  oid: '1.3.6.1.4.1.4203.1.10.1',
  name: 'subentries',
  operations: ['searchRequest'],
  read: (control) => readControl(control, (ber) => ber.boolean()),
};
