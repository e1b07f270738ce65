/** What a route can be asked with. HEAD is answered as its GET, without the body, unless the row says that it is not. */
export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One row of the route table. What it does is the room's business; `web` mounts it. */
export interface RouteRow {
  readonly method: RouteMethod;
  /** A Restify path, `/authn/login`. */
  readonly path: string;
  readonly purpose: string;
  /** The rule or RFC it implements. */
  readonly source: string;
  /** How much of it: begins with `full`, `partial` or `mock`, as the metadata page shows it. */
  readonly coverage: `${'full' | 'partial' | 'mock'}${string}`;
  /** A GET that begins or ends something of the person's: HEAD, which must not (RFC 9110 §9.2.1), is answered 405. */
  readonly head?: 'refused';
  /** Who may read its answers from pages of other origins: any page, or those that applications list (`appCorsOrigin`). Nobody when absent. */
  readonly cors?: 'open' | 'clients';
}
