import { Refusal } from '#catalogue';
import type { StoredEntry } from '#store';
import { appPasswordsIn, type LastUse, lastUseKey, lastUsesIn, setLastUses } from './app-passwords.ts';
import type { Engine } from './engine.ts';
import { changedEntry } from './entry-change.ts';
import { type Attributes, attributesOf } from './record.ts';
import { commit } from './write.ts';

const touched: ReadonlySet<string> = new Set([lastUseKey]);

/** Somebody else has written it down meanwhile, or the app password is gone. */
class NothingToNote extends Error {}

/**
 * Writes down that an app password was used, unless that was done a short while ago. The sign-in is none the worse where it cannot be written.
 *
 * @param granularityMs  within which no further use is written
 */
export async function noteUse(engine: Engine, entry: StoredEntry, use: LastUse, granularityMs: number): Promise<void> {
  const isNoted = (attributes: Attributes) => {
    const known = lastUsesIn(attributes).find(({ id }) => id === use.id);
    // A clock that was set back is no reason to be silent until it has caught up.
    return known !== undefined && Math.abs(use.atMs - known.atMs) < granularityMs;
  };
  if (isNoted(attributesOf(engine.schema, entry))) return;
  try {
    await commit(engine, (look) => {
      const snapshot = look();
      const now = snapshot.byUuid(entry.uuid);
      const attributes = now === undefined ? undefined : new Map(attributesOf(engine.schema, now));
      const isThere = attributes !== undefined && appPasswordsIn(attributes).some(({ id }) => id === use.id);
      if (now === undefined || !isThere || isNoted(attributes)) throw new NothingToNote();
      setLastUses(attributes, [...lastUsesIn(attributes).filter(({ id }) => id !== use.id), use]);
      return changedEntry(engine, snapshot, now, attributes, { touched });
    });
  } catch (error) {
    if (!(error instanceof NothingToNote || error instanceof Refusal)) throw error;
  }
}
