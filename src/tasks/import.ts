import { equalBytes } from '#base';
import { Refusal, refuse } from '#catalogue';
import { type Along, importEntries, type TaskProgress, type TaskUpdated } from '#directory';
import type { LdifRecord } from '#ldap';
import type { Change, Expectation } from '#store';
import type { NamedEntry } from '#transfer';
import { errors } from './errors.ts';
import { aboveThem } from './import-above.ts';
import { counted, type Desk, deskOf } from './import-desk.ts';
import { undo } from './import-undo.ts';
import { type Place, placeText, readPlace } from './place.ts';
import { type Outcome, TaskEnded, type Work } from './task.ts';

const chunkOctetsMax = 8_388_608;

/**
 * Adds the entries of a file to a realm of the running service: all of them or none, unless the task says to go on behind refusals. First all is checked and
 * nothing written; then some entries are one commit, which moves the place in the task's entry with them, so that after any end of the service the next one
 * goes on where this one was. What a realm begins with and is there stays as it is.
 *
 * The file is read with each pass, so memory is bounded by what is put into one commit, and some octets for each name.
 */
export async function importTask(work: Work): Promise<Outcome> {
  const { task, exchange, report } = work;
  using file = exchange.open(task.file);
  const desk = deskOf(work, file);
  const goOn = task.options.includes('continue');
  const earlier = readPlace(task.place);
  if (earlier !== undefined && earlier.mark !== file.mark)
    throw refuse(errors.taskFailed, { why: `${task.file} is another file than the one that was begun with; what was added stays` });
  if (task.state === 'undoing' && earlier !== undefined) return await undo(work, desk, earlier, 'the import was being undone');
  const place: Place = earlier ?? { mark: file.mark, line: 0, entries: 0, kept: [] };
  if (earlier === undefined) {
    await report.write({ state: 'checking' });
    const { entries, refused, kept } = await check(work, desk);
    for (const dn of kept) report.message(`${dn} was there and stays as it is`);
    if (task.options.includes('dry-run') || (refused > 0 && !goOn)) return checked(entries, refused, task.options.includes('dry-run'));
    place.kept = kept;
  }
  await report.write({ state: 'running', place: placeText(place) });
  try {
    const refused = await write(work, desk, place, goOn);
    desk.tellMapped((text) => report.message(text));
    const said = refused === 0 ? '' : `, ${refused.toLocaleString('en')} refused`;
    return { state: refused === 0 ? 'done' : 'failed', result: `${counted(place.entries)} added${said}`, done: place.entries };
  } catch (error) {
    if (goOn) throw error;
    if (error instanceof Refusal) return await undo(work, desk, place, error.message);
    // What nobody wants any more is taken away; a service that ends goes on with the next start.
    if (error instanceof TaskEnded && error.how === 'cancelled') {
      const alone = { ...work, signal: new AbortController().signal };
      await undo(alone, deskOf(alone, file), place, error.message);
    }
    throw error;
  }
}

function checked(entries: number, refused: number, isDry: boolean): Outcome {
  const would = `${counted(entries)} would be added`;
  if (refused === 0) return { state: 'done', result: would, done: 0 };
  const result = isDry
    ? `${would}, ${refused.toLocaleString('en')} refused`
    : `nothing was added: ${refused.toLocaleString('en')} would be refused`;
  return { state: 'failed', result, done: 0 };
}

/** The realms as they are when a pass begins. */
function importDesk({ engine }: Work) {
  return { ...engine, realms: engine.realms.in(engine.store.snapshot()) };
}

/** A restored entryCSN would come behind newer ones, and who follows the directory would never hear of the entry. */
function recordOf({ line, dn, attributes }: NamedEntry): LdifRecord {
  return { kind: 'content', line, dn, attributes: attributes.filter(({ description }) => description.toLowerCase() !== 'entrycsn') };
}

function existingOf({ store }: Work['engine']) {
  return {
    empty: false,
    newestCsn: undefined,
    uuidAt: (dnKey: Uint8Array) => store.snapshot().byDnKey(dnKey)?.uuid,
    has: (uuid: string) => store.snapshot().byUuid(uuid) !== undefined,
  };
}

/** Reads all and writes nothing. */
async function check(work: Work, desk: Desk) {
  const { engine, report } = work;
  const kept: string[] = [];
  let refused = 0;
  const records = (async function* () {
    for await (const entry of desk.records(0)) {
      if (desk.isKept(entry)) kept.push(entry.dn);
      else yield recordOf(entry);
      await report.progress(0, percentOf(desk));
    }
  })();
  const { entries } = await importEntries(
    importDesk(work),
    records,
    { existing: existingOf(engine), put: () => undefined },
    {
      onRefused: (refusal) => {
        refused++;
        report.message(refusal.says);
      },
    },
  );
  return { entries, refused, kept };
}

function percentOf({ file, done }: Desk): number {
  return Math.floor((done() * 100) / Math.max(1, file.octets));
}

/** Entries above may be changed meanwhile: then they are looked at again. */
const attemptsMax = 20;

/** Adds entries while those above them are there. */
async function commitBelow({ engine, task, update }: Work, progress: TaskProgress, { expected, changes }: Along): Promise<TaskUpdated> {
  for (let attempt = 1; ; attempt++) {
    const written = await update(progress, { expected: [...expected, ...aboveThem(engine, task.realm, changes)], changes });
    if (typeof written === 'string' || written.kind !== 'unchanged' || attempt === attemptsMax) return written;
  }
}

/** Writes what stands behind a place, which moves with each commit. @returns how many were refused */
async function write(work: Work, desk: Desk, place: Place, goOn: boolean): Promise<number> {
  const { engine, report } = work;
  const kept = new Set(place.kept);
  const lines: { readonly line: number; readonly key: Uint8Array }[] = [];
  let refused = 0;
  let expected: Expectation[] = [];
  let changes: Change[] = [];
  let octets = 0;
  let line = place.line;

  const commit = async () => {
    if (changes.length === 0) return;
    const next = { ...place, line, entries: place.entries + changes.length };
    const progress = { ...report.parts(), place: placeText(next), done: next.entries, percent: percentOf(desk) };
    const along = { expected, changes };
    [expected, changes, octets] = [[], [], 0];
    const written = await commitBelow(work, progress, along);
    // What is written is known to be before anything else: who takes it away again takes away all of it.
    if (written === 'written') Object.assign(place, next);
    work.signal.throwIfAborted();
    if (written === 'gone') throw new TaskEnded('cancelled');
    if (written !== 'written') throw refuse(errors.taskFailed, { why: 'somebody has added an entry of the same name meanwhile' });
  };
  const records = (async function* () {
    for await (const entry of desk.records(place.line)) {
      if (kept.has(entry.dn)) continue;
      lines.push({ line: entry.line, key: entry.key });
      yield recordOf(entry);
    }
  })();
  await importEntries(
    importDesk(work),
    records,
    {
      existing: existingOf(engine),
      put: (entry) => {
        // Entries are put in the order of the file; those in between were refused.
        for (let first = lines.shift(); first !== undefined; first = lines.shift()) {
          line = first.line;
          if (equalBytes(first.key, entry.dnKey)) break;
        }
        expected.push({ kind: 'absent', dnKey: entry.dnKey }, { kind: 'unused', uuid: entry.uuid });
        changes.push({ kind: 'put', entry });
        octets += entry.user.length + entry.operational.length + entry.secret.length;
        return changes.length >= engine.settings['tasks.entriesAtOnce'] || octets > chunkOctetsMax ? commit() : undefined;
      },
    },
    goOn
      ? {
          isKept: true,
          onRefused: (refusal) => {
            refused++;
            report.message(refusal.says);
          },
        }
      : {},
  );
  await commit();
  return refused;
}
