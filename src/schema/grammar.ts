import {
  type AttributeTypeDescription,
  type DitContentRuleDescription,
  type DitStructureRuleDescription,
  type NameFormDescription,
  type ObjectClassDescription,
  type Parsed,
  parseAttributeType,
  parseDitContentRule,
  parseDitStructureRule,
  parseMatchingRule,
  parseMatchingRuleUse,
  parseNameForm,
  parseObjectClass,
  parseSyntax,
  type SyntaxDescription,
} from '#ldap';
import type { Definition } from './definitions.ts';
import { invalid } from './invalid.ts';
import type { DefinitionKind } from './syntaxes/table.ts';

export function readAttributeType(definition: Definition): AttributeTypeDescription {
  return read(definition, parseAttributeType);
}

export function readObjectClass(definition: Definition): ObjectClassDescription {
  return read(definition, parseObjectClass);
}

export function readSyntax(definition: Definition): SyntaxDescription {
  return read(definition, parseSyntax);
}

export function readContentRule(definition: Definition): DitContentRuleDescription {
  return read(definition, parseDitContentRule);
}

export function readNameForm(definition: Definition): NameFormDescription {
  return read(definition, parseNameForm);
}

export function readStructureRule(definition: Definition): DitStructureRuleDescription {
  return read(definition, parseDitStructureRule);
}

/** Whether a text is a definition of the kind: what the syntaxes of the subschema's attributes ask (RFC 4517 §3.3.1 and others). */
export function isDefinition(kind: DefinitionKind, text: string): boolean {
  return parsers[kind](text).kind === 'parsed';
}

const parsers: Readonly<Record<DefinitionKind, (text: string) => Parsed<unknown>>> = {
  attributeType: parseAttributeType,
  objectClass: parseObjectClass,
  syntax: parseSyntax,
  matchingRule: parseMatchingRule,
  matchingRuleUse: parseMatchingRuleUse,
  contentRule: parseDitContentRule,
  structureRule: parseDitStructureRule,
  nameForm: parseNameForm,
};

function read<Row>(definition: Definition, parse: (text: string) => Parsed<Row>): Row {
  const parsed = parse(definition.text);
  if (parsed.kind === 'bad') throw invalid(definition, `${parsed.why} at '${definition.text.slice(parsed.at, parsed.at + 30)}'`);
  return parsed.value;
}
