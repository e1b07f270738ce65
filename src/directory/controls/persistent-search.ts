import { type Control, encodeBer } from '#ldap';
import { type ControlKind, malformed, readControl } from './kind.ts';

/** As bits of `changeTypes`, and as the type of one change. */
export const changeTypes = { add: 1, delete: 2, modify: 4, modDn: 8 } as const;

export type ChangeType = keyof typeof changeTypes;

/** Which changes are wanted, and how. */
export interface PersistentSearch {
  wants(type: ChangeType): boolean;
  /** Without what is there already. */
  readonly changesOnly: boolean;
  /** Each change says what it was. */
  readonly returnsChanges: boolean;
}

const allTypes = 15;

/** Persistent search (draft-ietf-ldapext-psearch-03): a search that goes on with what changes. */
export const persistentSearch: ControlKind<PersistentSearch> = {
  oid: '2.16.840.1.113730.3.4.3',
  name: 'persistent search',
  operations: ['searchRequest'],
  read(control) {
    const [types, changesOnly, returnsChanges] = readControl(control, (ber) =>
      ber.sequence(() => [ber.number(), ber.boolean(), ber.boolean()] as const),
    );
    if (types === 0 || types > allTypes) throw malformed(control);
    return { wants: (type) => (types & changeTypes[type]) !== 0, changesOnly, returnsChanges };
  },
};

const notificationOid = '2.16.840.1.113730.3.4.7';

/** What kind of change brought the entry that this comes with, and of a renamed one the name before. */
export function entryChange(type: ChangeType, previousDn: string | undefined): Control {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.enumerated(changeTypes[type]);
      if (previousDn !== undefined) ber.string(previousDn);
    }),
  );
  return { oid: notificationOid, critical: false, value };
}
