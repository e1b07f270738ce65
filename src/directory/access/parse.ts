import { type Refusal, refuse } from '#catalogue';
import { type Filter, parseDn, parseFilter } from '#ldap';
import { describe, normalizeDn, type Schema } from '#schema';
import { errors } from '../errors.ts';
import { isInChain } from '../relations/chain.ts';
import { computedTypes } from '../search/computed.ts';
import { readAttributeSet } from './attribute-set.ts';
import { type From, fromAnywhere, readNetwork } from './networks.ts';
import { type Right, type Rule, rights, roleName, type Target, type Who } from './rule.ts';
import { readStrength } from './strength.ts';

/** What a rule of access says, attribute by attribute, as texts. Keys in lower case. */
export type RuleTexts = ReadonlyMap<string, readonly string[]>;

/** Where a rule stands. */
export interface RulePlace {
  readonly schema: Schema;
  /** Whether the realm of the rule has a name: who and what a rule is about lies within it. */
  owns(dnKey: Uint8Array): boolean;
}

/** More values of one attribute than any rule needs: who asks is held against all of them. */
const valuesMax = 1000;
const textLengthMax = 8192;
export const orderMax = 999_999;
const filterLimits = { depthMax: 20, filterItemsMax: 100 };

/**
 * Reads a rule of access.
 *
 * @param name  what it is called where it is told of
 * @throws Refusal `valueRefused` (19) with the first attribute that says something else than one may say, and why
 */
export function parseRule(place: RulePlace, name: string, texts: RuleTexts): Rule {
  const { schema } = place;
  const values = (attribute: string): readonly string[] => {
    const all = texts.get(attribute.toLowerCase()) ?? [];
    if (all.length > valuesMax) throw wrong(attribute, `more than ${valuesMax} values`);
    if (all.some(({ length }) => length > textLengthMax)) throw wrong(attribute, `a value is longer than ${textLengthMax} characters`);
    return all.map((value) => value.trim());
  };
  const each = <T>(attribute: string, read: (text: string) => T | Fault): readonly T[] =>
    values(attribute).map((value) => fitting(attribute, read(value)));
  const who = each('stsRuleWho', (text) => readWho(place, text));
  if (who.length === 0) throw wrong('stsRuleWho', 'it says nobody');
  const granted = each('stsRuleRight', readRight);
  if (granted.length === 0) throw wrong('stsRuleRight', 'it says nothing');
  const [filter] = values('stsRuleFilter');
  return {
    name,
    isBuiltIn: false,
    order: fitting('stsRuleOrder', readOrder(values('stsRuleOrder')[0])),
    effect: fitting('stsRuleEffect', readEffect(values('stsRuleEffect')[0])),
    who,
    strengths: each('stsRuleStrength', readStrength),
    from: readFrom(values('stsRuleFrom')),
    targets: each('stsRuleTarget', (text) => readTarget(place, text)),
    filter: filter === undefined ? undefined : readFilter(schema, filter),
    attributes: fitting('stsRuleAttribute', readAttributeSet(schema, values('stsRuleAttribute'))),
    rights: new Set(granted),
  };
}

/** What is wrong with a text. */
interface Fault {
  readonly why: string;
}

function fitting<T>(attribute: string, read: T | Fault): T {
  if (typeof read === 'object' && read !== null && 'why' in read) throw wrong(attribute, read.why);
  return read;
}

function wrong(attribute: string, why: string): Refusal {
  return refuse(errors.valueRefused, { attribute, why });
}

function readOrder(text = ''): number | Fault {
  return /^(?:0|[1-9]\d{0,5})$/.test(text) ? Number(text) : { why: `it is a number from 0 to ${orderMax}` };
}

function readEffect(text = 'allow'): Rule['effect'] | Fault {
  const effect = text.toLowerCase();
  return effect === 'allow' || effect === 'deny' ? effect : { why: `${text}: it is allow or deny` };
}

const plainWho = ['anyone', 'anonymous', 'authenticated', 'self'] as const;
const namedWho = ['dn', 'subtree', 'member', 'nested'] as const;
const kindsOfTarget = ['entry', 'one', 'children', 'subtree'] as const;

function readWho(place: RulePlace, text: string): Who | Fault {
  const plain = plainWho.find((kind) => kind === text.toLowerCase());
  if (plain !== undefined) return { kind: plain };
  const [word, rest] = split(text);
  if (word === 'role') {
    const name = roleName(rest);
    return name === '' ? { why: `${text}: it names no role` } : { kind: 'role', name };
  }
  const kind = namedWho.find((each) => each === word);
  const forms = [...plainWho, ...namedWho.map((each) => `${each}:<DN>`), 'role:<name>'];
  if (kind === undefined) return { why: `${text}: it is one of ${forms.join(', ')}` };
  const key = readName(place, rest);
  return 'why' in key ? key : { kind, key };
}

function readTarget(place: RulePlace, text: string): Target | Fault {
  const [word, rest] = split(text);
  const kind = kindsOfTarget.find((each) => each === word);
  if (kind === undefined) return { why: `${text}: it is one of ${kindsOfTarget.map((each) => `${each}:<DN>`).join(', ')}` };
  const key = readName(place, rest);
  return 'why' in key ? key : { kind, key };
}

function split(text: string): readonly [word: string, rest: string] {
  const at = text.indexOf(':');
  return at < 0 ? [text.toLowerCase(), ''] : [text.slice(0, at).trim().toLowerCase(), text.slice(at + 1).trim()];
}

function readName({ schema, owns }: RulePlace, text: string): Uint8Array | Fault {
  const dn = parseDn(text);
  const key = dn === undefined || dn.length === 0 ? undefined : normalizeDn(schema, dn);
  if (key === undefined) return { why: `${text}: it is no distinguished name` };
  return owns(key) ? key : { why: `${text}: it does not lie within the realm of the rule` };
}

function readFrom(values: readonly string[]): From {
  if (values.length === 0) return fromAnywhere;
  const words = values.map((value) => value.toLowerCase());
  return {
    networks: words
      .filter((word) => word !== 'this-machine' && word !== 'protected')
      .map((word) => fitting('stsRuleFrom', readNetwork(word))),
    thisMachine: words.includes('this-machine'),
    isProtected: words.includes('protected'),
  };
}

function readRight(text: string): Right | Fault {
  return rights.find((right) => right === text.toLowerCase()) ?? { why: `${text}: the rights are ${rights.join(', ')}` };
}

function readFilter(schema: Schema, text: string): Filter {
  const parsed = parseFilter(text, filterLimits);
  if (parsed.kind === 'bad') throw wrong('stsRuleFilter', parsed.why);
  const why = unfit(schema, parsed.filter);
  if (why !== undefined) throw wrong('stsRuleFilter', why);
  return parsed.filter;
}

/** Why entries cannot be held against a filter to find out what may be done with them. */
function unfit(schema: Schema, filter: Filter): string | undefined {
  if (filter.kind === 'and' || filter.kind === 'or')
    return filter.filters.map((part) => unfit(schema, part)).find((why) => why !== undefined);
  if (filter.kind === 'not') return unfit(schema, filter.filter);
  if (filter.kind === 'extensible') {
    if (filter.rule !== undefined && schema.matchingRule(filter.rule) === undefined)
      return `${filter.rule}: there is no such matching rule`;
    if (isInChain(schema, filter))
      return 'names are not followed from entry to entry to find out who may do what; name a group in stsRuleWho';
    if (filter.description === undefined) return undefined;
  }
  const described = describe(schema, filter.description ?? '');
  if (described === undefined) return `${filter.description}: no schema defines this attribute`;
  if (computedTypes(schema, (type) => described.type.family.includes(type)).length > 0)
    return `${filter.description}: it is worked out when it is read, and no entry has it`;
  return undefined;
}
