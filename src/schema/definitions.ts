import { text as textOf } from '#base';
import { invalid } from './invalid.ts';
import { kinds } from './kinds.ts';

/** A schema file, as text: slapd's form, or LDIF when its name ends so. Its name is otherwise only for messages. */
export interface SchemaText {
  readonly name: string;
  readonly text: string;
}

/** One definition of a schema file, not yet understood. */
export interface Definition {
  /** That of `kinds`. */
  readonly keyword: string;
  /** The definition from its opening parenthesis, on one line. */
  readonly text: string;
  readonly file: string;
  readonly line: number;
}

/** A statement of either form: its keyword in lower case, without `olc`, and what follows it. */
type Statement = Definition;

/**
 * Cuts a schema file into definitions of RFC 4512 §4.1.
 *
 * slapd's form: a line that begins with a keyword (`attributetype`, `objectclass`) begins one, lines that begin with a space or a tab carry it on;
 * `#` begins a comment line. LDIF: the values of `olcAttributeTypes`, `attributeTypes` and their like, without the `{n}` in front of them.
 * In both, names that `objectidentifier` gives to OIDs are replaced by these, and quotes around names of syntaxes and rules are taken away:
 * slapd takes both, and its own files have them.
 *
 * @throws Refusal schemaInvalid, with file and line, for what begins no definition and for names of OIDs that are not given before
 */
export function readDefinitions(file: SchemaText): Definition[] {
  const macros = new Map<string, string>();
  const found: Definition[] = [];
  for (const statement of /\.ldif$/i.test(file.name) ? ldifStatements(file) : statements(file)) {
    if (statement.keyword === 'objectidentifier') defineMacro(statement, macros);
    else if (byKeyword.has(statement.keyword)) found.push({ ...statement, text: plain(statement, macros) });
    else throw invalid(statement, `'${statement.keyword}' begins no definition`);
  }
  return found;
}

const byKeyword = new Set(kinds.map(({ keyword }) => keyword));

function statements({ name, text }: SchemaText): Statement[] {
  const found: { keyword: string; lines: string[]; line: number }[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.startsWith('#') || line.trim() === '') continue;
    const open = found.at(-1);
    if (/^[ \t]/.test(line) && open !== undefined) {
      open.lines.push(line.trim());
      continue;
    }
    const begun = /^\s*([A-Za-z]*)\s*(.*)$/.exec(line);
    found.push({ keyword: (begun?.[1] ?? '').toLowerCase(), lines: [(begun?.[2] ?? '').trim()], line: index + 1 });
  }
  return found.map(({ keyword, lines, line }) => ({ keyword: keywordOf(keyword), text: lines.join(' '), file: name, line }));
}

/** The keyword that is meant: the kinds are written in the plural as well, and slapd looks at no more than the first nine letters of `attributetype`. */
function keywordOf(given: string): string {
  return given.startsWith('attribute') ? 'attributetype' : (byAttribute.get(given) ?? given);
}

/** How LDIF names the kinds: `attributetypes`, `olcattributetypes`. */
const byAttribute = new Map(
  [...kinds, { keyword: 'objectidentifier', attribute: 'objectIdentifier' }].flatMap(({ keyword, attribute }) => [
    [attribute.toLowerCase(), keyword],
    [`olc${attribute.toLowerCase()}`, keyword],
  ]),
);

/** Lines of an entry that say nothing of the schema. */
const besides = new Set(['version', 'dn', 'objectclass', 'cn', 'changetype', 'add']);

function* ldifStatements({ name, text }: SchemaText): Generator<Statement> {
  const lines: { text: string; line: number }[] = [];
  let comment = false;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const last = lines.at(-1);
    if (line.startsWith(' ')) {
      if (!comment && last !== undefined) last.text += line.slice(1);
      continue;
    }
    comment = line.startsWith('#');
    if (!comment && line !== '' && line !== '-') lines.push({ text: line, line: index + 1 });
  }
  for (const { text: whole, line } of lines) {
    const [, attribute = '', encoded, given = ''] = /^([A-Za-z][A-Za-z0-9;-]*):(:?) *(.*)$/s.exec(whole) ?? [];
    const keyword = byAttribute.get(attribute.toLowerCase());
    const at = { keyword: attribute.toLowerCase(), text: '', file: name, line };
    if (keyword === undefined) {
      if (attribute === '' || !besides.has(at.keyword)) throw invalid(at, `'${attribute || whole.slice(0, 20)}' is no part of a schema`);
      continue;
    }
    const value = encoded === ':' ? textOf(Buffer.from(given, 'base64')) : given;
    if (value === undefined) throw invalid(at, 'the value is no UTF-8');
    yield { ...at, keyword, text: value.replace(/^\{\d+\}\s*/, '').trim() };
  }
}

const oidForm = /^\d+(?:\.\d+)*$/;

/** `objectidentifier NAME OID`, where the OID may be one that was named before, `:` and numbers behind it. */
function defineMacro(statement: Statement, macros: Map<string, string>): void {
  const [, name, given, more] = /^(\S+)\s+(\S+)\s*(.*)$/.exec(statement.text) ?? [];
  if (name === undefined || given === undefined || more !== '') throw invalid(statement, 'a name and an OID are expected');
  const oid = oidOf(given, macros);
  if (oid === undefined) throw invalid(statement, `'${given}' is no OID, and none was named so before`);
  macros.set(name.toLowerCase(), oid);
}

function oidOf(given: string, macros: ReadonlyMap<string, string>): string | undefined {
  if (oidForm.test(given)) return given;
  const [, name = '', tail] = /^([^:]+)(?::(\d+(?:\.\d+)*))?$/.exec(given) ?? [];
  const above = macros.get(name.toLowerCase());
  return above === undefined || tail === undefined ? above : `${above}.${tail}`;
}

/** Keywords behind which a name stands that may be in quotes. */
const naming = /(?:^|[\s(])(?:SYNTAX|SUP|EQUALITY|ORDERING|SUBSTR)\s*$/i;

/** The definition with OIDs for the names of OIDs, and without quotes that RFC 4512 does not have. */
function plain(statement: Statement, macros: ReadonlyMap<string, string>): string {
  // Every second piece stood in quotes; within one there is no other, but for `\27`.
  const pieces = statement.text.split("'");
  let made = '';
  pieces.forEach((piece, at) => {
    if (at % 2 === 1 && !naming.test(made)) made += `'${piece}'`;
    else made += withOids(statement, piece, macros, at === 0);
  });
  return statement.keyword === 'ldapsyntax' ? made.replace(/^(\(\s*[\d.]+\s+)NAME\s+'[^']*'\s*/i, '$1') : made;
}

function withOids(statement: Statement, piece: string, macros: ReadonlyMap<string, string>, isHead: boolean): string {
  const named = piece.replace(/[A-Za-z][A-Za-z0-9-]*:\d+(?:\.\d+)*/g, (whole) => {
    const oid = oidOf(whole, macros);
    if (oid === undefined) throw invalid(statement, `no OID was named '${whole.slice(0, whole.indexOf(':'))}' before`);
    return oid;
  });
  const headed = isHead ? named.replace(/^(\(\s*)([A-Za-z][A-Za-z0-9-]*)/, (_, open, name) => open + (oidOf(name, macros) ?? name)) : named;
  const syntax = (_: string, open: string, name: string) => open + (oidOf(name, macros) ?? name);
  return headed.replace(/(\bSYNTAX\s+)([A-Za-z][A-Za-z0-9-]*)/i, syntax).replace(/^()([A-Za-z][A-Za-z0-9-]*)$/, syntax);
}
