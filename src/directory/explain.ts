import type { SearchRequest } from '#ldap';
import { askerOf } from './access/asker.ts';
import { type Controls, noControls } from './controls/kind.ts';
import { pageBehind } from './controls/page-behind.ts';
import type { Engine } from './engine.ts';
import { search } from './search/search.ts';
import type { Visits } from './search/sources.ts';
import type { Connection, Identity, Reply } from './types.ts';

/** How a search was answered. */
export interface Explanation {
  readonly plan: Visits['plan'];
  /** Rows of indexes and entries that were read. */
  readonly visited: number;
  readonly entries: number;
}

const operator: Identity = { dn: undefined, uuid: undefined, strength: 'operatorsSocket' };

/**
 * Performs a search as the operators would and says how much of the store it read.
 *
 * @param pageSize  of its first page alone
 * @throws Refusal as the search itself
 */
export async function explain(engine: Engine, request: SearchRequest, pageSize?: number): Promise<Explanation> {
  let entries = 0;
  const reply: Reply = {
    send: () => undefined,
    notify: () => undefined,
    entry: () => {
      entries++;
    },
    full: () => undefined,
    lasts: () => undefined,
    ended: false,
    signal: new AbortController().signal,
  };
  const connection: Connection = {
    id: 'explain',
    door: 'operators',
    address: '',
    loopback: true,
    secure: true,
    identity: operator,
    trusted: false,
  };
  const visits: Visits = { visited: 0, plan: 'base' };
  await search(
    {
      engine,
      connection,
      asker: askerOf(engine, operator, connection),
      reply,
      controls: pageSize === undefined ? noControls : pageControls(pageSize),
    },
    request,
    visits,
  );
  return { plan: visits.plan, visited: visits.visited, entries };
}

function pageControls(size: number): Controls {
  const isPage = ({ oid }: { readonly oid: string }) => oid === pageBehind.oid;
  return {
    ...noControls,
    has: isPage,
    of: (kind) => (isPage(kind) ? ({ size, behind: undefined } as never) : undefined),
    answer: () => undefined,
  };
}
