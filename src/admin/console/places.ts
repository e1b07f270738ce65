import type { WebRealm } from '#web';
import type { Operation } from '../operations/row.ts';
import type { Data } from './data.ts';
import { shown } from './shown-pages.ts';

/** The seven groups at the left of every page. */
export const groups = ['People', 'Applications', 'Sign-in', 'Directory', 'Realms', 'Monitoring', 'Service'] as const;
type Group = (typeof groups)[number];

/** A page that the groups lead to. */
export interface Place {
  readonly group: Group;
  readonly path: string;
  readonly words: string;
  /** About the whole service: the default realm's administrators alone have it. */
  readonly service?: true;
  /** The directory tells this to those who manage the realm. */
  readonly needs?: 'write';
}

/**
 * A page that shows what an operation answers; it is there when the operation is. Where something can be done with each of several things, its columns are named: they
 * then stand in a table, in which there is a place for it.
 */
export type ShownPage = ShownPlace & (Listed | { readonly each?: never; readonly columns?: readonly string[] });

interface Listed {
  /** What can be done with each of the things that it lists. */
  readonly each: readonly EachAct[];
  /** Of the things that it lists: the members that are shown. */
  readonly columns: readonly string[];
}

interface ShownPlace extends Place {
  /** Of the operation that it shows. */
  readonly shows: string;
  /** Operations that change what it shows. */
  readonly acts?: readonly string[];
  /** Another page on which it is changed, for those who may. */
  readonly way?: readonly [path: string, words: string];
  /** What can be done with the one thing that it shows. */
  readonly one?: readonly EachAct[];
  /** Members in which a row has the way to its own page, and what they are asked with there. */
  readonly ways?: Readonly<Record<string, (thing: Data) => Way | undefined>>;
  /** What stands here, in a sentence. */
  readonly intro: string;
  /** What is said of its list where it is empty: the first step. */
  readonly empty?: string;
}

/** A page, and what it is asked with. */
export type Way = readonly [path: string, query?: Readonly<Record<string, string>>];

/** An operation about one of several things. */
export interface EachAct {
  readonly name: string;
  /** Members of its input, by the members of the thing that they come from; those behind `in.` may still be changed. */
  readonly given: Readonly<Record<string, string | ((thing: Data) => string)>>;
  /** Members that the list was asked with, and that the operation takes as well. */
  readonly keeps?: readonly string[];
  /** The member that the thing is called by. */
  readonly thing: string;
  readonly verb?: string;
  readonly when?: (thing: Data) => boolean;
}

const drawn: readonly Place[] = [
  { group: 'People', path: '/admin/users', words: 'People' },
  { group: 'People', path: '/admin/groups', words: 'Groups' },
  { group: 'Applications', path: '/admin/applications', words: 'Applications' },
  { group: 'Applications', path: '/admin/authorization-servers', words: 'Authorization servers' },
  { group: 'Sign-in', path: '/admin/policies', words: 'Policies' },
  { group: 'Directory', path: '/admin/directory', words: 'Browse' },
  { group: 'Directory', path: '/admin/access-rules', words: 'Access rules' },
  { group: 'Directory', path: '/admin/ldif', words: 'LDIF in and out' },
  { group: 'Service', path: '/admin/api-explorer', words: 'API explorer' },
];

/** The pages that show what an operation answers, of those operations that there are. */
export function shownPages(operations: ReadonlyMap<string, Operation>): readonly (readonly [page: ShownPage, row: Operation])[] {
  return shown.flatMap((page) => {
    const row = operations.get(page.shows);
    return row === undefined ? [] : [[page, row]];
  });
}

/** All that the groups lead to. */
export function placesOf(operations: ReadonlyMap<string, Operation>): readonly Place[] {
  return [...drawn, ...shownPages(operations).map(([page]) => page)];
}

const standingId = 'default';

/** The pages that there are in a realm, for a role. */
export function placesIn(places: readonly Place[], realm: Pick<WebRealm, 'id'>, role: 'read' | 'write'): readonly Place[] {
  return places.filter(({ service, needs }) => (service !== true || realm.id === standingId) && (needs === undefined || needs === role));
}
