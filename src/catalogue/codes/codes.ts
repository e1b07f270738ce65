import type { ErrorRange, ErrorRow } from '../errors.ts';
import { authn } from './authn.ts';
import { core } from './core.ts';
import { front } from './front.ts';
import { keys } from './keys.ts';

const all = [...front, ...core, ...keys, ...authn];

/** Codes that the specification describes one by one. A room that raises one has a row of its own, which stands in place of the one here. */
export const listedErrors: readonly ErrorRow[] = all.flatMap(({ rows }) => rows);

/** Codes that it describes as a span. A row inside one stands for itself. */
export const listedRanges: readonly ErrorRange[] = all.flatMap(({ ranges }) => ranges);
