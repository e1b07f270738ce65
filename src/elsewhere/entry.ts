import { text } from '#base';
import { Refusal } from '#catalogue';
import type { HashBounds } from '#keys';
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
  /** What a hash of a password may ask for. */
  readonly bounds: HashBounds;
  /** Puts an entry's names, its own too, below the realm's suffix. */
  map(entry: LdifContent): LdifContent;
}

/** An entry as Atrium takes it; `undefined` for one that is not carried over. What becomes of each value is told to the tally. */
export function convertEntry(bench: Workbench, dialect: Dialect, record: LdifContent, tally: Tally): LdifContent | undefined {
  const { schema, isImportable, bounds } = bench;
  const notes = tally.entry(
    { line: record.line, dn: record.dn },
    record.attributes.reduce((sum, { values }) => sum + values.length, 0),
  );
  const draft: Draft = {
    line: record.line,
    dn: record.dn,
    attributes: record.attributes.map(({ description, values }) => ({ description, values: [...values] })),
    supplied: new Set(),
    changed: new Map(),
  };
  const without = leftByClass(dialect, valuesOf(draft, 'objectclass'));
  if (without !== undefined) {
    notes.left(without.kind, without.name);
    return undefined;
  }
  translate(dialect, draft, notes);
  settleValues(schema, isImportable, draft, notes);
  settlePasswords(bounds, draft, notes);
  noteLocks(draft);
  settleClasses(schema, draft, notes);
  noteMeanings(schema, dialect, draft, notes);
  for (const value of draft.attributes.flatMap(({ values }) => values)) {
    const note = draft.changed.get(value);
    if (note !== undefined) notes.note(...note, 1);
  }
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
  for (const { description, values } of draft.attributes) {
    const now = made.attributes.find((each) => each.description === description)?.values ?? [];
    if (now.length === values.length) {
      // In the same order: each leads below the realm's suffix, or is as it was.
      const isOther = (value: Uint8Array, at: number) =>
        textOf(value) !== textOf(now[at] as Uint8Array) && !draft.supplied.has(value) && !draft.changed.has(value);
      const changed = values.filter(isOther).length;
      if (changed > 0) notes.note('suffix', description, changed);
      continue;
    }
    // The suffix's own entry: the value that names it is another one, and a class may have come that allows it.
    const gone = values.filter((value) => !now.some((each) => textOf(each) === textOf(value))).length;
    const come = now.filter((value) => !values.some((each) => textOf(each) === textOf(value))).length;
    if (gone > 0) notes.note('suffixName', description, gone);
    if (come > 0) notes.note('suffixSupplied', description, come);
  }
  return made;
}
