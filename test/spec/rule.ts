/** What a rule may wait for: each is built after the sign-in. */
export const laterSubjects = [
  'federation',
  'wallet',
  'Kerberos',
  'client certificates',
  'risk',
  'WS-Federation',
  'SAML',
  'portal',
  'app passwords',
] as const;
export type LaterSubject = (typeof laterSubjects)[number];

/** A rule of the specification, and the test that holds it. */
export interface SpecRule {
  /** Document, section, and the number or name of the rule there. */
  readonly source: string;
  readonly rule: string;
  readonly standing: Standing;
}

/** Held by a test, later with what it belongs to, or open: what nothing holds, and why. */
export type Standing =
  /** A test file below `test/`, and words of the test's title. */
  | { readonly kind: 'held'; readonly file: string; readonly title: string }
  | { readonly kind: 'later'; readonly subject: LaterSubject }
  | { readonly kind: 'open'; readonly why: string };

type Line =
  | readonly [name: string, rule: string, file: string, title: string]
  | readonly [name: string, rule: string, standing: Exclude<Standing, { kind: 'held' }>];

/** The rules of one section of a document, whose number it begins with, or of something that no document has. */
export function section(of: string, lines: readonly Line[]): readonly SpecRule[] {
  return lines.map(([name, rule, third, title]) => ({
    source: `${/^\d/.test(of) ? `document ${of}` : of}: ${name}`,
    rule,
    standing: typeof third === 'string' ? { kind: 'held', file: third, title: title ?? '' } : third,
  }));
}

export function later(subject: LaterSubject): Standing & { kind: 'later' } {
  return { kind: 'later', subject };
}

export function open(why: string): Standing & { kind: 'open' } {
  return { kind: 'open', why };
}

/** How many rules stand how. */
export function countRules(rules: readonly SpecRule[]): Readonly<Record<Standing['kind'], number>> {
  const of = (kind: Standing['kind']) => rules.filter(({ standing }) => standing.kind === kind).length;
  return { held: of('held'), later: of('later'), open: of('open') };
}
