import { concat } from '#base';
import { type Control, encodeBer } from '#ldap';
import { type ControlKind, malformed, readControl } from './kind.ts';

/** Where a page ended: behind an entry in the order of ids, or of names. */
export type EndOfPage = { readonly order: 'id'; readonly after: number } | { readonly order: 'name'; readonly after: Uint8Array };

export interface PageBehind {
  readonly size: number;
  /** Absent for the first page. */
  readonly behind: EndOfPage | undefined;
}

const marks = { id: 0x69, name: 0x6e } as const;
const keyOctetsMax = 4096;

/**
 * A page of a search, behind where the one before it ended; of our own, for the web layer. Unlike simple paged results (RFC 2696) nothing is kept of it: where a
 * page ended is in its answer, so that any connection, of any process, goes on from there at any time. Entries come in the directory's own order.
 *
 * SEQUENCE { size INTEGER, place OCTET STRING }, the same in the answer; an empty place begins, and says that nothing follows. A place is `i` and an id in
 * digits, or `n` and the key of a name: of an entry that was sent.
 */
export const pageBehind: ControlKind<PageBehind> = {
  oid: '2.25.83716444157178576224225129172109131643.5.120',
  name: 'page behind',
  operations: ['searchRequest'],
  offered: ({ trusted }) => trusted,
  read(control) {
    const { size, place } = readControl(control, (ber) => ber.sequence(() => ({ size: ber.number(), place: ber.octets() })));
    const behind = place.length === 0 ? undefined : readEnd(place);
    if (size < 1 || (place.length > 0 && behind === undefined)) throw malformed(control);
    return { size, behind };
  },
};

/** The answer: where this page ended, when there is more. */
export function pageBehindAnswer(end: EndOfPage | undefined): Control {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.number(0);
      ber.octets(end === undefined ? new Uint8Array(0) : placeOf(end));
    }),
  );
  return { oid: pageBehind.oid, critical: false, value };
}

function placeOf(end: EndOfPage): Uint8Array {
  return end.order === 'id'
    ? concat([Uint8Array.of(marks.id), Buffer.from(String(end.after))])
    : concat([Uint8Array.of(marks.name), end.after]);
}

function readEnd(place: Uint8Array): EndOfPage | undefined {
  const rest = place.subarray(1);
  if (place[0] === marks.name)
    return rest.length > 0 && rest.length <= keyOctetsMax ? { order: 'name', after: new Uint8Array(rest) } : undefined;
  if (place[0] !== marks.id || rest.length > 15) return undefined;
  const digits = Buffer.from(rest).toString('latin1');
  return /^[1-9]\d*$/.test(digits) ? { order: 'id', after: Number(digits) } : undefined;
}
