import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from './ask.ts';
import { type Case, words } from './case.ts';
import { type Told, told } from './told.ts';
import type { Worlds } from './worlds.ts';

/** A case, both answers, and what is wrong with it. */
export interface Compared {
  readonly made: Case;
  readonly atrium: Told;
  readonly slapd: Told;
  /** In which parts the answers differ. */
  readonly differing: readonly (keyof Told)[];
  /** Nothing where they are the same, or differ as it is written down. */
  readonly fault: string | undefined;
}

const parts = ['code', 'matchedDN', 'text', 'entries', 'controls', 'said'] as const satisfies readonly (keyof Told)[];

/** Runs a case on both servers. A difference must be explained by a row of the documentation, and a row must explain one. */
async function compare(worlds: Worlds, made: Case): Promise<Compared> {
  const [one, other] = await Promise.all([ask(worlds.atrium, made), ask(worlds.slapd, made)]);
  const [atrium, slapd] = [told(one), told(other)];
  const differing = parts.filter((part) => JSON.stringify(atrium[part]) !== JSON.stringify(slapd[part]));
  return { made, atrium, slapd, differing, fault: faultOf(made, atrium, slapd, differing) };
}

/** What is wrong with two answers that differ in these parts: nothing when they are the same, or differ as it is written down. */
export function faultOf({ differs }: Case, atrium: Told, slapd: Told, differing: readonly (keyof Told)[]): string | undefined {
  if (differs === undefined)
    return differing.length > 0 ? `${differing.join(', ')}: no row of docs/slapd-differences.md explains it` : undefined;
  const [topic, begins] = differs.row;
  if (!rows().some((row) => row.topic === topic && row.slapd.startsWith(begins)))
    return `docs/slapd-differences.md has no row ${topic} | ${begins}`;
  if (differing.length === 0) return 'it is said to differ, and does not';
  if (differs === words && differing.some((part) => part !== 'text')) return `${differing.join(', ')}: more than the words differs`;
  const codes = differs.codes ?? { atrium: atrium.code, slapd: atrium.code };
  return codes.atrium === atrium.code && codes.slapd === slapd.code ? undefined : 'the result codes are not those that are written down';
}

interface Row {
  readonly topic: string;
  readonly slapd: string;
}

let read: readonly Row[] | undefined;

/** The table of the documentation. */
function rows(): readonly Row[] {
  read ??= readFileSync(join(import.meta.dirname, '../../../docs/slapd-differences.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => {
      const [, topic = '', slapd = ''] = line.split('|').map((cell) => cell.trim());
      return { topic, slapd };
    });
  return read;
}

/**
 * Compares all of them in their order. Those that change nothing are made beside each other.
 *
 * @param heard  called with each in its order
 */
export async function compareAll(worlds: Worlds, cases: readonly Case[], heard: (compared: Compared) => void): Promise<void> {
  for (let from = 0; from < cases.length; ) {
    const reads = cases.slice(from, from + together).findIndex((made) => !isRead(made));
    const batch = cases.slice(from, from + (reads < 0 ? together : Math.max(reads, 1)));
    for (const compared of await Promise.all(batch.map((made) => compare(worlds, made)))) heard(compared);
    from += batch.length;
  }
}

const together = 4;

function isRead({ tool, lasts }: Case): boolean {
  return lasts === undefined && (tool === 'ldapsearch' || tool === 'ldapcompare' || tool === 'ldapwhoami' || tool === 'ldapexop');
}

/** One answer in one line. */
function answerLine({ code, matchedDN, text, entries, controls, said }: Told): string {
  const names = entries.map((entry) => /^dn:+ ?(.*)/.exec(entry)?.[1]?.split(',')[0] ?? '');
  return [
    `result ${code}`,
    ...(matchedDN === '' ? [] : [`matched ${matchedDN}`]),
    ...(text === '' ? [] : [`text "${text}"`]),
    ...(names.length === 0 ? [] : [`entries ${names.join(' ')}`]),
    ...(controls.length === 0 ? [] : [[...new Set(controls)].join('; ')]),
    ...(said.length === 0 ? [] : [`said ${said.join('; ').slice(0, saidMax)}`]),
  ].join(', ');
}

const saidMax = 300;

/** One line for a case, both answers in it. */
export function caseLine({ made, atrium, slapd, differing, fault }: Compared): string {
  const title = `${made.of}: ${made.title}`;
  if (differing.length === 0 && fault === undefined) return `✔ ${title} | both: ${answerLine(atrium)}`;
  const why = fault ?? `differs in ${differing.join(', ')} [${made.differs?.row.join(': ')}]`;
  return `${fault === undefined ? '≠' : '✘'} ${title} | Atrium: ${answerLine(atrium)} | slapd: ${answerLine(slapd)} | ${why}`;
}
