import type { ErrorRow } from '#catalogue';
import { row } from '../error-row.ts';

/** Refusals of searches, and of those that go on with what changes. */
export const searchErrors = {
  sizeLimit: row(9028, 4, 'a search found more entries than the limit allows', 'there are more entries than the limit allows'),
  timeLimit: row(9029, 3, 'a search took longer than the limit allows', 'the search took longer than the limit allows'),
  aliasProblem: row(9161, 33, 'an alias that leads to no entry', '{why}'),
  aliasDepth: row(9162, 36, 'a name that leads through more aliases than the limit allows', 'maximum deref depth exceeded'),
  aliasesMany: row(9163, 11, 'a search that dereferences in a directory with more aliases than the limit allows', 'too many aliases'),
  followersMax: row(
    9090,
    11,
    'more searches that go on until they are ended than the limit allows',
    'there are too many searches that go on until they are ended',
  ),
  refreshRequired: row(
    9091,
    4096,
    'a consumer of changes that is behind what the change log keeps (RFC 4533)',
    'what has changed since is not kept any more: begin without a cookie',
  ),
  followerBehind: row(9092, 11, 'a persistent search whose peer reads too slowly', 'changes come faster than they are read here'),
  aliasesFollowed: row(9093, 2, 'a search for changes that follows aliases (RFC 4533 §3)', 'a search for changes does not follow aliases'),
  followedOtherwise: row(
    9094,
    53,
    'a search for changes with a control that makes its answers others',
    'this control does not go together with content synchronisation or persistent search: {oid}',
  ),
  pageCookieUnknown: row(
    9036,
    53,
    'a paged results cookie that is not known, or not any more (RFC 2696)',
    'paged results cookie is invalid or old',
  ),
  pageRequestOther: row(
    9037,
    53,
    'a paged results cookie with another request than the one that it was given for',
    'the request is not the one that this paged results cookie was given for',
  ),
  sortRefused: row(
    9038,
    12,
    'a critical sort control that cannot be obeyed (RFC 2891); the response control says why',
    'the entries cannot be sorted in this way',
  ),
  listViewRefused: row(
    9039,
    76,
    'a virtual list view that cannot be shown; the response control says why',
    'this view of the list cannot be shown',
  ),
  listViewInPages: row(9040, 53, 'a virtual list view that is asked for in pages', 'a virtual list view has no pages'),
  dereferenceUnfit: row(9041, 2, 'a dereference control that names attributes which cannot be dereferenced', '{attribute}: {why}'),
  dereferencesTooMany: row(
    9042,
    11,
    'a critical dereference control for an entry that names more others than the limit allows',
    'an entry names more than {max} others',
  ),
  matchedValuesMany: row(
    9190,
    11,
    'matched values of an entry with more values than are held against so many items',
    'more than {max} values would have to be matched',
  ),
  dereferencesLarge: row(
    9191,
    11,
    'a critical dereference control for an entry whose others come to more octets than one entry may',
    'the entries that an entry names come to more than {max} octets',
  ),
} as const satisfies Record<string, ErrorRow>;
