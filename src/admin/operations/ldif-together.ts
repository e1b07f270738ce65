import type { ClientRefusal, Update } from '#client';
import { type LdifRecord, resultCodes } from '#ldap';
import type { ImportCounts } from './ldif-import.ts';
import type { Call } from './row.ts';

/** Refusals that a dry run names: for each of them all is judged once more. */
const namedMax = 10;

/** What came of it. */
export interface Together {
  readonly counts: ImportCounts;
  /** Because of which nothing was done; a dry run has them among its counts. */
  readonly failed?: { readonly line: number; readonly dn: string; readonly refusal: ClientRefusal };
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
  const counts: ImportCounts = { records: given.length, added: 0, changed: 0, skipped: 0, refused: 0, refusals: [] };
  let records: LdifRecord[] = [];
  for (const record of given) {
    const isThere = existing === 'skip' && isAdd(record) && (await actor.read(record.dn, ['1.1'])) !== undefined;
    if (isThere) counts.skipped++;
    else records.push(record);
  }
  const together = (some: readonly LdifRecord[], last: readonly Update[]) =>
    deps.client.together({ dn: caller.dn, session: caller.session }, [...some.map(updateOf), ...last]);
  // To hash a password takes long: then the first that is refused is named, and no other.
  const rounds = records.some(hasPassword) ? 1 : namedMax;
  for (let round = 0; records.length > 0; round++) {
    const refused = await together(records, dryRun ? [neverDone(realm.suffix)] : []);
    const record = refused === undefined ? undefined : records[refused.at];
    if (refused === undefined || record === undefined) break;
    const { line, dn } = record;
    // Not the record's fault: all of them are too much.
    if (refused.refusal.code === resultCodes.adminLimitExceeded) return { counts, failed: { line, dn, refusal: refused.refusal } };
    counts.refused++;
    counts.refusals.push({ line, dn, message: wordsOf(refused.refusal) });
    if (!dryRun) return { counts, failed: { line, dn, refusal: refused.refusal } };
    records = records.filter((each) => each !== record);
    if (round + 1 >= rounds) break;
  }
  counts.added = records.filter(isAdd).length;
  counts.changed = records.length - counts.added;
  return { counts };
}

/** A change that is refused whenever it is asked for: there is no such attribute to take away. What is judged before it is judged, and not made. */
export function neverDone(suffix: string): Update {
  const attribute = { description: 'objectClass', values: [Buffer.from('stsNoSuchClass')] };
  return { kind: 'modifyRequest', object: suffix, changes: [{ operation: 'delete', attribute }] };
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

function updateOf(record: LdifRecord): Update {
  switch (record.kind) {
    case 'content':
    case 'add':
      return { kind: 'addRequest', entry: record.dn, attributes: record.attributes };
    case 'delete':
      return { kind: 'delRequest', entry: record.dn };
    case 'modify':
      return { kind: 'modifyRequest', object: record.dn, changes: record.changes };
    case 'modrdn': {
      const { newRdn, deleteOldRdn, newSuperior } = record;
      return { kind: 'modifyDNRequest', entry: record.dn, newRdn, deleteOldRdn, ...(newSuperior === undefined ? {} : { newSuperior }) };
    }
  }
}

/** As the directory says it, with attribute and rule. */
export function wordsOf({ diagnostic, message }: ClientRefusal): string {
  return diagnostic === '' ? message : diagnostic;
}
