import type { ErrorRange, ErrorRow } from '../errors.ts';
import type { Area } from './areas.ts';

/**
 * Codes and what they stand for: `'0003 0023'` are two codes described alike, `'0004-0007'` is a span that the specification describes as a whole.
 * `sees` is what a client is shown where the specification says it for each of them.
 */
export type Listed = readonly [codes: string, means: string, sees?: ErrorRow['sees']];

export interface Reserved {
  readonly rows: readonly ErrorRow[];
  readonly ranges: readonly ErrorRange[];
}

/** Makes rows of single codes and ranges of spans. By themselves they have no behaviour. */
export function reserve(area: Area, state: 'reserved' | 'retired', listed: readonly Listed[]): Reserved {
  const rows: ErrorRow[] = [];
  const ranges: ErrorRange[] = [];
  for (const [codes, means, sees = {}] of listed) {
    for (const part of codes.split(' ')) {
      const [first = '', last] = part.split('-');
      if (last === undefined) rows.push({ code: `STS-${area}-${first as `${number}`}`, means, sees, state });
      else ranges.push({ area, first: Number(first), last: Number(last), means, state });
    }
  }
  return { rows, ranges };
}
