import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the pages are: one for each program, and `README.md`, which says what is the same for all. */
export const pagesFolder = join(import.meta.dirname, '..', '..', '..', 'docs', 'clients');

/** What an administrator does who follows a page, in its order. */
export type PageStep =
  /** Commands of root on the machine of the program. */
  | { readonly kind: 'commands'; readonly text: string }
  /** Commands where Atrium runs. */
  | { readonly kind: 'atrium'; readonly text: string }
  /** Entries that are added as the administrator of Atrium. */
  | { readonly kind: 'entries'; readonly text: string }
  /** A file that is written, or lines that are put in front of what it holds or behind. */
  | { readonly kind: 'file'; readonly path: string; readonly place: Place; readonly text: string };

type Place = 'the whole file' | 'at the top' | 'at the end';

const fence = /^(?<above>[^\n]*)\n\n?```(?<language>\w+)\n(?<text>.*?)^```$/gms;
const headline = /^`(?<path>\/[^`]+)`, (?<place>the whole file|at the top|at the end):$/;

/** The names of the pages, without the index. */
export function pageNames(): string[] {
  return readdirSync(pagesFolder)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .map((file) => file.slice(0, -'.md'.length))
    .sort();
}

/** The steps of a page of docs/clients. @param name  without its ending; `README` is the index */
export const readPage = (name: string): PageStep[] => stepsOf(join(pagesFolder, `${name}.md`));

/**
 * Reads the blocks of a page. `sh` is run as root; below a line that ends with *on the machine of Atrium:* it is run there; `ldif` is added to the
 * directory; `text` is only read. Every other block is a file, and the line above it says which and where in it.
 *
 * @throws Error for a block of which the page does not say what it is
 */
export function stepsOf(file: string): PageStep[] {
  const page = readFileSync(file, 'utf8');
  return [...page.matchAll(fence)].flatMap(({ groups: { above = '', language = '', text = '' } = {} }): PageStep[] => {
    if (language === 'text') return [];
    if (language === 'sh') return [{ kind: above.endsWith('on the machine of Atrium:') ? 'atrium' : 'commands', text }];
    if (language === 'ldif') return [{ kind: 'entries', text }];
    const { path, place } = headline.exec(above)?.groups ?? {};
    if (path === undefined) throw new Error(`${file}: the line above a block does not say which file it is: ${above}`);
    return [{ kind: 'file', path, place: place as Place, text }];
  });
}

/** The Debian packages that a page has installed. */
export function packagesOf(steps: readonly PageStep[]): string[] {
  const commands = steps.flatMap((step) => (step.kind === 'commands' ? step.text.split('\n') : []));
  return commands.flatMap((line) => /^apt install (.+)$/.exec(line)?.[1]?.split(' ') ?? []);
}
