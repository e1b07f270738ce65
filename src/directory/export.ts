import { decodeAttributes, type LdifContent } from '#ldap';
import type { Engine } from './engine.ts';
import { userAttributes } from './large.ts';
import { isDeleted } from './life/told.ts';
import { areTogether } from './realms.ts';
import { ownOperational } from './record.ts';

export interface ExportOptions {
  /** The secret attributes too, password hashes above all. */
  readonly secrets?: boolean;
  /** entryUUID, timestamps and whatever else the directory keeps of an entry by itself. */
  readonly operational?: boolean;
}

/** Entries read from one snapshot; between two pages others may write. */
const pageEntries = 256;

/**
 * Gives every entry of all realms, but what is kept of deleted people, the default realm's first, superiors before what is below them: an import of them all, operational attributes and secrets included, makes
 * the same directory.
 */
export function* exportEntries(engine: Engine, options: ExportOptions = {}): Generator<LdifContent> {
  for (const { suffix } of engine.realms.in(engine.store.snapshot()).all) yield* entriesOf(engine, suffix.key, options);
}

function* entriesOf(engine: Engine, suffix: Uint8Array, { secrets = false, operational = false }: ExportOptions): Generator<LdifContent> {
  let after: Uint8Array | undefined;
  for (;;) {
    const snapshot = engine.store.snapshot();
    const page: LdifContent[] = [];
    const ids = snapshot.subtree(suffix, after, pageEntries);
    for (const id of ids) {
      const entry = snapshot.readable(id);
      if (entry === undefined) continue;
      after = entry.dnKey;
      // Another realm begins below this one.
      if (!areTogether(engine, snapshot, after, suffix) || isDeleted(entry)) continue;
      const secret = secrets ? snapshot.byId(id)?.secret : undefined;
      const kept = decodeAttributes(entry.operational).filter(
        ({ description }) => operational || !ownOperational.has(description.toLowerCase()),
      );
      page.push({
        kind: 'content',
        line: 0,
        dn: entry.dn,
        attributes: [...userAttributes(snapshot, entry), ...kept, ...(secret === undefined ? [] : decodeAttributes(secret))],
      });
    }
    yield* page;
    if (ids.length < pageEntries) return;
  }
}
