import { isAttributeType, isNumericOid } from '../description.ts';
import { type Field, type GrammarName, grammars } from './fields.ts';
import { type Token, tokenize } from './tokens.ts';
import type {
  AttributeTypeDescription,
  DitContentRuleDescription,
  DitStructureRuleDescription,
  MatchingRuleDescription,
  MatchingRuleUseDescription,
  NameFormDescription,
  ObjectClassDescription,
  SyntaxDescription,
} from './types.ts';
import { type Parsed, usages } from './types.ts';

export const parseObjectClass = (text: string): Parsed<ObjectClassDescription> => parse('objectClass', text);
export const parseAttributeType = (text: string): Parsed<AttributeTypeDescription> => parse('attributeType', text);
export const parseMatchingRule = (text: string): Parsed<MatchingRuleDescription> => parse('matchingRule', text);
export const parseMatchingRuleUse = (text: string): Parsed<MatchingRuleUseDescription> => parse('matchingRuleUse', text);
export const parseSyntax = (text: string): Parsed<SyntaxDescription> => parse('syntax', text);
export const parseDitContentRule = (text: string): Parsed<DitContentRuleDescription> => parse('ditContentRule', text);
export const parseDitStructureRule = (text: string): Parsed<DitStructureRuleDescription> => parse('ditStructureRule', text);
export const parseNameForm = (text: string): Parsed<NameFormDescription> => parse('nameForm', text);

/** Thrown and caught in this file only. */
class Unreadable extends Error {
  readonly at: number;
  constructor(why: string, at: number) {
    super(why);
    this.at = at;
  }
}

interface Reading {
  readonly tokens: readonly Token[];
  at: number;
}

/**
 * Reads one description. Fields may come in any order, as directories in use take them, but each only once.
 *
 * @see RFC 4512 §4.1
 */
function parse<T>(name: GrammarName, text: string): Parsed<T> {
  try {
    const tokens = tokenize(text);
    if (!Array.isArray(tokens)) throw new Unreadable(tokens.why, tokens.at);
    const reading: Reading = { tokens, at: 0 };
    // The fields were checked one by one against the table from which the type T was written down.
    return { kind: 'parsed', value: readDescription(name, reading) as T };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { kind: 'bad', why: error.message, at: error.at };
  }
}

function readDescription(name: GrammarName, r: Reading): Record<string, unknown> {
  const fields: readonly Field[] = grammars[name];
  const row = blank(fields);
  const extensions: Record<string, readonly string[]> = {};
  const seen = new Set<string>();
  expect(r, '(');
  if (name === 'ditStructureRule') row['ruleId'] = ruleId(r);
  else row['oid'] = numericOid(r);
  while (peek(r).kind !== ')') {
    const token = next(r);
    if (token.kind !== 'word') throw new Unreadable('keyword expected', token.at);
    const keyword = token.text.toUpperCase();
    const field = fields.find((one) => one.keyword === keyword);
    const once = field?.property ?? keyword;
    if (seen.has(once)) throw new Unreadable(`${token.text} twice`, token.at);
    seen.add(once);
    if (field) readField(field, r, row);
    else if (/^X-[A-Z_-]+$/.test(keyword)) extensions[keyword] = quotedList(r);
    else throw new Unreadable(`${token.text} is not known here`, token.at);
  }
  const closing = next(r);
  if (peek(r).kind !== 'end') throw new Unreadable('text behind the description', peek(r).at);
  const missing = fields.find((one) => one.required && !seen.has(one.property));
  if (missing) throw new Unreadable(`${missing.keyword} is missing`, closing.at);
  row['extensions'] = extensions;
  return row;
}

/** What the fields are when they are not given. */
function blank(fields: readonly Field[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const { property, shape } of fields) {
    if (shape === 'names' || shape === 'oids' || shape === 'ruleIds') row[property] = [];
    else if (shape === 'flag') row[property] = false;
    else if (shape === 'usage') row[property] = 'userApplications';
    else if (shape === 'classKind') row[property] = 'structural';
  }
  return row;
}

function readField(field: Field, r: Reading, row: Record<string, unknown>): void {
  switch (field.shape) {
    case 'names':
      row[field.property] = names(r);
      return;
    case 'text':
      row[field.property] = quoted(r);
      return;
    case 'flag':
      row[field.property] = true;
      return;
    case 'classKind':
      row[field.property] = field.keyword.toLowerCase();
      return;
    case 'oid':
      row[field.property] = oid(r);
      return;
    case 'oids':
      row[field.property] = list(r, '$', oid);
      return;
    case 'ruleIds':
      row[field.property] = list(r, undefined, ruleId);
      return;
    case 'syntax':
      readSyntax(r, row);
      return;
    case 'usage': {
      const token = next(r);
      const usage = usages.find((one) => one.toLowerCase() === token.text.toLowerCase());
      if (!usage) throw new Unreadable(`usage ${token.text}`, token.at);
      row[field.property] = usage;
      return;
    }
  }
}

/** noidlen = numericoid [ "{" len "}" ] */
function readSyntax(r: Reading, row: Record<string, unknown>): void {
  const token = next(r);
  const [, syntax, length] = /^([^{]*)(?:\{([0-9]{1,9})\})?$/.exec(token.text) ?? [];
  if (token.kind !== 'word' || syntax === undefined || !isNumericOid(syntax)) throw new Unreadable(`syntax ${token.text}`, token.at);
  row['syntax'] = syntax;
  if (length !== undefined) row['lengthMax'] = Number(length);
}

/** One item, or several in parentheses. */
function list<T>(r: Reading, separator: '$' | undefined, item: (r: Reading) => T): T[] {
  if (peek(r).kind !== '(') return [item(r)];
  next(r);
  const items = [item(r)];
  while (peek(r).kind !== ')') {
    if (separator) expect(r, separator);
    items.push(item(r));
  }
  next(r);
  return items;
}

function quotedList(r: Reading): string[] {
  if (peek(r).kind !== '(') return [quoted(r)];
  next(r);
  const items: string[] = [];
  while (peek(r).kind !== ')') items.push(quoted(r));
  next(r);
  return items;
}

function names(r: Reading): string[] {
  const { at } = peek(r);
  const found = quotedList(r);
  const wrong = found.find((name) => !isAttributeType(name) || isNumericOid(name));
  if (wrong !== undefined) throw new Unreadable(`'${wrong}' is no name`, at);
  return found;
}

function quoted(r: Reading): string {
  const token = next(r);
  if (token.kind !== 'quoted') throw new Unreadable('quoted text expected', token.at);
  return token.text;
}

/** oid = descr / numericoid */
function oid(r: Reading): string {
  const token = next(r);
  if (token.kind !== 'word' || !isAttributeType(token.text)) throw new Unreadable('name or OID expected', token.at);
  return token.text;
}

function numericOid(r: Reading): string {
  const token = next(r);
  if (token.kind !== 'word' || !isNumericOid(token.text)) throw new Unreadable('numeric OID expected', token.at);
  return token.text;
}

function ruleId(r: Reading): number {
  const token = next(r);
  if (token.kind !== 'word' || !/^(?:0|[1-9][0-9]{0,8})$/.test(token.text)) throw new Unreadable('rule number expected', token.at);
  return Number(token.text);
}

function expect(r: Reading, kind: Token['kind']): void {
  const token = next(r);
  if (token.kind !== kind) throw new Unreadable(`${kind} expected`, token.at);
}

function peek(r: Reading): Token {
  // The last token is `end`, and nothing goes past it.
  return r.tokens[r.at] as Token;
}

function next(r: Reading): Token {
  const token = peek(r);
  if (token.kind === 'end') throw new Unreadable('the description is cut off', token.at);
  r.at++;
  return token;
}
