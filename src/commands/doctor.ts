import { isBroken } from '#keys';
import type { Command, Damage, Examined } from './command.ts';
import { noDirectory, Unreachable } from './exits.ts';
import { json } from './options.ts';
import { createProgress } from './progress.ts';

/** Of each kind of damage so many are told one by one; all are counted. */
const toldMax = 20;

const kinds: Readonly<Record<Damage['kind'], string>> = {
  page: 'pages of a file',
  index: 'index',
  tree: 'tree',
  identity: 'entryUUIDs and entryCSNs',
  schema: 'schema',
  sealed: 'sealed values',
  value: 'values of large attributes',
  log: 'change log',
};

export const doctor: Command = {
  means: 'look for damage in the data folder',
  more: [
    'Holds the files against themselves: SQLite’s own check of all three; every index row against every entry and back; each entry’s superior, name, entryUUID and content by the schema; sealed values against the key-encryption keys that are given; every change of the log, for gaps, for what was lost at its end, and against the entries. It counts the mails that were given up, and says what keeps mail from being sent as the environment, the entry of the service’s settings and the realms have it set. Each file is read as it stands at one moment, and nothing is written. While it reads, a running service cannot shorten its log.',
    '--repair makes all indexes anew from the entries, on a stopped service’s folder, and looks again. No other damage is repaired: for that there is atrium restore.',
  ],
  on: 'files',
  options: { repair: { means: 'make all indexes anew, on a stopped service’s folder' }, json },
  examples: [{ line: 'atrium doctor' }, { line: 'atrium doctor --repair' }, { line: 'atrium doctor --json' }],
  exits: { 0: 'all is sound', 1: 'there is damage', 4: 'nothing could be looked at' },
  run: async (given, context) => {
    const repaired = given.flag('repair') ? await context.repair() : undefined;
    if (repaired?.kind === 'refused') throw unreachable(repaired.lines);
    const count = new Map<Damage['kind'], number>();
    const told: Damage[] = [];
    const progress = createProgress(context.stderr, () => context.clock.nowMs(), 'Examining');
    const examined = await context.examine({
      tell: (damage) => {
        const before = count.get(damage.kind) ?? 0;
        count.set(damage.kind, before + 1);
        if (before < toldMax) told.push(damage);
      },
      onProgress: (entries, total) => progress.show(entries, total, entries),
    });
    progress.end();
    if (examined.kind === 'absent') throw new Unreachable(noDirectory);
    if (examined.kind === 'refused') throw unreachable(examined.lines);
    const report: Report = { ...examined, repaired: repaired?.kind === 'repaired', count, told };
    context.stdout.write(given.flag('json') ? jsonOf(report) : words(report));
    return count.size === 0 ? 0 : 1;
  },
};

type Report = Extract<Examined, { kind: 'examined' }> & {
  readonly repaired: boolean;
  readonly count: ReadonlyMap<Damage['kind'], number>;
  readonly told: readonly Damage[];
};

function unreachable(lines: readonly string[]): Unreachable {
  return new Unreachable(lines.join('\natrium: '));
}

function words({ entries, indexRows, indexCompared, changes, passwords, mailsFailed, mailFaults, repaired, count, told }: Report): string {
  const index = indexCompared ? '' : ', not compared: an older version made them, and the next start makes them anew';
  return [
    ...(repaired ? ['All indexes were made anew.'] : []),
    `${number(entries)} entries, ${number(indexRows)} index rows${index}, ${number(changes)} changes in the log.`,
    ...passwordsLines(passwords),
    ...[...count].flatMap(([kind, times]) => {
      const own = told.filter((damage) => damage.kind === kind).map(({ what }) => `  ${what}`);
      const more = times > own.length ? [`  and ${number(times - own.length)} more`] : [];
      return ['', `Damage in the ${kinds[kind]}, ${number(times)}:`, ...own, ...more];
    }),
    ...(mailsFailed > 0 ? [`${number(mailsFailed)} mails were given up: see atrium mail list.`] : []),
    ...mailFaults,
    ...(count.size === 0 ? ['All is sound.'] : ['', adviceOf(count, repaired)]),
    '',
  ].join('\n');
}

function passwordsLines(passwords: Report['passwords']): readonly string[] {
  const kept = Object.entries(passwords).map(([scheme, times]) => `${number(times)} ${scheme}`);
  if (kept.length === 0) return [];
  const broken = Object.keys(passwords).some((scheme) => isBroken(scheme));
  const advice = '{MD5} and {SMD5} are found out by whoever reads this folder: they go with the first sign-in, or with another password.';
  return [`Passwords: ${kept.join(', ')}.`, ...(broken ? [advice] : [])];
}

function adviceOf(count: Report['count'], repaired: boolean): string {
  const rest = 'What is left no repair can guess: atrium restore brings a backup back.';
  return count.has('index') && !repaired ? 'atrium doctor --repair makes the indexes anew, on a stopped folder.' : rest;
}

function jsonOf({ entries, indexRows, indexCompared, changes, passwords, mailsFailed, mailFaults, repaired, count, told }: Report): string {
  const sound = count.size === 0;
  return `${JSON.stringify({ sound, entries, indexRows, indexCompared, changes, passwords, mailsFailed, mailFaults, repaired, damage: Object.fromEntries(count), told })}\n`;
}

function number(count: number): string {
  return count.toLocaleString('en');
}
