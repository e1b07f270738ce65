import { equalBytes } from '#base';
import { Refusal, refuse } from '#catalogue';
import { importEntries, liveDesk } from '#directory';
import type { LdifFault, LdifRecord } from '#ldap';
import type { EntryRecord } from '#store';
import type { NamedEntry } from '#transfer';
import { errors } from './errors.ts';
import { counted, type Desk, deskOf } from './import-desk.ts';
import { createSpool, type Spool } from './import-spool.ts';
import { undo } from './import-undo.ts';
import { createWriting } from './import-write.ts';
import { type Place, placeText, readPlace } from './place.ts';
import { type Outcome, TaskEnded, type Work } from './task.ts';

/**
 * Adds the entries of a file to a realm of the running service: all of them or none, unless the task says to go on behind refusals. First all is checked and
 * nothing written; then some entries are one commit, which moves the place in the task's entry with them, so that after any end of the service the next one
 * goes on where this one was. What a realm begins with and is there stays as it is.
 *
 * What was checked lies in a file meanwhile as it is to be stored; memory is bounded by what is put into one commit, and some octets for each name. After a
 * restart, and where passwords come in clear, the file is read a second time.
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
  using spool = createSpool(exchange.scratch(task.file));
  let known: Checked | undefined;
  if (earlier === undefined) {
    await report.write({ state: 'checking' });
    known = await check(work, desk, spool);
    const { entries, refused, kept } = known;
    for (const dn of kept) report.message(`${dn} was there and stays as it is`);
    if (task.options.includes('dry-run') || (refused > 0 && !goOn)) return checked(entries, refused, task.options.includes('dry-run'));
    place.kept = kept;
  }
  await report.write({ state: 'running', place: placeText(place) });
  try {
    const refused = known?.isSpooled === true ? await writeChecked(work, place, known, spool) : await writeBehind(work, desk, place, goOn);
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

/** A restored entryCSN would come behind newer ones, and who follows the directory would never hear of the entry. */
function recordOf(entry: NamedEntry | LdifFault): LdifRecord | LdifFault {
  if ('kind' in entry) return entry;
  const { line, dn, attributes } = entry;
  return { kind: 'content', line, dn, attributes: attributes.filter(({ description }) => description.toLowerCase() !== 'entrycsn') };
}

function existingOf({ store }: Work['engine']) {
  return {
    empty: false,
    newestCsn: undefined,
    keepsCsns: false,
    uuidAt: (dnKey: Uint8Array) => store.snapshot().byDnKey(dnKey)?.uuid,
    has: (uuid: string) => store.snapshot().byUuid(uuid) !== undefined,
  };
}

interface Checked {
  readonly entries: number;
  readonly refused: number;
  readonly kept: readonly string[];
  /** Whether the spool has all that can be taken: a password in clear takes long to hash, and is hashed when it is written. */
  readonly isSpooled: boolean;
}

/** Reads all and writes nothing but what is ready to be written into the spool. */
async function check(work: Work, desk: Desk, spool: Spool): Promise<Checked> {
  const { engine, report, task } = work;
  const kept: string[] = [];
  const lines: Lines = [];
  let refused = 0;
  let isSpooled = !task.options.includes('dry-run');
  const records = (async function* () {
    for await (const entry of desk.records(0)) {
      if (!('kind' in entry) && desk.isKept(entry)) kept.push(entry.dn);
      else {
        if (isSpooled && !('kind' in entry)) lines.push({ line: entry.line, key: entry.key });
        yield recordOf(entry);
      }
      await report.progress(0, percentOf(desk));
    }
  })();
  const { entries } = await importEntries(
    liveDesk(engine),
    records,
    {
      existing: existingOf(engine),
      put: (entry) => {
        if (isSpooled) spool.put({ line: lineOf(lines, entry), entry });
        return undefined;
      },
    },
    {
      onRefused: (refusal) => {
        refused++;
        report.message(refusal.says);
      },
      onUnhashed: () => {
        isSpooled = false;
      },
    },
  );
  return { entries, refused, kept, isSpooled };
}

type Lines = { readonly line: number; readonly key: Uint8Array }[];

/** Entries are put in the order of the file; those in between were refused. */
function lineOf(lines: Lines, { dnKey }: EntryRecord): number {
  const at = lines.findIndex(({ key }) => equalBytes(key, dnKey));
  const [found] = lines.splice(0, at + 1).slice(-1);
  if (found === undefined) throw new Error('an entry that the file does not have was to be written');
  return found.line;
}

function percentOf({ file, done }: Desk): number {
  return Math.floor((done() * 100) / Math.max(1, file.octets));
}

/** Writes what was checked. @returns how many were refused */
async function writeChecked(work: Work, place: Place, { entries, refused }: Checked, spool: Spool): Promise<number> {
  const writing = createWriting(work, place, () => Math.floor((place.entries * 100) / Math.max(1, entries)));
  for await (const ready of spool.entries()) {
    const busy = writing.put(ready);
    if (busy !== undefined) await busy;
  }
  await writing.flush();
  return refused;
}

/** Reads the file behind a place, and writes it. @returns how many were refused */
async function writeBehind(work: Work, desk: Desk, place: Place, goOn: boolean): Promise<number> {
  const { engine, report } = work;
  const kept = new Set(place.kept);
  const lines: Lines = [];
  let refused = 0;
  const writing = createWriting(work, place, () => percentOf(desk));
  const records = (async function* () {
    for await (const entry of desk.records(place.line)) {
      if (kept.has(entry.dn)) continue;
      if (!('kind' in entry)) lines.push({ line: entry.line, key: entry.key });
      yield recordOf(entry);
    }
  })();
  await importEntries(
    liveDesk(engine),
    records,
    { existing: existingOf(engine), put: (entry) => writing.put({ line: lineOf(lines, entry), entry }) },
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
  await writing.flush();
  return refused;
}
