import { decodeAttributes, type LdifContent } from '#ldap';
import type { Engine } from './engine.ts';
import { userAttributes } from './large.ts';
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
 * Gives every entry of the realm, superiors before what is below them: an import of them all, operational attributes and secrets included, makes
 * the same directory.
 */
export function* exportEntries(engine: Engine, { secrets = false, operational = false }: ExportOptions = {}): Generator<LdifContent> {
  let after: Uint8Array | undefined;
  for (;;) {
    const snapshot = engine.store.snapshot();
    const page: LdifContent[] = [];
    const ids = snapshot.subtree(engine.realms.default.suffix.key, after, pageEntries);
    for (const id of ids) {
      const entry = snapshot.readable(id);
      if (entry === undefined) continue;
      after = entry.dnKey;
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
