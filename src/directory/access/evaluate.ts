import type { Filter } from '#ldap';
import type { AttributeType } from '#schema';
import { type Guard, type Protected, protection, takesManage } from './protections.ts';
import { fitsTarget, fitsWay, fitsWho, type Right, type Rule, type Subject } from './rule.ts';

/** Whether somebody may do one thing with one entry, or one attribute of it. */
export interface Question {
  readonly subject: Subject;
  readonly guard: Guard;
  readonly nowMs: number;
  readonly entry: {
    readonly dnKey: Uint8Array;
    /** Whether it is the entry of who asks. */
    readonly isOwn: boolean;
    /** Whether it fits the filter of a rule: Undefined is no. */
    readonly fits: (filter: Filter) => boolean;
  };
  readonly right: Right;
  /** Of the attribute; without one it is about the entry: `auth`, `enumerate`, `add`, `delete`, `manage`. */
  readonly type?: AttributeType;
}

/** What was decided, and by what: something above all rules, a rule, or nothing, which refuses. */
export type Decision =
  | { readonly allowed: boolean; readonly by: 'protection'; readonly protection: Protected }
  | { readonly allowed: boolean; readonly by: 'rule'; readonly rule: Rule }
  | { readonly allowed: false; readonly by: 'nothing' };

/**
 * Decides by the words of the documentation, one rule after the other: protections, then the first rule that fits in everything. What the service does
 * for each entry of a search (`plan.ts`) comes to the same; this is what explains it.
 *
 * @param rules  of the realm that has the entry, in their order, the built-in set behind them
 */
export function evaluate(rules: readonly Rule[], question: Question): Decision {
  const { type: written, ...aboutEntry } = question;
  if (question.right === 'write' && written !== undefined && takesManage(question.guard, written)) {
    const managed = evaluate(rules, { ...aboutEntry, right: 'manage' });
    if (!managed.allowed) return managed;
  }
  const { guard, right, type } = question;
  const above = protection(guard, right, type);
  if (above !== undefined) return { allowed: above.effect === 'allow', by: 'protection', protection: above };
  const rule = rules.find((each) => fits(each, question));
  return rule === undefined ? { allowed: false, by: 'nothing' } : { allowed: rule.effect === 'allow', by: 'rule', rule };
}

function fits(rule: Rule, { subject, nowMs, entry, right, type }: Question): boolean {
  if (!rule.rights.has(right) || (type !== undefined && !rule.attributes.holds(type))) return false;
  const who = fitsWho(rule, subject);
  if (who === 'never' || (who === 'self' && !entry.isOwn)) return false;
  return fitsWay(rule, subject, nowMs) && fitsTarget(rule, entry.dnKey) && (rule.filter === undefined || entry.fits(rule.filter));
}

/** The order in which the rules of a realm are asked: by their numbers, and by their names where these are equal. */
export function inOrder(rules: readonly { readonly rule: Rule; readonly tie: Uint8Array }[]): readonly Rule[] {
  return rules.toSorted((a, b) => a.rule.order - b.rule.order || Buffer.compare(a.tie, b.tie)).map(({ rule }) => rule);
}
