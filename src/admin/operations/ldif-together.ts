import { asserting, ClientRefusal, type Update } from '#client';
import { type LdifRecord, resultCodes } from '#ldap';
import type { ImportCounts } from './ldif-import.ts';
import { updateOf } from './ldif-update.ts';
import { refusalWords } from './ldif-words.ts';
import type { Call } from './row.ts';

/** Refusals that a dry run names: for each of them all is judged once more. */
const namedMax = 10;

/** What came of it. */
export interface Together {
  readonly counts: ImportCounts;
  /** Because of which nothing was done; a dry run has them among its counts. */
  readonly failed?: { readonly record: LdifRecord; readonly refusal: ClientRefusal };
}

/**
 * Carries out all records in one transaction of the directory, under the caller's authority, or none. A dry run has the directory judge them in the same way and
 * make none: each as if those before it had been made.
 */
export async function importTogether(
  { actor, caller, deps, realm }: Pick<Call, 'actor' | 'caller' | 'deps' | 'realm'>,
  given: readonly LdifRecord[],
  { dryRun, existing }: { readonly dryRun: boolean; readonly existing: 'refuse' | 'skip' },
): Promise<Together> {
  const counts: ImportCounts = { records: given.length, added: 0, changed: 0, skipped: 0, refused: 0, refusals: [], unjudged: 0 };
  let waiting: Waiting[] = [];
  const refused = (record: LdifRecord, refusal: ClientRefusal) => {
    const { line, dn } = record;
    counts.refused++;
    counts.refusals.push({ line, dn, message: refusalWords(record, refusal) });
    return { counts, failed: { record, refusal } };
  };
  for (const record of given) {
    const isThere = existing === 'skip' && isAdd(record) && (await actor.read(record.dn, ['1.1'])) !== undefined;
    if (isThere) {
      counts.skipped++;
      continue;
    }
    const update = readUpdate(record);
    if (!(update instanceof ClientRefusal)) waiting.push({ record, update });
    else {
      const failed = refused(record, update);
      if (!dryRun) return failed;
    }
  }
  const together = (updates: readonly Update[]) => deps.client.together({ dn: caller.dn, session: caller.session }, updates);
  // To hash a password takes long: then the first that is refused is named, and no other.
  const rounds = waiting.some(({ record }) => hasPassword(record)) ? 1 : namedMax;
  for (let round = 0; waiting.length > 0; round++) {
    const wrong = await together([...waiting.map(({ update }) => update), ...(dryRun ? [neverDone(realm.suffix)] : [])]);
    const { record } = (wrong && waiting[wrong.at]) ?? {};
    if (wrong === undefined || record === undefined) break;
    // Not the record's fault: all of them are too much.
    if (wrong.refusal.code === resultCodes.adminLimitExceeded) return { counts, failed: { record, refusal: wrong.refusal } };
    const failed = refused(record, wrong.refusal);
    if (!dryRun) return failed;
    waiting = waiting.filter((each) => each.record !== record);
    if (round + 1 < rounds) continue;
    // What stands before it was perhaps not judged either: names and values are read of all of them first.
    counts.unjudged = waiting.length;
    return { counts };
  }
  counts.added = waiting.filter(({ record }) => isAdd(record)).length;
  counts.changed = waiting.length - counts.added;
  return { counts };
}

interface Waiting {
  readonly record: LdifRecord;
  readonly update: Update;
}

/** A record as it is sent, or why it is not. */
function readUpdate(record: LdifRecord): Update | ClientRefusal {
  try {
    return updateOf(record);
  } catch (error) {
    if (error instanceof ClientRefusal) return error;
    throw error;
  }
}

/**
 * A change that is refused whenever it is asked for, and says so: what it asserts (RFC 4528) is true of nothing (RFC 4526), which the log tells as just that. What
 * is judged before it is judged, and not made. It takes away a value that nobody has, should anything ever take it for true.
 */
export function neverDone(suffix: string): Update {
  const attribute = { description: 'description', values: [Buffer.from('of a dry run')] };
  return {
    op: { kind: 'modifyRequest', object: suffix, changes: [{ operation: 'delete', attribute }] },
    controls: asserting({ kind: 'or', filters: [] }),
  };
}

export function isAdd({ kind }: LdifRecord): boolean {
  return kind === 'content' || kind === 'add';
}

function hasPassword(record: LdifRecord): boolean {
  const given =
    record.kind === 'content' || record.kind === 'add'
      ? record.attributes
      : record.kind === 'modify'
        ? record.changes.map(({ attribute }) => attribute)
        : [];
  return given.some(({ description }) => description.toLowerCase() === 'userpassword');
}
