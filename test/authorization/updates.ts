import { schema } from '../directory/driver.ts';
import type { Add, Delete, Modify, Rename, Update } from './asks.ts';
import { judge } from './oracle.ts';
import { about, absent, asserted, codes, type Outcome, shown } from './outcome.ts';
import { type Asker, isWithin, type PlainEntry, type PlainWorld, parentOf, realmOf } from './plain.ts';

/** What must come of a change. */
export function outcomeOfUpdate(world: PlainWorld, asker: Asker, ask: Update): Outcome {
  switch (ask.op) {
    case 'add':
      return outcomeOfAdd(world, asker, ask);
    case 'modify':
      return outcomeOfModify(world, asker, ask);
    case 'delete':
      return outcomeOfDelete(world, asker, ask);
    case 'rename':
      return outcomeOfRename(world, asker, ask);
  }
}

function refused(...because: readonly string[]): Outcome {
  return { codes: [codes.insufficientAccessRights], because };
}

function outcomeOfAdd(world: PlainWorld, asker: Asker, ask: Add): Outcome {
  const parent = world.entries.get(parentOf(ask.dn));
  if (parent === undefined || !judge(world, asker, parent).visible) return absent(world, asker, ask.dn);
  const { userPassword, ...attributes } = ask.attributes;
  const entry: PlainEntry = { dn: ask.dn, attributes };
  const judged = judge(world, asker, entry);
  const verdicts = [judged.may('add'), ...Object.keys(ask.attributes).map((name) => judged.may('write', name))];
  const denied = verdicts.find(({ allowed }) => !allowed);
  const fails = ask.assertion !== undefined && !asserted(ask.assertion, stamped(entry), judged);
  if (denied !== undefined)
    return { codes: [codes.insufficientAccessRights, ...(fails ? [codes.assertionFailed] : [])], because: [denied.by] };
  if (world.entries.has(ask.dn)) return { codes: [68], because: ['it is there'] };
  if (fails) return { codes: [codes.assertionFailed], because: ['the assertion does not hold'] };
  const after = withEntries(world, [...world.entries.values(), entry]);
  const password = userPassword?.[0] === undefined ? {} : { password: [ask.dn, userPassword[0]] as const };
  return done(
    world,
    after,
    asker,
    ask,
    entry,
    entry,
    verdicts.map(({ by }) => by),
    password,
  );
}

/** What the directory keeps about an entry, but for what people sign in with. */
function isKeptByDirectory(name: string): boolean {
  const type = schema.attributeType(name);
  return type?.usage !== 'userApplications' && !type?.secret && !type?.sealed && name !== 'stsCredentialId' && name !== 'stsEmailFactor';
}

/** With what the directory gives a new entry. */
function stamped({ dn, attributes }: PlainEntry): PlainEntry {
  const [structuralObjectClass = ''] = attributes['objectClass'] ?? [];
  const own = { structuralObjectClass: [structuralObjectClass], createTimestamp: ['20261121120000Z'], entryUUID: ['new'] };
  return { dn, attributes: { ...attributes, ...own } };
}

function outcomeOfModify(world: PlainWorld, asker: Asker, ask: Modify): Outcome {
  const outcome = outcomeOfChanges(world, asker, ask);
  // Who manages nothing relaxes nothing, whatever is or is not there.
  return ask.relax && outcome.codes.includes(codes.noSuchObject)
    ? { ...outcome, codes: [...outcome.codes, codes.insufficientAccessRights] }
    : outcome;
}

function outcomeOfChanges(world: PlainWorld, asker: Asker, ask: Modify): Outcome {
  return about(world, asker, ask.dn, ask.assertion, ({ entry, judged }) => {
    const names = ask.changes.map(([, name]) => name);
    const verdicts = names.map((name) => judged.may('write', name));
    // What the directory keeps for itself, and what is relaxed, is for those who manage.
    if (ask.relax || names.some(isKeptByDirectory)) verdicts.push(judged.may('manage'));
    const denied = verdicts.find(({ allowed }) => !allowed);
    if (denied !== undefined) return refused(denied.by);
    const attributes = Object.fromEntries(Object.entries(entry.attributes).map(([name, values]) => [name, [...values]]));
    let password: string | undefined;
    for (const [kind, name, ...values] of ask.changes) {
      if (name === 'userPassword') password = values[0];
      else if (kind === 'replace') attributes[name] = values;
      else if (kind === 'add') attributes[name] = [...(attributes[name] ?? []), ...values];
      else attributes[name] = values.length === 0 ? [] : (attributes[name] ?? []).filter((value) => !values.includes(value));
      if (attributes[name]?.length === 0) delete attributes[name];
    }
    const changed: PlainEntry = { dn: entry.dn, attributes };
    const after = withEntries(
      world,
      [...world.entries.values()].map((each) => (each === entry ? changed : each)),
    );
    const more = password === undefined ? {} : { password: [ask.dn, password] as const };
    return done(
      world,
      after,
      asker,
      ask,
      entry,
      changed,
      verdicts.map(({ by }) => by),
      more,
    );
  });
}

function outcomeOfDelete(world: PlainWorld, asker: Asker, ask: Delete): Outcome {
  return about(world, asker, ask.dn, ask.assertion, ({ entry, judged }) => {
    const below = [...world.entries.values()].filter(({ dn }) => isWithin(dn, ask.dn));
    const own = judged.may('delete');
    if (!own.allowed) return refused(own.by);
    if (below.length > 1 && ask.tree !== true) return { codes: [codes.notAllowedOnNonLeaf], because: ['it is not alone'] };
    for (const each of below) {
      const one = judge(world, asker, each);
      const { allowed, by } = one.may('delete');
      if (!allowed || !one.visible) return refused(`${each.dn}: ${by}`);
    }
    const gone = new Set(below.map(({ dn }) => dn));
    const left = [...world.entries.values()].filter(({ dn }) => !gone.has(dn));
    const after = withEntries(
      world,
      left.map((each) => following(world, each, ask.dn, (value) => (gone.has(value) ? undefined : value))),
    );
    return done(world, after, asker, ask, entry, undefined, [own.by]);
  });
}

function outcomeOfRename(world: PlainWorld, asker: Asker, ask: Rename): Outcome {
  return about(world, asker, ask.dn, ask.assertion, ({ entry, judged }) => {
    const superior = ask.superior ?? parentOf(ask.dn);
    // Nothing moves out of its realm; which of several refusals is told is nowhere said.
    if (realmOf(world, superior) !== realmOf(world, ask.dn))
      return { codes: [codes.affectsMultipleDsas, codes.insufficientAccessRights], because: ['another realm'] };
    const isMove = superior !== parentOf(ask.dn);
    const target = `${ask.rdn},${superior}`;
    const naming = ask.rdn.slice(0, ask.rdn.indexOf('='));
    const to = (dn: string) => (isWithin(dn, ask.dn) ? `${dn.slice(0, dn.length - ask.dn.length)}${target}` : dn);
    const verdicts = [judged.may('write', naming)];
    const moved = [...world.entries.values()].filter(({ dn }) => isWithin(dn, ask.dn));
    for (const each of isMove ? moved : []) {
      verdicts.push(judge(world, asker, each).may('delete'), judge(world, asker, { ...each, dn: to(each.dn) }).may('add'));
    }
    // As with a tree that is deleted: what one may not see does not move.
    const unseen =
      isMove && !moved.every((each) => judge(world, asker, each).visible) ? [{ allowed: false, by: 'an unseen one below it' }] : [];
    const denied = [...verdicts, ...unseen].find(({ allowed }) => !allowed);
    const above = world.entries.get(superior);
    const hidden = above === undefined || !judge(world, asker, above).visible;
    if (hidden)
      return {
        codes: [codes.noSuchObject, ...(denied === undefined ? [] : [codes.insufficientAccessRights])],
        because: [`${superior} is not to be seen`],
      };
    if (denied !== undefined) return refused(denied.by);
    if (target !== ask.dn && world.entries.has(target)) return { codes: [68], because: ['the name is taken'] };
    const old = ask.dn.slice(naming.length + 1, ask.dn.indexOf(','));
    const value = ask.rdn.slice(naming.length + 1);
    const values = [...(entry.attributes[naming] ?? []).filter((each) => each !== old && each !== value), value];
    const renamed: PlainEntry = { dn: target, attributes: { ...entry.attributes, [naming]: values } };
    const all = [...world.entries.values()].map((each) => (each === entry ? renamed : { ...each, dn: to(each.dn) }));
    const after = withEntries(
      world,
      all.map((each) => following(world, each, ask.dn, to)),
    );
    return done(
      world,
      after,
      asker,
      ask,
      entry,
      after.entries.get(target),
      verdicts.map(({ by }) => by),
    );
  });
}

/** What came of a change that is made, and what its reading controls show. */
function done(
  world: PlainWorld,
  after: PlainWorld,
  asker: Asker,
  ask: Update,
  before: PlainEntry,
  made: PlainEntry | undefined,
  because: readonly string[],
  more: Partial<Outcome> = {},
): Outcome {
  // What it changes of the rules is in force for the next request.
  const show = (entry: PlainEntry | undefined, attributes: readonly string[] | undefined) => {
    const judged = entry && judge(world, asker, entry);
    return entry !== undefined && judged?.visible === true && attributes !== undefined ? shown(entry, judged, { attributes }) : undefined;
  };
  return {
    codes: [codes.success],
    world: after,
    before: show(before, ask.preRead),
    after: show(made, ask.postRead),
    because,
    ...more,
  };
}

function withEntries(world: PlainWorld, entries: readonly PlainEntry[]): PlainWorld {
  return { ...world, entries: new Map(entries.map((entry) => [entry.dn, entry])) };
}

const follow = ['member', 'uniqueMember', 'owner', 'manager', 'secretary', 'seeAlso', 'roleOccupant'];

/** Values that name entries follow them, and go with them. */
function following(world: PlainWorld, entry: PlainEntry, dn: string, to: (dn: string) => string | undefined): PlainEntry {
  // Nothing crosses the edge of a realm.
  if (realmOf(world, entry.dn) !== realmOf(world, dn)) return entry;
  const attributes: Record<string, readonly string[]> = {};
  let changed = false;
  for (const [name, values] of Object.entries(entry.attributes)) {
    const next = follow.includes(name) ? values.flatMap((value) => to(value) ?? []) : values;
    if (next.join() !== values.join()) changed = true;
    if (next.length > 0) attributes[name] = next;
  }
  return changed ? { dn: entry.dn, attributes } : entry;
}
