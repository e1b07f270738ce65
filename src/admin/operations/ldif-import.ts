import { type Actor, ClientRefusal } from '#client';
import { formatDn, type LdifRecord, parseDn, resultCodes } from '#ldap';
import { updateOf } from './ldif-update.ts';
import { refusalWords } from './ldif-words.ts';

export interface ImportCounts {
  records: number;
  added: number;
  changed: number;
  skipped: number;
  refused: number;
  /** Of a dry run that stopped before all were judged. */
  unjudged: number;
  refusals: { line: number; dn: string; message: string }[];
}

/** An import under way: records are carried out some at a time, in an order in which each can be; what is refused is passed over. */
export interface Import {
  readonly counts: ImportCounts;
  /** Resolves when there is room for another. */
  take(record: LdifRecord): Promise<void>;
  /** Resolves when all is done. */
  drain(): Promise<void>;
}

/** Records that are under way together. */
const windowMax = 16;

/** @param toldMax  refusals that are told one by one */
export function createImport(
  actor: Pick<Actor, 'change'>,
  options: { readonly existing: 'refuse' | 'skip'; readonly toldMax: number },
): Import {
  const counts: ImportCounts = { records: 0, added: 0, changed: 0, skipped: 0, refused: 0, refusals: [], unjudged: 0 };
  const underWay = new Map<string, Promise<void>>();
  /** What was no refusal of a record: the directory could not be asked. */
  let broken: { readonly why: unknown } | undefined;
  const held = () => {
    if (broken !== undefined) throw broken.why;
  };

  const refused = (record: LdifRecord, refusal: ClientRefusal) => {
    if (refusal.code === resultCodes.entryAlreadyExists && options.existing === 'skip') {
      counts.skipped++;
      return;
    }
    counts.refused++;
    const { line, dn } = record;
    if (counts.refusals.length < options.toldMax) counts.refusals.push({ line, dn, message: refusalWords(record, refusal) });
  };
  const perform = async (record: LdifRecord): Promise<void> => {
    try {
      await actor.change(updateOf(record));
      if (record.kind === 'content' || record.kind === 'add') counts.added++;
      else counts.changed++;
    } catch (error) {
      if (!(error instanceof ClientRefusal)) throw error;
      refused(record, error);
    }
  };

  return {
    counts,
    take: async (record) => {
      counts.records++;
      const { own, superior } = namesOf(record.dn);
      // Its superior first, and nothing twice at one time. A change may concern any name: it waits for all.
      if (record.kind !== 'content' && record.kind !== 'add') await Promise.all(underWay.values());
      await underWay.get(superior);
      await underWay.get(own);
      while (underWay.size >= windowMax) await Promise.race(underWay.values());
      held();
      const work = perform(record)
        .catch((why: unknown) => {
          broken ??= { why };
        })
        .finally(() => underWay.delete(own));
      underWay.set(own, work);
      if (record.kind !== 'content' && record.kind !== 'add') await work;
    },
    drain: async () => {
      await Promise.all(underWay.values());
      held();
    },
  };
}

/** Two spellings of one name may differ here; then the directory's own refusal is what is told. */
function namesOf(dn: string): { readonly own: string; readonly superior: string } {
  const parsed = parseDn(dn);
  if (parsed === undefined) return { own: dn, superior: '' };
  return { own: formatDn(parsed).toLowerCase(), superior: formatDn(parsed.slice(1)).toLowerCase() };
}
