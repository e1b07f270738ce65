import type { ClientRefusal, OperatorsClient } from '#client';
import type { LdifChange } from '#ldap';
import { explain } from './operators.ts';
import { manageDsaIt } from './realm-source.ts';

/** Changes on their way to the service, in the order in which they were given. */
export interface Applying {
  change(change: LdifChange): Promise<void>;
  /** Tries once more what was refused, which others may have stood in the way of. @returns how many were made, and how many not */
  end(): Promise<{ readonly done: number; readonly refused: number }>;
}

const windowMax = 64;
/** Refused changes that are kept to be tried again. */
const refusedMax = 10_000;

/** @param tell  told of each change that is refused in the end */
export function createApplying(client: OperatorsClient, tell: (change: LdifChange, why: string) => void): Applying {
  const pipeline = client.pipeline(windowMax, [manageDsaIt]);
  let kind: LdifChange['kind'] | undefined;
  let done = 0;
  let refused = 0;
  let later: LdifChange[] = [];

  const send = async (change: LdifChange, answered: (refusal: ClientRefusal | undefined) => void): Promise<void> => {
    switch (change.kind) {
      case 'add':
        return await pipeline.add(change.dn, change.attributes, answered);
      case 'modify':
        return await pipeline.modify(change.dn, change.changes, answered);
      case 'delete':
        return await pipeline.delete(change.dn, answered);
      case 'modrdn': {
        const { newRdn, deleteOldRdn, newSuperior } = change;
        return await pipeline.rename(change.dn, { newRdn, deleteOldRdn, ...(newSuperior === undefined ? {} : { newSuperior }) }, answered);
      }
    }
  };
  const retried = async (changes: readonly LdifChange[]): Promise<void> => {
    for (const change of changes) {
      await send(change, (refusal) => {
        if (refusal === undefined) done++;
        else {
          refused++;
          tell(change, explain(refusal));
        }
      });
      await pipeline.drain();
    }
  };

  return {
    async change(change) {
      // Adds wait for adds only where one is above the other; a rename, and what comes behind other changes, for all.
      if (change.kind !== kind || kind === 'modrdn') await pipeline.drain();
      kind = change.kind;
      await send(change, (refusal) => {
        if (refusal === undefined) done++;
        else later.push(change);
      });
      if (later.length < refusedMax) return;
      await pipeline.drain();
      const kept = later;
      later = [];
      await retried(kept);
    },
    async end() {
      await pipeline.drain();
      await retried(later);
      return { done, refused };
    },
  };
}
