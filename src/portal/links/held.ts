import type { SessionOf } from '#client';
import type { Person } from '#people';
import type { Visit } from '#sessions';
import type { Link } from '#state';

/** Somebody who holds a link that is good. */
export interface LinkHolder {
  readonly link: Link;
  readonly token: string;
  readonly person: Person;
  readonly csrfToken: string;
  /** What the directory is told of them: whoever has the link has shown one factor, just now. */
  readonly acting: { readonly dn: string; readonly session: SessionOf };
  readonly visit: Visit;
}

/** The name of the field, and of the query, that carries a link's token. */
export const linkField = 'link';
