import { type Control, encodeBer, resultCodes } from '#ldap';
import { type ControlKind, malformed, readControl } from './kind.ts';

/** By what entries are to be sorted, as the request writes it. */
export interface AskedKey {
  readonly attribute: string;
  readonly rule: string | undefined;
  readonly reverse: boolean;
}

export interface Sorting {
  readonly keys: readonly AskedKey[];
  readonly critical: boolean;
}

const tags = { rule: 0x80, reverse: 0x81, attribute: 0x80 } as const;

/** Server-side sorting (RFC 2891 §1.1): SEQUENCE OF SEQUENCE { attributeType, orderingRule [0] OPTIONAL, reverseOrder [1] DEFAULT FALSE }. */
export const sorting: ControlKind<Sorting> = {
  oid: '1.2.840.113556.1.4.473',
  name: 'server-side sorting',
  operations: ['searchRequest'],
  read(control) {
    const keys = readControl(control, (ber) =>
      ber.list(() =>
        ber.sequence(
          (): AskedKey => ({
            attribute: ber.string(),
            rule: ber.tag === tags.rule ? ber.string(tags.rule) : undefined,
            reverse: ber.tag === tags.reverse && ber.boolean(tags.reverse),
          }),
        ),
      ),
    );
    if (keys.length === 0) throw malformed(control);
    return { keys, critical: control.critical };
  },
};

const answerOid = '1.2.840.113556.1.4.474';

/** How sorting went (RFC 2891 §1.2). */
export interface SortOutcome {
  readonly code: number;
  /** The key at fault. */
  readonly attribute?: string;
}

export const sorted: SortOutcome = { code: resultCodes.success };

/** The response control that says how sorting went (RFC 2891 §1.2). */
export function sortingAnswer({ code, attribute }: SortOutcome): Control {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.enumerated(code);
      if (attribute !== undefined) ber.string(attribute, tags.attribute);
    }),
  );
  return { oid: answerOid, critical: false, value };
}
