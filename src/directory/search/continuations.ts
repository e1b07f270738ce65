import { pagedResults } from '../controls/paged-results.ts';
import { classIndex, dseKey } from '../dse.ts';
import { continuationsOf } from '../referrals.ts';
import { inScope } from './extent.ts';
import type { Running } from './search.ts';

/** Referrals looked at in one turn. */
const turnMax = 256;

/** Tells of the referrals in the scope of a search, some in each turn, before its entries are sent (RFC 3296 §5.4); with the first of several pages. */
export async function tellOfReferrals(running: Running): Promise<void> {
  const { call, request } = running;
  const { engine, reply, asker, controls } = call;
  if ((controls.of(pagedResults)?.cookie.length ?? 0) > 0) return;
  const key = dseKey(engine.schema, 'referral');
  for (let after = 0; ; ) {
    const snapshot = engine.store.snapshot();
    const ids = snapshot.idsEqual(classIndex, key, turnMax, after);
    after = ids.at(-1) ?? after;
    const found: string[][] = [];
    for (const id of ids) {
      const entry = snapshot.readable(id);
      if (entry === undefined || !inScope(running, entry) || !asker.rightsOn(entry, snapshot).visible) continue;
      const uris = continuationsOf(engine, entry, request.scope);
      if (uris.length > 0) found.push(uris);
    }
    await engine.store.durable(snapshot.number);
    for (const uris of found) reply.send({ kind: 'searchResultReference', uris });
    if (ids.length < turnMax || reply.ended) return;
    await (reply.full() ?? new Promise<void>((resolve) => setImmediate(resolve)));
  }
}
