/** A form as a browser would send it: where, and each field with what stands in it. */
export interface PageForm {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Fields that somebody sees. */
  readonly shown: readonly string[];
}

const plain = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');

/** What a page says, without its marks. */
export function wordsOf(body: string): string {
  return plain(body.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

/** The address of the first link of a page whose words are these. @throws Error where there is none */
export function linkOf(body: string, words: string): string {
  const link = linksOf(body).find((each) => each.words === words);
  if (link === undefined) throw new Error(`no link says ${words}: ${[...new Set(linksOf(body).map((each) => each.words))].join(' | ')}`);
  return link.href;
}

export function linksOf(body: string): readonly { readonly words: string; readonly href: string }[] {
  return [...body.matchAll(/<a\b[^>]*\bhref="([^"]*)"[^>]*>([\s\S]*?)<\/a>/g)].map(([, href = '', content = '']) => ({
    href: plain(href),
    words: wordsOf(content),
  }));
}

/** The row of a table that has these words in it. @throws Error where there is none */
export function rowOf(body: string, words: string): string {
  const row = body.match(/<tr>[\s\S]*?<\/tr>/g)?.find((each) => wordsOf(each).includes(words));
  if (row === undefined) throw new Error(`no row has ${words}`);
  return row;
}

/** The form of a page that is sent to a path which begins so. @throws Error where there is none */
export function formOf(body: string, path: string): PageForm {
  const found = [...body.matchAll(/<form method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)].find(([, to = '']) =>
    plain(to).startsWith(path),
  );
  if (found === undefined) throw new Error(`no form is sent to ${path}`);
  const [, action = '', content = ''] = found;
  const fields: Record<string, string> = {};
  const shown: string[] = [];
  for (const [mark, tag = '', inner = ''] of content.matchAll(
    /<(?:(input)[^>]*>|(?:select|textarea)[^>]*>([\s\S]*?)<\/(?:select|textarea)>)/g,
  )) {
    const of = (name: string) => plain(new RegExp(`\\s${name}="([^"]*)"`).exec(mark)?.[1] ?? '');
    const name = of('name');
    if (of('type') !== 'hidden') shown.push(name);
    if (tag === '') fields[name] = mark.startsWith('<select') ? chosenOf(inner) : plain(inner.replace(/^\n/, ''));
    else if (of('type') !== 'checkbox' || /\schecked/.test(mark)) fields[name] = of('value');
  }
  return { action: plain(action), fields, shown };
}

function chosenOf(options: string): string {
  const chosen = /<option value="([^"]*)" selected/.exec(options) ?? /<option value="([^"]*)"/.exec(options);
  return plain(chosen?.[1] ?? '');
}
