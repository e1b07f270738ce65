import { text } from '#base';
import { Refusal } from '#catalogue';
import { formatRdn, type LdifContent, parseDn } from '#ldap';
import { type AttributeType, checkEntry, collectAttributes, type Schema } from '#schema';
import { noteLocks, settleValues, translate } from './attributes.ts';
import { settleClasses } from './classes.ts';
import { type Dialect, leftByClass } from './dialect.ts';
import { type Draft, textOf, valuesOf } from './draft.ts';
import { settlePasswords } from './passwords.ts';
import type { EntryNotes, Tally } from './report.ts';

/** By what entries are converted. */
export interface Workbench {
  /** With the definitions that the tree brings. */
  readonly schema: Schema;
  /** Whether an import may set values of a type. */
  isImportable(type: AttributeType): boolean;
  /** As `keys.foreignRoundsMax`. */
  readonly roundsMax: number;
  /** Puts an entry's names, its own too, below the realm's suffix. */
  map(entry: LdifContent): LdifContent;
}

/** An entry as Atrium takes it; `undefined` for one that is not carried over. What becomes of each value is told to the tally. */
export function convertEntry(bench: Workbench, dialect: Dialect, record: LdifContent, tally: Tally): LdifContent | undefined {
  const { schema, isImportable, roundsMax } = bench;
  const notes = tally.entry(
    { line: record.line, dn: record.dn },
    record.attributes.reduce((sum, { values }) => sum + values.length, 0),
  );
  const draft: Draft = {
    line: record.line,
    dn: record.dn,
    attributes: record.attributes.map(({ description, values }) => ({ description, values: [...values] })),
    supplied: new Set(),
  };
  const without = leftByClass(dialect, valuesOf(draft, 'objectclass'));
  if (without !== undefined) {
    notes.left(without.kind, without.name);
    return undefined;
  }
  translate(dialect, draft, notes);
  settleValues(schema, isImportable, draft, notes);
  settlePasswords(roundsMax, draft, notes);
  noteLocks(draft, notes);
  settleClasses(schema, draft, notes);
  noteMeanings(schema, dialect, draft, notes);
  const made = mapped(bench, draft, notes);
  try {
    checkEntry(schema, { dn: parseDn(made.dn) ?? [], attributes: collectAttributes(schema, made.attributes) });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    notes.left('refused', error.says);
    return undefined;
  }
  notes.carried();
  return made;
}

/** What is carried over and means something else here. */
function noteMeanings(schema: Schema, { groups }: Dialect, draft: Draft, notes: EntryNotes): void {
  const classes = valuesOf(draft, 'objectclass').map((value) => schema.objectClass(text(value) ?? ''));
  const is = (name: string) => classes.some((each) => each?.lineage.some((above) => above.name === name));
  if (is('pwdPolicy')) notes.note('policyEntry', '', 0);
  if ((is('person') || is('posixAccount')) && valuesOf(draft, 'userpassword').length === 0) notes.note('passwordNone', '', 0);
  if (groups?.test(draft.dn) === true && valuesOf(draft, 'member').length > 0)
    notes.note('group', formatRdn(parseDn(draft.dn)?.[0] ?? []), 0);
}

function mapped({ map }: Workbench, draft: Draft, notes: EntryNotes): LdifContent {
  const made = map({ kind: 'content', line: draft.line, dn: draft.dn, attributes: draft.attributes });
  for (const { description, values: all } of draft.attributes) {
    const values = all.filter((value) => !draft.supplied.has(value));
    const now = made.attributes.find((each) => each.description === description)?.values ?? [];
    const held = new Set(now.map(textOf));
    const before = new Set(all.map(textOf));
    const gone = values.filter((value) => !held.has(textOf(value))).length;
    const come = now.filter((value) => !before.has(textOf(value))).length - (all.length - values.length);
    const changed = Math.max(0, Math.min(gone, come));
    if (changed > 0) notes.note('suffix', description, changed);
    if (gone > changed) notes.note('suffixName', description, gone - changed);
    if (come > changed) notes.note('suffixSupplied', description, come - changed);
  }
  return made;
}
