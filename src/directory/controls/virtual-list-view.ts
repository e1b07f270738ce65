import { type Control, encodeBer } from '#ldap';
import { type ControlKind, readControl } from './kind.ts';

/** Which part of a sorted list is asked for: so many before and behind an entry that is named by its place or by a value. */
export interface ListView {
  readonly before: number;
  readonly after: number;
  readonly target:
    | { readonly by: 'offset'; readonly offset: number; readonly count: number }
    | { readonly by: 'value'; readonly value: Uint8Array };
  readonly context: Uint8Array | undefined;
}

const tags = { offset: 0xa0, value: 0x81, context: 0x04 } as const;

/**
 * Virtual list view (draft-ietf-ldapext-ldapv3-vlv-09 §5): SEQUENCE { beforeCount, afterCount, CHOICE { byOffset [0] SEQUENCE { offset, contentCount },
 * greaterThanOrEqual [1] AssertionValue }, contextID OPTIONAL }.
 */
export const virtualListView: ControlKind<ListView> = {
  oid: '2.16.840.1.113730.3.4.9',
  name: 'virtual list view',
  operations: ['searchRequest'],
  read: (control) =>
    readControl(control, (ber) =>
      ber.sequence(
        (): ListView => ({
          before: ber.number(),
          after: ber.number(),
          target:
            ber.tag === tags.offset
              ? ber.sequence(() => ({ by: 'offset', offset: ber.number(), count: ber.number() }), tags.offset)
              : { by: 'value', value: ber.octets(tags.value) },
          context: ber.more ? ber.octets() : undefined,
        }),
      ),
    ),
};

/** Result codes of the draft that no other document has (§6). */
export const viewCodes = { sortControlMissing: 60, offsetRangeError: 61 } as const;

const answerOid = '2.16.840.1.113730.3.4.10';

export interface ListViewOutcome {
  readonly position: number;
  readonly count: number;
  readonly code: number;
  readonly context?: Uint8Array;
}

/** SEQUENCE { targetPosition, contentCount, virtualListViewResult ENUMERATED, contextID OPTIONAL } (§6). */
export function listViewAnswer({ position, count, code, context }: ListViewOutcome): Control {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.number(position);
      ber.number(count);
      ber.enumerated(code);
      if (context !== undefined) ber.octets(context);
    }),
  );
  return { oid: answerOid, critical: false, value };
}
