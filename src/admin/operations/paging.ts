import { z } from 'zod';
import { allOf, type FoundPage, type PageOptions } from '#client';
import { hasWord, type Place, readFilter } from './entries-found.ts';
import type { Call } from './row.ts';
import { Unfit } from './unfit.ts';

/** Members of the input of every list. Values of a query are texts. */
export const pageMembers = {
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('How many, at most 200.'),
  after: z.base64url().min(1).max(8000).optional().describe('`next` of the page before.'),
};

/** The same for lists of what is no entry: their places are numbers. */
export const numberedMembers = {
  limit: pageMembers.limit,
  after: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'is no `next` of a page')
    .optional()
    .describe('`next` of the page before.'),
};

/** Of such a list: where its page begins, and what leads to the next one. */
export function numberOf(after: string | undefined): number | undefined {
  return after === undefined ? undefined : Number(after);
}

export function nextOf(next: number | undefined): { readonly next?: string } {
  return next === undefined ? {} : { next: String(next) };
}

/** Members of the output of every list. */
export const nextMember = { next: z.string().optional().describe('For `after` of the next page; absent where there is none.') };

interface PageAsked {
  readonly limit: number;
  readonly after?: string | undefined;
}

interface PlaceAsked extends PageAsked {
  readonly filter?: string | undefined;
  readonly q?: string | undefined;
}

/** A page under the caller's authority, in the directory's own order: as dear as its entries, however many others there are. */
export async function pageOf(
  { actor, realm, deps }: Pick<Call, 'actor' | 'realm' | 'deps'>,
  options: Omit<PageOptions, 'size' | 'behind'>,
  { limit, after }: PageAsked,
): Promise<{ readonly entries: FoundPage['entries']; readonly next?: string }> {
  const behind = after === undefined ? undefined : placeOf(after);
  const { entries, next } = await actor.page({
    timeLimitS: Number(deps.settingsOf(realm.id)['adminApi.searchTimeS']),
    ...options,
    size: limit,
    ...(behind === undefined ? {} : { behind }),
  });
  return { entries, ...(next === undefined ? {} : { next: Buffer.from(next).toString('base64url') }) };
}

/**
 * A page of the entries of a place.
 *
 * @param asked  an LDAP filter, a word that stands in one of `words`, both or neither; and which page
 */
export async function pageIn(
  call: Pick<Call, 'actor' | 'realm' | 'deps'>,
  { below, isOne }: Place,
  { filter, q, ...page }: PlaceAsked,
  words: readonly string[],
  attributes: readonly string[],
): ReturnType<typeof pageOf> {
  const wanted = allOf(
    isOne,
    ...(filter === undefined ? [] : [readFilter(filter, 'filter')]),
    ...(q === undefined ? [] : [hasWord(q, words)]),
  );
  return await pageOf(call, { base: `${below},${call.realm.suffix}`, scope: 'sub', filter: wanted, attributes }, page);
}

/** Of the two forms that places have. What else is wrong with one nobody can have had from us. @throws Unfit */
export function placeOf(text: string): Uint8Array {
  const place = new Uint8Array(Buffer.from(text, 'base64url'));
  const isId = /^i[1-9]\d{0,13}$/.test(Buffer.from(place).toString('latin1'));
  if (!isId && (place[0] !== 0x6e || place.length < 2 || place.length > 4000))
    throw new Unfit({ field: 'after', message: 'is no `next` of a page' });
  return place;
}
