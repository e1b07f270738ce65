import { type Filter, parseFilter } from '#ldap';
import { schema } from '../directory/driver.ts';
import { builtIn } from './built-in.ts';
import { holds } from './filters.ts';
import { type Asker, groupsOf, isWithin, type PlainEntry, type PlainRealm, type PlainWorld, parentOf, realmOf, valuesOf } from './plain.ts';

/**
 * The second evaluator of the rules of access: from their words alone, one rule after the other, nothing worked out in advance. It shares no line with
 * the service's own.
 */

export const rights = ['auth', 'compare', 'search', 'read', 'enumerate', 'write', 'add', 'delete', 'manage'] as const;
export type Right = (typeof rights)[number];

/** One rule: an entry of the directory, or a row of what is built in. */
export interface Rule {
  readonly name: string;
  readonly order: number;
  readonly effect: 'allow' | 'deny';
  readonly who: readonly string[];
  readonly strength: readonly string[];
  readonly from: readonly string[];
  readonly target: readonly string[];
  readonly filter: Filter | undefined;
  readonly attribute: readonly string[];
  readonly right: readonly string[];
}

/** What was decided, and by what. */
export interface Verdict {
  readonly allowed: boolean;
  readonly by: string;
}

const filterLimits = { depthMax: 20 };

/** A rule from the attributes of its entry. */
export function ruleOf(entry: PlainEntry): Rule {
  const of = (name: string) => valuesOf(entry, name);
  const [filter] = of('stsRuleFilter');
  const parsed = filter === undefined ? undefined : parseFilter(filter, filterLimits);
  if (parsed?.kind === 'bad') throw new Error(`${entry.dn}: ${parsed.why}`);
  return {
    name: entry.dn,
    order: Number(of('stsRuleOrder')[0]),
    effect: of('stsRuleEffect')[0] === 'deny' ? 'deny' : 'allow',
    who: of('stsRuleWho'),
    strength: of('stsRuleStrength'),
    from: of('stsRuleFrom'),
    target: of('stsRuleTarget'),
    filter: parsed?.filter,
    attribute: of('stsRuleAttribute'),
    right: of('stsRuleRight'),
  };
}

/** A realm's rules by ascending order, ties by the normalised cn. */
export function rulesOf(world: PlainWorld, realm: PlainRealm): readonly Rule[] {
  const cn = (dn: string) => dn.slice('cn='.length, dn.indexOf(','));
  return [...world.entries.values()]
    .filter(({ dn }) => parentOf(dn) === `ou=accessRules,${realm.suffix}`.toLowerCase())
    .map(ruleOf)
    .sort((a, b) => a.order - b.order || (cn(a.name) < cn(b.name) ? -1 : 1));
}

/** All that may be asked about an entry by one asker. */
export interface Judge {
  /** @param attribute  its name in the schema; nothing for a right on the entry itself */
  may(right: Right, attribute?: string): Verdict;
  /** One may read, search or compare any attribute of it. */
  readonly visible: boolean;
}

const seen = new WeakMap<PlainWorld, Map<string, Judge>>();

/** What somebody may do with an entry. */
export function judge(world: PlainWorld, asker: Asker, entry: PlainEntry): Judge {
  const known = seen.get(world) ?? new Map<string, Judge>();
  seen.set(world, known);
  const key = `${JSON.stringify(asker)} ${entry.dn}`;
  // An entry that is not there yet is judged each time.
  const isThere = world.entries.get(entry.dn) === entry;
  const found = (isThere ? known.get(key) : undefined) ?? judgeAnew(world, asker, entry);
  if (isThere) known.set(key, found);
  return found;
}

function judgeAnew(world: PlainWorld, asker: Asker, entry: PlainEntry): Judge {
  const realm = realmOf(world, entry.dn);
  if (realm === undefined) return { may: () => ({ allowed: false, by: 'no realm' }), visible: false };
  const governs = world.before ?? world;
  const rules = [...rulesOf(governs, realm), ...builtIn(governs, realm)].filter((rule) => fits(governs, asker, realm, rule, entry));
  const may = (right: Right, attribute?: string): Verdict => {
    const fixed = protection(world, asker, realm, right, attribute);
    if (fixed !== undefined) return fixed;
    const decides = rules.find((rule) => rule.right.includes(right) && (attribute === undefined || names(rule.attribute, attribute)));
    return decides === undefined ? { allowed: false, by: 'no rule' } : { allowed: decides.effect === 'allow', by: decides.name };
  };
  const looks = ['read', 'search', 'compare'] as const;
  let visible: boolean | undefined;
  return {
    may,
    get visible() {
      visible ??= looks.some((right) => schema.attributeTypes.some(({ name }) => may(right, name).allowed));
      return visible;
    },
  };
}

/** Who came in with an app password writes none of these. */
const guarded: ReadonlySet<string> = new Set([
  'userPassword',
  'mail',
  'stsTotpCredential',
  'stsRecoveryCode',
  'stsAppPassword',
  'stsMfaRequired',
  'stsCredentialId',
  'stsWebauthnCredential',
  'stsEmailFactor',
  'stsVerifiedMail',
  'stsEmailFailures',
  'stsEmailFirstFailures',
]);

/** What is fixed, whatever the rules say. */
function protection(world: PlainWorld, asker: Asker, realm: PlainRealm, right: Right, attribute: string | undefined): Verdict | undefined {
  const type = attribute === undefined ? undefined : schema.attributeType(attribute);
  const refused = (by: string): Verdict => ({ allowed: false, by: `protection: ${by}` });
  const given = (by: string): Verdict => ({ allowed: true, by: `protection: ${by}` });
  if ((type?.secret || type?.sealed) && ['read', 'search', 'compare'].includes(right)) return refused('a secret type');
  if (asker.cameInBy === 'app-password') {
    if (right === 'add' || right === 'delete' || right === 'manage') return refused(`an app password never may ${right}`);
    if (right === 'write' && attribute !== undefined && guarded.has(attribute)) return refused(`an app password never writes ${attribute}`);
  }
  if (asker.kind === 'operators') return given('the operators’ socket');
  if (asker.kind === 'web')
    return ['read', 'search', 'compare'].includes(right) ? given('the web layer reads') : refused('the web layer by itself only reads');
  if (asker.dn !== undefined && (asker.dn === world.realms[0]?.administrator || asker.dn === realm.administrator))
    return given('the administrator');
  return undefined;
}

/** Who, strength, from, target and filter: all but the right and the attribute. */
function fits(world: PlainWorld, asker: Asker, realm: PlainRealm, rule: Rule, entry: PlainEntry): boolean {
  const some = (values: readonly string[], fit: (value: string) => boolean) => values.length === 0 || values.some(fit);
  if (!rule.who.some((who) => fitsWho(world, asker, realm, who, entry))) return false;
  if (!some(rule.strength, (words) => words.split('+').every((word) => fitsStrength(asker, word)))) return false;
  if (rule.from.includes('protected') && !asker.secure) return false;
  if (
    !some(
      rule.from.filter((from) => from !== 'protected'),
      (from) => fitsFrom(asker, from),
    )
  )
    return false;
  if (!some(rule.target, (target) => fitsTarget(entry.dn, target))) return false;
  return rule.filter === undefined || holds(rule.filter, entry, () => true) === true;
}

function fitsWho(world: PlainWorld, asker: Asker, realm: PlainRealm, who: string, entry: PlainEntry): boolean {
  const [word = '', rest = ''] = split(who);
  const isPerson = asker.kind === 'entry' && asker.dn !== undefined;
  if (word === 'role') return isPerson && hasRole(world, asker.dn ?? '', realm, rest);
  // Somebody of another realm gets nothing else.
  if (isPerson && realmOf(world, asker.dn ?? '') !== realm) return false;
  switch (word) {
    case 'anyone':
      return true;
    case 'anonymous':
      return asker.kind === 'anonymous';
    case 'authenticated':
      return asker.kind !== 'anonymous';
    case 'self':
      return isPerson && asker.dn === entry.dn;
    case 'dn':
      return isPerson && asker.dn === rest;
    case 'subtree':
      return isPerson && isWithin(asker.dn ?? '', rest);
    case 'member':
      return isPerson && groupsOf(world, asker.dn ?? '', false, realm).has(rest);
    case 'nested':
      return isPerson && groupsOf(world, asker.dn ?? '', true, realm).has(rest);
    default:
      throw new Error(`who is ${who}?`);
  }
}

/** Roles of one's own realm, and in every realm those of the default one. */
function hasRole(world: PlainWorld, dn: string, realm: PlainRealm, role: string): boolean {
  const home = realmOf(world, dn);
  const first = world.realms[0];
  // Whoever is of neither has no role here, whatever names them.
  if (home === undefined || (home !== realm && home !== first)) return false;
  return [...groupsOf(world, dn, true, home)].some((name) => {
    const group = world.entries.get(name);
    const given = group === undefined ? [] : valuesOf(group, 'stsRole');
    return isWithin(name, `ou=groups,${home.suffix}`) && given.some((each) => each.toLowerCase() === role.toLowerCase());
  });
}

function fitsStrength(asker: Asker, word: string): boolean {
  const [name = '', seconds = ''] = split(word);
  switch (name) {
    case 'session':
      return asker.session !== undefined;
    case 'two-factors':
      return (asker.session?.factors ?? 0) >= 2;
    case 'all-factors':
      // Nobody here holds a second factor; who does is asked in test/directory.
      return asker.session !== undefined;
    case 'fresh':
      return asker.session !== undefined && asker.session.ageS <= Number(seconds);
    case 'app-password':
    case 'own-password':
    case 'certificate':
    case 'operators':
      return asker.cameInBy === name;
    default:
      throw new Error(`what strength is ${word}?`);
  }
}

function fitsFrom({ address, loopback }: Asker, from: string): boolean {
  if (from === 'this-machine') return loopback;
  const [network = '', bits = ''] = from.split('/');
  const [all, mine] = [bitsOf(network), bitsOf(address)];
  return all.length === mine.length && all.slice(0, Number(bits)) === mine.slice(0, Number(bits));
}

/** An address as a text of zeros and ones. */
function bitsOf(address: string): string {
  if (!address.includes(':'))
    return address
      .split('.')
      .map((part) => Number(part).toString(2).padStart(8, '0'))
      .join('');
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const [front, back] = [groups(head), groups(tail ?? '')];
  const middle = tail === undefined ? [] : Array.from({ length: 8 - front.length - back.length }, () => '0');
  return [...front, ...middle, ...back].map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('');
}

function fitsTarget(dn: string, target: string): boolean {
  const [scope = '', base = ''] = split(target);
  switch (scope) {
    case 'entry':
      return dn === base;
    case 'one':
      return dn !== base && parentOf(dn) === base;
    case 'children':
      return dn !== base && isWithin(dn, base);
    case 'subtree':
      return isWithin(dn, base);
    default:
      throw new Error(`what target is ${target}?`);
  }
}

/** Whether a list of attributes names one: no list names all. */
export function names(list: readonly string[], attribute: string): boolean {
  if (list.length === 0) return true;
  const taken = list.filter((each) => each.startsWith('!')).map((each) => each.slice(1));
  const given = list.filter((each) => !each.startsWith('!'));
  if (taken.some((each) => isNamed(each, attribute))) return false;
  return given.length === 0 || given.some((each) => isNamed(each, attribute));
}

function isNamed(by: string, attribute: string): boolean {
  const type = schema.attributeType(attribute);
  if (by === '*') return type?.usage === 'userApplications';
  if (by === '+') return type?.usage !== 'userApplications';
  if (by.startsWith('@')) {
    const lineage = schema.objectClass(by.slice(1))?.lineage ?? [];
    return lineage.some(({ must, may }) => [...must, ...may].some(({ name }) => name === type?.name));
  }
  return schema.attributeType(by)?.family.some(({ name }) => name === type?.name) === true;
}

/** A word and what stands behind its colon. */
function split(text: string): readonly [word: string, rest: string] {
  const at = text.indexOf(':');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
