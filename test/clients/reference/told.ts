import type { Ran } from '../../support/ldap-utils.ts';

/** What a tool said of one answer, without what every server makes for itself. */
export interface Told {
  readonly code: number;
  readonly matchedDN: string;
  readonly text: string;
  /** Each with its lines, attributes in the order of their names. */
  readonly entries: readonly string[];
  /** Those of the answers and those of the entries: OID, criticality, and the value where it is not each server's own. */
  readonly controls: readonly string[];
  /** What else it printed: names, passwords, URIs, what it makes of a control. */
  readonly said: readonly string[];
}

/** Values of these say times, places and identifiers of a server; the tools print what else is in them. */
const own: Readonly<Record<string, string>> = {
  '1.2.840.113556.1.4.319': 'page',
  '2.16.840.1.113730.3.4.10': 'view',
  '1.3.6.1.4.1.4203.1.9.1.2': 'state',
  '1.3.6.1.4.1.4203.1.9.1.3': 'done',
  '1.3.6.1.1.13.1': 'before',
  '1.3.6.1.1.13.2': 'after',
};

const masks: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<uuid>'],
  [/\d{14}\.\d{6}Z#\w{6}#\w{3}#\w{6}/g, '<csn>'],
  [/\b20\d{12}Z\b/g, '<time>'],
  [/^(# cookie: ).*/, '$1<cookie>'],
  [/cookie=\S+/, 'cookie=<cookie>'],
  [/(?:estimate=\d+ )/, ''],
  [/context=\S*/, 'context=<context>'],
  [/^(New password: ).*/, '$1<password>'],
];

export function told({ status, stdout, stderr }: Ran): Told {
  const lines = stdout.split('\n').map(masked);
  const all = [...lines, ...stderr.split('\n').map(masked)];
  const first = (pattern: RegExp) => all.map((line) => pattern.exec(line)?.[1]).find((found) => found !== undefined) ?? '';
  const blocks = stdout.split(/\n{2,}/).map((block) => block.split('\n').map(masked));
  return {
    code: codeOf(status, stdout, stderr),
    matchedDN: first(/^\s*matched ?DN: (.*)$/i),
    text: first(/^\s*(?:additional info|text): (.*)$/i),
    entries: blocks.map(entryOf).filter((entry) => entry !== ''),
    controls: lines.filter((line) => /^(?:# )?control: /.test(line)),
    said: [...blocks.filter((block) => entryOf(block) === '').flat(), ...stderr.split('\n').map(masked)].filter(isSaid),
  };
}

/** The result code that a tool printed, or ended with. The last of a search in pages. */
function codeOf(status: number, stdout: string, stderr: string): number {
  const results = [...stdout.matchAll(/^result: (\d+)/gm)];
  const printed = results.at(-1)?.[1] ?? /\((\d+)\)/.exec(`${stderr}${stdout}`)?.[1];
  return status === 0 || printed === undefined ? status : Number(printed);
}

function masked(line: string): string {
  const control = /^(# )?control: ([\d.]+) (\w+)/.exec(line);
  if (control !== null && own[control[2] ?? ''] !== undefined) return `control: ${control[2]} ${control[3]} <${own[control[2] ?? '']}>`;
  return masks.reduce((text, [pattern, mask]) => text.replace(pattern, mask), line);
}

/** The lines of an entry, what is said of it by comments last, or nothing. */
function entryOf(block: readonly string[]): string {
  const at = block.findIndex((line) => line.startsWith('dn:'));
  if (at < 0) return '';
  const [dn = '', ...lines] = block.slice(at);
  return [dn, ...lines.filter((line) => !/^(?:# )?control: /.test(line)).sort()].join('\n');
}

/** What ldapsearch says of itself and of what it was asked; what stands in a field of its own. */
function isSaid(line: string): boolean {
  return (
    line !== '' &&
    !/^(?:# (?:extended LDIF|LDAPv3|base <|filter|requesting|with |search result|num[A-Z])|#$|search: |result: |(?:# )?control: |\s*(?:matched ?DN|additional info|text): |# .*, .*\.com$|#?!?\s*$)/i.test(
      line,
    )
  );
}
