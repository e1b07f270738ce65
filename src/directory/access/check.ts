import { text } from '#base';
import { refuse } from '#catalogue';
import type { EntryAttributes, Schema } from '#schema';
import type { EntryRecord, Snapshot } from '#store';
import type { Engine } from '../engine.ts';
import { errors } from '../errors.ts';
import type { Realm } from '../realm.ts';
import type { Realms } from '../realms.ts';
import { standsRight, textsOf } from './book.ts';
import { entriesOfClass } from './of-class.ts';
import { parseRule, type RuleTexts } from './parse.ts';
import { assertionsOfRules } from './plan.ts';
import type { Rule } from './rule.ts';

const ruleClass = 'stsAccessRule';
/** What attributes of a rule begin with, as entries hold them: every rule has some. */
const ruleMark = Buffer.from('stsRule');

/** Whether an entry may be a rule: quickly, and of some that are none, too. */
export function mayBeRule({ user }: Pick<EntryRecord, 'user'>): boolean {
  return Buffer.from(user.buffer, user.byteOffset, user.byteLength).includes(ruleMark);
}

/**
 * Whether an entry that is to be written can be asked as a rule, where it is one.
 *
 * @throws Refusal `valueRefused` (19) with the attribute and why; `rulesTooMany` (11) for a new one beyond `ldap.accessRulesMax`
 */
export function checkRule(
  engine: Pick<Engine, 'schema' | 'realms' | 'settings' | 'access'>,
  snapshot: Snapshot,
  { uuid, dn, dnKey, user }: EntryRecord,
): void {
  const { schema } = engine;
  const texts = textsOf(schema, user);
  if (!isRule(schema, texts.get('objectclass') ?? [])) return;
  const realms = engine.realms.in(snapshot);
  const realm = realms.owning(dnKey) ?? realms.default;
  const rule = checkTexts(schema, realms, { dn, dnKey }, texts);
  const max = engine.settings['ldap.accessRulesMax'];
  const before = snapshot.byUuid(uuid);
  if (rule.filter !== undefined) {
    const { rules } = engine.access.bookOf(engine, realm, snapshot);
    checkAssertions(assertionsOfRules([rule, ...rules.filter(({ isBuiltIn, name }) => !isBuiltIn && name !== before?.dn)]), max);
  }
  if (before !== undefined) return;
  const others = entriesOfClass(schema, snapshot, ruleClass, max + 1).filter((each) => standsRight(realm, each.dnKey));
  if (others.length >= max) throw refuse(errors.rulesTooMany, { max });
}

/** The rules that entries make which come in by another way than a request, held to the same bounds. */
export interface RuleBounds {
  /** @throws Refusal `valueRefused` (19), `rulesTooMany` (11) for one rule more than a realm may have */
  take(rule: Rule, realm: Realm): void;
}

/** @param rulesThere  those that a realm has already, where that is known */
export function createRuleBounds(max: number, rulesThere: (realm: Realm) => readonly Rule[] = () => []): RuleBounds {
  const taken = new Map<string, { count: number; assertions: number }>();
  return {
    take(rule, realm) {
      let sum = taken.get(realm.suffix.text);
      if (sum === undefined) {
        const those = rulesThere(realm).filter(({ isBuiltIn }) => !isBuiltIn);
        sum = { count: those.length, assertions: assertionsOfRules(those) };
        taken.set(realm.suffix.text, sum);
      }
      const assertions = assertionsOfRules([rule]);
      if (assertions > 0) checkAssertions(sum.assertions + assertions, max);
      if (sum.count >= max) throw refuse(errors.rulesTooMany, { max });
      sum.count++;
      sum.assertions += assertions;
    },
  };
}

/**
 * Whether the attributes of an entry can be asked as a rule.
 *
 * @returns the rule; nothing for an entry that is none
 * @throws Refusal `valueRefused` (19)
 */
export function checkRuleAttributes(
  schema: Schema,
  realms: Pick<Realms, 'default' | 'owning'>,
  name: { readonly dn: string; readonly dnKey: Uint8Array },
  attributes: EntryAttributes,
): Rule | undefined {
  const texts = new Map([...attributes].map(([key, { values }]) => [key, values.map((value) => text(value) ?? '')] as const));
  return isRule(schema, texts.get('objectclass') ?? []) ? checkTexts(schema, realms, name, texts) : undefined;
}

function checkTexts(
  schema: Schema,
  realms: Pick<Realms, 'default' | 'owning'>,
  { dn, dnKey }: { readonly dn: string; readonly dnKey: Uint8Array },
  texts: RuleTexts,
): Rule {
  const realm = realms.owning(dnKey) ?? realms.default;
  if (!standsRight(realm, dnKey))
    throw refuse(errors.valueRefused, { attribute: 'objectClass', why: `a rule of access stands directly below ${realm.rules.text}` });
  return parseRule({ schema, owns: (key) => realms.owning(key) === realm }, dn, texts);
}

/** Filters are fitted to each entry that anybody looks at: they are made of few parts. */
const assertionsOfEach = 2;

/** @throws Refusal `valueRefused` (19) */
function checkAssertions(assertions: number, rulesMax: number): void {
  const max = rulesMax * assertionsOfEach;
  if (assertions <= max) return;
  const why = `the filters of all rules of a realm have ${max} parts at most, and would have ${assertions}`;
  throw refuse(errors.valueRefused, { attribute: 'stsRuleFilter', why });
}

function isRule(schema: Schema, classes: readonly string[]): boolean {
  return classes.some((name) => schema.objectClass(name)?.lineage.some((each) => each.name === ruleClass) === true);
}
