import type { Mode } from '#policy';

/** A realm as its pages need it, at the moment of a request. */
export interface WebRealm {
  readonly id: string;
  /** What people call it. */
  readonly name: string;
  /** Under which its entries stand. */
  readonly suffix: string;
  readonly mode: Mode;
  /** What stands before each of its paths: empty for the default realm, `/realm/<id>` for any other. */
  readonly prefix: string;
  /** True once its removal has begun: nobody signs in any more. */
  readonly removing: boolean;
}

/** The realms that have pages, at this moment. */
export interface WebRealms {
  /** The one without a prefix. */
  readonly standing: WebRealm;
  /** Any other one by its id, as it is now; `undefined` when there is none. */
  find(id: string): Promise<WebRealm | undefined>;
  /** Asks what is in force by now, before a request goes by it; absent where that is known anyway. */
  readonly refresh?: () => Promise<void>;
}

/** The first segment of the paths of every realm but the default one. */
export const realmSegment = 'realm';

/** A path of a realm as browsers know it. */
export function pathIn({ prefix }: Pick<WebRealm, 'prefix'>, path: string): string {
  return prefix + path;
}

/** A request target as its realm sees it. */
export type Placed =
  | { readonly kind: 'standing' }
  /** `whole` and `path` are without the prefix. The id may be no realm's. */
  | { readonly kind: 'realm'; readonly id: string; readonly path: string; readonly whole: string }
  /** A path under the prefix of no realm there can be. */
  | { readonly kind: 'none' };

/**
 * Finds the realm that a target names: `/realm/acme/portal?a=b` is `/portal?a=b` of the realm `acme`. Ids are compared as they came: one that is
 * written with escapes is none.
 *
 * @param target  path and query, as `readTarget` took them
 */
export function placeTarget(target: string): Placed {
  const named = /^\/realm\/([^/?]*)([^?]*)(.*)$/s.exec(target);
  if (named === null) return /^\/realm(?:\?|$)/.test(target) ? { kind: 'none' } : { kind: 'standing' };
  const [, id = '', below = '', query = ''] = named;
  const path = below === '' ? '/' : below;
  // What begins with two slashes would be read as a host by whoever redirects to it.
  if (!/^[a-z0-9-]{1,31}$/.test(id) || path.startsWith('//')) return { kind: 'none' };
  return { kind: 'realm', id, path, whole: path + query };
}
