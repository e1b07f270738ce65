import { refuse } from '#catalogue';
import type { PartialAttribute } from '#ldap';
import { formOf, type LargeAttribute, type MatchingRule, normalizer } from '#schema';
import type { StoredEntry } from '#store';
import type { Call } from '../call.ts';
import { errors } from '../errors.ts';
import { type EditedList, type EditedLists, editedLists, stayLists, withLists } from '../lists.ts';
import { type Attributes, attributesOf } from '../record.ts';
import type { Look } from '../write.ts';
import { apply, checkCount, existing, noAttribute, noEquality, noValue, repeated, type Step, unfit } from './changes.ts';

/** So many values a change may bring to be made in one turn of the loop. */
export const valuesAtOnce = 256;
/** So many values are looked at before others have the event loop: one or two milliseconds. */
const turnValues = 512;

/** A change with the normal forms of its values, where its attribute has an equality rule; nothing for one that cannot be compared. */
export interface ManyStep extends Step {
  readonly normals: readonly (Uint8Array | undefined)[];
}

/** What changes make of an entry, in so far as many values are work. */
export interface Draft {
  /** The state of the entry that it was made of. */
  readonly csn: string;
  readonly old: Attributes;
  readonly attributes: Attributes;
  readonly lists: EditedLists;
  /** As they were and as they will be, as checks look at them: what was looked at value by value is not looked at again. */
  readonly before: Attributes;
  readonly after: () => Attributes;
}

export function isMany({ values }: Step): boolean {
  return values.length > valuesAtOnce;
}

/** `checkStep` with a pause now and then, for all changes. @throws Refusal as `checkStep` */
export function* checkedSteps(steps: readonly Step[]): Generator<undefined, readonly ManyStep[]> {
  const checked: ManyStep[] = [];
  for (const step of steps) {
    checkCount(step);
    checked.push({ ...step, normals: yield* normalsOf(step) });
  }
  return checked;
}

function* normalsOf({ operation, described, values }: Step): Generator<undefined, (Uint8Array | undefined)[]> {
  const { type, description } = described;
  const { equality, syntax } = type;
  const isJudged = equality?.judges === true && equality.syntax === syntax.oid;
  const normals: (Uint8Array | undefined)[] = [];
  const seen = new Map<string, number>();
  for (const [index, value] of values.entries()) {
    if (index % turnValues === turnValues - 1) yield;
    const normal = equality?.normalize(value);
    if (!(isJudged && normal !== undefined) && !syntax.validate(value)) throw unfit(described, index);
    normals.push(normal);
    if (equality === undefined || operation === 'delete') continue;
    if (normal === undefined) throw unfit(described, index);
    const form = formOf(normal);
    const before = seen.get(form);
    if (before !== undefined) throw repeated(description, before);
    seen.set(form, index);
  }
  return normals;
}

/** Makes a pause, after which the entry is as it was before; throws `contended` if it is not. */
type Pause = () => Generator<undefined, void>;

/**
 * Makes all changes, with a pause now and then.
 *
 * @returns nothing where the entry was changed in a pause: then what was made is of no state
 * @throws Refusal as `apply`
 */
export function* drafted(
  { engine: { schema } }: Pick<Call, 'engine'>,
  look: Look,
  entry: StoredEntry,
  steps: readonly ManyStep[],
  permissive: boolean,
): Generator<undefined, Draft | undefined> {
  let { number } = look();
  let isStale = false;
  const pause = function* (): Generator<undefined, void> {
    yield;
    const now = look();
    if (now.number === number) return;
    number = now.number;
    isStale = now.byUuid(entry.uuid)?.csn !== entry.csn;
    if (isStale) throw refuse(errors.contended);
  };
  try {
    return yield* draftedFrom();
  } catch (error) {
    if (isStale) return undefined;
    throw error;
  }

  function* draftedFrom(): Generator<undefined, Draft> {
    const old = attributesOf(schema, entry);
    const attributes: Attributes = new Map(old);
    const now = {
      hasValue: (...about: Parameters<ListHas>) => look().hasValue(...about),
      valuesOf: (list: EditedList['list']) => look().valuesOf(list),
    };
    const lists = editedLists(schema, now, entry);
    const before = withLists(old, lists);
    const sound: Sound = new Map();
    for (const step of steps) yield* applyMany(attributes, step, permissive, lists, sound, pause);
    if (entry.large.length > 0 && !stayLists(schema, attributes, entry, lists)) yield* inlined(attributes, lists, sound, pause);
    return { csn: entry.csn, old, attributes, lists, before, after: () => afterOf(attributes, lists, sound) };
  }
}

/** Attributes whose values were all looked at, each with the rule that tells them apart. */
type Sound = Map<PartialAttribute, MatchingRule>;

type ListHas = ReturnType<Look>['hasValue'];

function* applyMany(
  attributes: Attributes,
  step: ManyStep,
  permissive: boolean,
  lists: EditedLists,
  sound: Sound,
  pause: Pause,
): Generator<undefined, void> {
  const { operation, described, values } = step;
  const { key, type } = described;
  const list = lists.get(key);
  if (values.length > 0 && type.equality !== undefined && (operation === 'add' || operation === 'delete')) {
    if (list === undefined) yield* (operation === 'add' ? addMany : deleteMany)(attributes, step, permissive, pause);
    else yield* changeList(list, step, permissive, pause);
  } else apply(attributes, step, permissive, lists);
  const made = attributes.get(key);
  // All of its values were looked at: those that it had when they came, those that came by `checkedSteps`.
  if (made !== undefined && type.equality !== undefined && operation !== 'increment' && step.normals.every(isDefined))
    sound.set(made, type.equality);
}

function isDefined(normal: Uint8Array | undefined): boolean {
  return normal !== undefined;
}

function* changeList(
  list: EditedList,
  { operation, described, values, normals }: ManyStep,
  permissive: boolean,
  pause: Pause,
): Generator<undefined, void> {
  for (const [index, value] of values.entries()) {
    if (index % turnValues === turnValues - 1) yield* pause();
    const normal = normals[index];
    if (normal === undefined) throw unfit(described, index);
    if (operation === 'add') list.addOne(value, index, normal, permissive);
    else list.removeOne(value, normal, permissive);
  }
}

function* addMany(
  attributes: Attributes,
  { described, values, normals }: ManyStep,
  permissive: boolean,
  pause: Pause,
): Generator<undefined, void> {
  const { key, description, type } = described;
  if (type.equality === undefined) throw noEquality('add', description);
  const held = attributes.get(key)?.values ?? [];
  const forms = yield* heldForms(described, held, pause);
  const all = [...held];
  for (const [index, value] of values.entries()) {
    if (index % turnValues === turnValues - 1) yield* pause();
    const normal = normals[index];
    if (normal === undefined) throw unfit(described, index);
    if (!forms.has(formOf(normal))) all.push(value);
    else if (!permissive) throw existing(description, index);
  }
  if (all.length > held.length) attributes.set(key, { description, values: all });
}

function* deleteMany(
  attributes: Attributes,
  { described, values, normals }: ManyStep,
  permissive: boolean,
  pause: Pause,
): Generator<undefined, void> {
  const { key, description } = described;
  const held = attributes.get(key)?.values;
  if (held === undefined) {
    if (permissive) return;
    throw noAttribute('delete', description);
  }
  const left = yield* heldForms(described, held, pause);
  const gone = new Set<string>();
  for (const index of values.keys()) {
    if (index % turnValues === turnValues - 1) yield* pause();
    const normal = normals[index];
    if (normal === undefined) throw unfit(described, 0);
    const form = formOf(normal);
    if (!left.delete(form) && !gone.has(form) && !permissive) throw noValue(description);
    gone.add(form);
  }
  if (left.size === 0) attributes.delete(key);
  else if (left.size < held.length) attributes.set(key, { description, values: [...left.values()] });
}

/** The values that an attribute has, by their normal forms. */
function* heldForms(
  described: Step['described'],
  held: readonly Uint8Array[],
  pause: Pause,
): Generator<undefined, Map<string, Uint8Array>> {
  const normalOf = normalizer(described.type);
  const forms = new Map<string, Uint8Array>();
  for (const [index, value] of held.entries()) {
    if (index % turnValues === turnValues - 1) yield* pause();
    const normal = normalOf(value);
    if (normal === undefined) throw unfit(described, 0);
    forms.set(formOf(normal), value);
  }
  return forms;
}

/** Takes the lists into the entry that are lists no more: `settleLists` finds them there. */
function* inlined(attributes: Attributes, lists: EditedLists, sound: Sound, pause: Pause): Generator<undefined, void> {
  for (const [key, list] of lists) {
    const values: Uint8Array[] = [];
    let looked = 0;
    for (const value of list.each()) {
      if (looked++ % turnValues === turnValues - 1) yield* pause();
      if (value !== undefined) values.push(value);
    }
    if (values.length === 0) continue;
    const attribute = { description: list.list.description, values };
    attributes.set(key, attribute);
    sound.set(attribute, list.attribute.rule);
  }
  lists.clear();
}

/** Lists and what is sound look to a check like what was checked when it came. */
function afterOf(attributes: Attributes, lists: EditedLists, sound: Sound): Attributes {
  const after: Attributes = new Map(attributes);
  for (const [key, attribute] of attributes) {
    const rule = sound.get(attribute);
    if (rule !== undefined) after.set(key, checkedOf(attribute, rule));
  }
  for (const [key, { count, attribute }] of lists) {
    const settled: LargeAttribute = { ...attribute, fresh: [] };
    if (count > 0) after.set(key, settled);
  }
  return after;
}

function checkedOf({ description, values }: PartialAttribute, rule: MatchingRule): LargeAttribute {
  const holds = (wanted: Uint8Array) => {
    const form = formOf(wanted);
    return values.some((value) => formOf(rule.normalize(value) ?? value) === form);
  };
  return { description, values, rule, fresh: [], holds };
}
