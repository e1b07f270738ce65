import { type Field, type GrammarName, grammars } from './fields.ts';
import type {
  AttributeTypeDescription,
  DitContentRuleDescription,
  DitStructureRuleDescription,
  Extensions,
  MatchingRuleDescription,
  MatchingRuleUseDescription,
  NameFormDescription,
  ObjectClassDescription,
  SyntaxDescription,
} from './types.ts';

export const printObjectClass = (row: ObjectClassDescription): string => print('objectClass', row.oid, { ...row });
export const printAttributeType = (row: AttributeTypeDescription): string => print('attributeType', row.oid, { ...row });
export const printMatchingRule = (row: MatchingRuleDescription): string => print('matchingRule', row.oid, { ...row });
export const printMatchingRuleUse = (row: MatchingRuleUseDescription): string => print('matchingRuleUse', row.oid, { ...row });
export const printSyntax = (row: SyntaxDescription): string => print('syntax', row.oid, { ...row });
export const printDitContentRule = (row: DitContentRuleDescription): string => print('ditContentRule', row.oid, { ...row });
export const printDitStructureRule = (row: DitStructureRuleDescription): string =>
  print('ditStructureRule', String(row.ruleId), { ...row });
export const printNameForm = (row: NameFormDescription): string => print('nameForm', row.oid, { ...row });

/** The text of one description, its fields in the order of RFC 4512 §4.1, what has its default left out. */
function print(name: GrammarName, id: string, row: Record<string, unknown>): string {
  const parts = [id];
  for (const field of grammars[name]) {
    const part = printField(field, row);
    if (part !== undefined) parts.push(part);
  }
  for (const [keyword, values] of Object.entries(row['extensions'] as Extensions)) parts.push(`${keyword} ${quotedList(values)}`);
  return `( ${parts.join(' ')} )`;
}

function printField(field: Field, row: Record<string, unknown>): string | undefined {
  const value = row[field.property];
  if (value === undefined || value === false) return undefined;
  switch (field.shape) {
    case 'flag':
      return field.keyword;
    case 'text':
      return `${field.keyword} ${quote(value as string)}`;
    case 'oid':
      return `${field.keyword} ${value}`;
    case 'syntax':
      return `${field.keyword} ${value}${row['lengthMax'] === undefined ? '' : `{${row['lengthMax']}}`}`;
    case 'usage':
      return value === 'userApplications' ? undefined : `${field.keyword} ${value}`;
    case 'classKind':
      return value === field.keyword.toLowerCase() ? field.keyword : undefined;
    case 'names':
      return (value as string[]).length === 0 ? undefined : `${field.keyword} ${quotedList(value as string[])}`;
    case 'oids':
      return bare(field.keyword, value as string[], ' $ ');
    case 'ruleIds':
      return bare(field.keyword, value as number[], ' ');
  }
}

function bare(keyword: string, items: readonly (string | number)[], separator: string): string | undefined {
  if (items.length === 0) return undefined;
  return items.length === 1 ? `${keyword} ${items[0]}` : `${keyword} ( ${items.join(separator)} )`;
}

function quotedList(items: readonly string[]): string {
  const [only] = items;
  return items.length === 1 && only !== undefined ? quote(only) : `( ${items.map(quote).join(' ')} )`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\5C').replaceAll("'", '\\27')}'`;
}
