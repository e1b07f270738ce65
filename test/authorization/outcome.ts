import { type Filter, parseFilter } from '#ldap';
import { schema } from '../directory/driver.ts';
import { type Ask, isUpdate, type Search, type Transaction, type Update } from './asks.ts';
import { holds } from './filters.ts';
import { type Judge, judge } from './oracle.ts';
import { type Asker, inScope, type PlainEntry, type PlainWorld, parentOf, realmOf, valuesOf } from './plain.ts';
import { outcomeOfUpdate } from './updates.ts';

/** An entry as somebody is to see it: what is stored of what they asked for and may read. */
export interface Shown {
  readonly dn: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
}

/** What must come of a request. */
export interface Outcome {
  /** Result codes, any of them: more than one where several things are wrong and no document says which of them is told. */
  readonly codes: readonly number[];
  /** With noSuchObject. */
  readonly matchedDn?: string;
  /** Of a search that succeeds, in the order of their names. */
  readonly entries?: readonly Shown[];
  /** What a sorted search is sorted by: of each entry, the least value that counts. */
  readonly places?: ReadonlyMap<string, string | undefined>;
  /** By entry, attribute and name: what is told of those that an entry names. */
  readonly dereferenced?: ReadonlyMap<string, Readonly<Record<string, readonly string[]>> | undefined>;
  readonly before?: Shown | undefined;
  readonly after?: Shown | undefined;
  /** The directory afterwards, where it is another one. */
  readonly world?: PlainWorld;
  /** Whose password is now which. */
  readonly password?: readonly [dn: string, password: string];
  /** The same of what is carried out together. */
  readonly passwords?: Passwords;
  /** Which rules decided, for whoever reads about a difference. */
  readonly because: readonly string[];
}

export const codes = {
  success: 0,
  compareFalse: 5,
  compareTrue: 6,
  noSuchAttribute: 16,
  noSuchObject: 32,
  invalidCredentials: 49,
  insufficientAccessRights: 50,
  unwillingToPerform: 53,
  notAllowedOnNonLeaf: 66,
  affectsMultipleDsas: 71,
  viewRefused: 76,
  assertionFailed: 122,
  authorizationDenied: 123,
} as const;

/** What is known of passwords. */
export type Passwords = ReadonlyMap<string, string>;

/** What must come of a request by somebody. */
export function outcomeOf(world: PlainWorld, passwords: Passwords, asker: Asker, ask: Ask): Outcome {
  if (asker.through !== undefined && ask.op !== 'bind' && !mayActFor(world, asker, asker.through))
    return { codes: [codes.authorizationDenied], because: [`${asker.through} may not act for ${asker.dn}`] };
  if (isUpdate(ask)) return outcomeOfUpdate(world, asker, ask);
  switch (ask.op) {
    case 'search':
      return outcomeOfSearch(world, asker, ask);
    case 'compare':
      return about(world, asker, ask.dn, ask.assertion, ({ entry, judged }) => {
        const { allowed, by } = judged.may('compare', ask.attribute);
        if (!allowed) return { codes: [codes.insufficientAccessRights], because: [by] };
        const values = valuesOf(entry, ask.attribute).map((value) => value.toLowerCase());
        const said =
          values.length === 0 ? codes.noSuchAttribute : values.includes(ask.value.toLowerCase()) ? codes.compareTrue : codes.compareFalse;
        return { codes: [said], because: [by] };
      });
    case 'password': {
      const proves = ask.old !== undefined && passwords.get(ask.dn) === ask.old;
      if (asker.kind === 'anonymous') return { codes: [8], because: ['nobody'] };
      if (asker.cameInBy !== undefined && isUnprotected(asker)) return unprotected;
      const proven: Asker = proves ? { ...asker, session: { factors: Math.max(1, asker.session?.factors ?? 0), ageS: 0 } } : asker;
      return about(world, asker, ask.dn, undefined, ({ entry }) => {
        // Who may without it may with it: a right is never lost by proving more.
        const verdicts = [asker, proven].map((each) => judge(world, each, entry).may('write', 'userPassword'));
        const { allowed, by } = verdicts.find((verdict) => verdict.allowed) ?? { allowed: false, by: verdicts[0]?.by ?? '' };
        // Whether a wrong old password is told before that nothing would have come of it is nowhere said.
        if (ask.old !== undefined && !proves) return { codes: [codes.unwillingToPerform, codes.insufficientAccessRights], because: [by] };
        if (!allowed) return { codes: [codes.insufficientAccessRights], because: [by] };
        return { codes: [codes.success], password: [ask.dn, ask.fresh], because: [by] };
      });
    }
    case 'bind': {
      if (isUnprotected(asker)) return unprotected;
      const entry = world.entries.get(ask.dn);
      const nobody: Asker = { kind: 'anonymous', address: asker.address, loopback: asker.loopback, secure: asker.secure };
      const verdict = entry === undefined ? { allowed: false, by: 'no such entry' } : judge(world, nobody, entry).may('auth');
      const isRight = entry !== undefined && passwords.get(ask.dn) === ask.password;
      return { codes: [verdict.allowed && isRight ? codes.success : codes.invalidCredentials], because: [verdict.by] };
    }
    case 'transaction':
      return outcomeOfTransaction(world, asker, ask);
  }
}

/** Product mode takes no password over a connection that others may listen to; whose it is is not asked. */
function isUnprotected({ secure, loopback }: Asker): boolean {
  return !secure && !loopback;
}

const unprotected: Outcome = { codes: [13], because: ['a password over an unprotected connection'] };

/** As oneself, and as those whom one manages; as an administrator only who manages all that there is. */
function mayActFor(world: PlainWorld, { through: _, ...asker }: Asker, through: string): boolean {
  if (asker.dn === through) return true;
  const themselves: Asker = { ...asker, dn: through };
  const manages = (dn: string) => {
    const entry = world.entries.get(dn);
    return entry !== undefined && judge(world, themselves, entry).may('manage').allowed;
  };
  const realm = realmOf(world, asker.dn ?? '');
  return manages(asker.dn ?? '') && (realm?.administrator !== asker.dn || manages(realm?.suffix ?? ''));
}

function outcomeOfTransaction(world: PlainWorld, asker: Asker, { updates }: Transaction): Outcome {
  if (asker.kind === 'anonymous') return { codes: [codes.insufficientAccessRights], because: ['nobody changes anything'] };
  let now: PlainWorld = { ...world, before: world };
  const because: string[] = [];
  const passwords = new Map<string, string>();
  for (const update of updates) {
    const one = outcomeOfUpdate(now, asker, update satisfies Update);
    because.push(...one.because);
    if (one.world === undefined) {
      // A password is judged before it is hashed, when its update is handed in: what is wrong with that may be told first.
      const others = updates.flatMap((each) => [now, world].flatMap((where) => outcomeOfUpdate(where, asker, each).codes));
      const early = updates.some((each) => JSON.stringify(each).includes('userPassword')) ? [codes.insufficientAccessRights] : [];
      return { codes: [...others.filter((code) => code !== codes.success), ...early], because };
    }
    if (one.password !== undefined) passwords.set(...one.password);
    now = one.world;
  }
  return { codes: [codes.success], world: { ...world, entries: now.entries }, passwords, because };
}

interface Found {
  readonly entry: PlainEntry;
  readonly judged: Judge;
}

/** An entry that is named, if one may see it; and its assertion. */
export function about(
  world: PlainWorld,
  asker: Asker,
  dn: string,
  assertion: string | undefined,
  then: (found: Found) => Outcome,
): Outcome {
  const entry = world.entries.get(dn);
  const judged = entry && judge(world, asker, entry);
  if (entry === undefined || judged?.visible !== true) return absent(world, asker, dn);
  const outcome = then({ entry, judged });
  if (assertion === undefined || asserted(assertion, entry, judged)) return outcome;
  const others = outcome.codes.filter((code) => ![codes.success, codes.compareFalse, codes.compareTrue].some((fine) => fine === code));
  return { codes: [codes.assertionFailed, ...others], because: ['the assertion does not hold', ...outcome.because] };
}

export function asserted(assertion: string, entry: PlainEntry, judged: Judge): boolean {
  return holds(filterOf(assertion), entry, (name) => judged.may('search', name).allowed) === true;
}

/** An entry that one may not see is one that is not there. */
export function absent(world: PlainWorld, asker: Asker, dn: string): Outcome {
  const realm = realmOf(world, dn);
  let above = parentOf(dn);
  while (above !== '' && realmOf(world, above) === realm) {
    const entry = world.entries.get(above);
    if (entry !== undefined && judge(world, asker, entry).visible) break;
    above = parentOf(above);
  }
  const matchedDn = realm === undefined || realmOf(world, above) !== realm ? '' : above;
  return { codes: [codes.noSuchObject], matchedDn, because: [`${dn} is not there, or not to be seen`] };
}

export function filterOf(said: string): Filter {
  const parsed = parseFilter(said, { depthMax: 20 });
  if (parsed.kind === 'bad') throw new Error(parsed.why);
  return parsed.filter;
}

function outcomeOfSearch(world: PlainWorld, asker: Asker, ask: Search): Outcome {
  const filter = filterOf(ask.filter);
  return about(world, asker, ask.base, ask.assertion, () => {
    const found: Shown[] = [];
    const places = new Map<string, string | undefined>();
    const dereferenced = new Map<string, Shown['attributes'] | undefined>();
    for (const entry of world.entries.values()) {
      if (!inScope(ask.scope, entry.dn, ask.base) || realmOf(world, entry.dn) !== realmOf(world, ask.base)) continue;
      const judged = judge(world, asker, entry);
      const maySearch = (name: string) => judged.may('search', name).allowed;
      if (!judged.visible || holds(filter, entry, maySearch) !== true) continue;
      found.push(shown(entry, judged, ask));
      const key = ask.sort?.replace('-', '');
      if (key !== undefined)
        places.set(
          entry.dn,
          maySearch(key)
            ? valuesOf(entry, key)
                .map((value) => value.toLowerCase())
                .sort()[0]
            : undefined,
        );
      for (const [name, wanted] of Object.entries(ask.deref ?? {}))
        for (const value of judged.may('read', name).allowed ? valuesOf(entry, name) : [])
          dereferenced.set(
            `${entry.dn} ${name} ${value}`,
            realmOf(world, value) === realmOf(world, entry.dn) ? told(world, asker, value, wanted) : undefined,
          );
    }
    const entries = found.sort((a, b) => (a.dn < b.dn ? -1 : 1));
    // Where a view begins behind the end of its list, it may be refused; the list is as long all the same.
    const isBehind = ask.view !== undefined && ask.view[0] > entries.length;
    return { codes: isBehind ? [codes.success, codes.viewRefused] : [codes.success], entries, places, dereferenced, because: [] };
  });
}

/** What is told of an entry that another one names; nothing of one that is not there, or not to be seen. */
function told(world: PlainWorld, asker: Asker, dn: string, wanted: readonly string[]): Shown['attributes'] | undefined {
  const entry = world.entries.get(dn);
  const judged = entry && judge(world, asker, entry);
  if (entry === undefined || judged?.visible !== true) return undefined;
  const { attributes } = shown(entry, judged, { attributes: wanted });
  return Object.keys(attributes).length === 0 ? undefined : attributes;
}

/** What one is shown of an entry, of what they want. */
export function shown(entry: PlainEntry, judged: Judge, ask: Pick<Search, 'attributes' | 'typesOnly' | 'matched'>): Shown {
  const wanted = ask.attributes.length === 0 ? ['*'] : ask.attributes;
  const attributes: Record<string, readonly string[]> = {};
  for (const [name, values] of Object.entries(entry.attributes)) {
    if (!isSelected(wanted, name) || !judged.may('read', name).allowed) continue;
    const matched =
      ask.matched !== undefined && ask.typesOnly !== true
        ? values.filter((value) => isMatched(ask.matched ?? [], name, value, judged))
        : values;
    // RFC 3876 §3: an attribute whose values are all left out comes without any.
    attributes[name] = ask.typesOnly ? [] : [...matched].sort();
  }
  return { dn: entry.dn, attributes };
}

/** RFC 3876: a value that one of the items holds for. */
function isMatched(items: readonly string[], name: string, value: string, judged: Judge): boolean {
  const alone: PlainEntry = { dn: '', attributes: { [name]: [value] } };
  return items.some((item) => holds(filterOf(item), alone, (each) => judged.may('search', each).allowed) === true);
}

/** RFC 4511 §4.5.1.8 */
function isSelected(wanted: readonly string[], name: string): boolean {
  const type = schema.attributeType(name);
  if (type === undefined) return false;
  return wanted.some((each) => {
    if (each === '*') return type.usage === 'userApplications';
    if (each === '+') return type.usage !== 'userApplications';
    return schema.attributeType(each)?.family.includes(type) === true;
  });
}
