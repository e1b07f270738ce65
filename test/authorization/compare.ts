import { text } from '#base';
import { decodeAttributes, decodeBer, type PartialAttribute } from '#ldap';
import { dereferencesOf, viewOf } from '../directory/control-values.ts';
import { type Answers, schema } from '../directory/driver.ts';
import { type Ask, oids, type Search } from './asks.ts';
import { judge } from './oracle.ts';
import type { Outcome, Shown } from './outcome.ts';
import type { Asker, PlainEntry, PlainWorld } from './plain.ts';

/** How an answer differs from what must come; nothing where it does not. */
export function differs(world: PlainWorld, asker: Asker, ask: Ask, outcome: Outcome, answers: Answers): string | undefined {
  const { code, result } = answers;
  if (!outcome.codes.includes(code)) return `result ${code} (${result.diagnostic}), not ${outcome.codes.join(' or ')}`;
  if (code === 32 && outcome.matchedDn !== undefined && result.matchedDN.toLowerCase() !== outcome.matchedDn)
    return `matchedDN ${result.matchedDN}, not ${outcome.matchedDn}`;
  if (code === 76)
    return viewOf(answers)?.count === outcome.entries?.length
      ? undefined
      : `the list has ${viewOf(answers)?.count} entries, not ${outcome.entries?.length}`;
  if (code !== 0) return answers.entries.length === 0 ? undefined : 'entries come with a refusal';
  if (ask.op === 'search') return searchDiffers(world, asker, ask, outcome, answers);
  if (ask.op === 'transaction' || ask.op === 'bind' || ask.op === 'password' || ask.op === 'compare') return undefined;
  const [before, after] = [readIn(answers, oids.preRead), readIn(answers, oids.postRead)];
  return (
    shownDiffers('before it', outcome.before && userOnly(outcome.before), before && userOnly(before)) ??
    shownDiffers('after it', outcome.after && userOnly(outcome.after), after && userOnly(after)) ??
    allReadable(world, asker, before) ??
    allReadable(world, asker, after, outcome.world)
  );
}

function searchDiffers(world: PlainWorld, asker: Asker, ask: Search, outcome: Outcome, answers: Answers): string | undefined {
  const given = answers.entries.map((entry) => plain(entry.dn, entry.attributes));
  const wanted = new Map((outcome.entries ?? []).map((entry) => [entry.dn, entry]));
  for (const entry of given) {
    const expected = wanted.get(entry.dn);
    if (expected === undefined) return `${entry.dn} comes, and must not`;
    const extra = allReadable(world, asker, entry);
    const different = extra ?? shownDiffers(entry.dn, expected, storedOnly(world, entry));
    if (different !== undefined) return different;
  }
  if (new Set(given.map(({ dn }) => dn)).size < given.length) return 'an entry comes twice';
  const view = ask.view === undefined ? undefined : viewOf(answers);
  if (view !== undefined && view.count !== wanted.size) return `the list has ${view.count} entries, not ${wanted.size}`;
  const shownMost =
    ask.view === undefined ? wanted.size : Math.min(wanted.size - Math.min(ask.view[0], wanted.size) + 1, ask.view[1] + 1, wanted.size);
  if (given.length !== shownMost) {
    const missing = [...wanted.keys()].filter((dn) => !given.some((entry) => entry.dn === dn));
    return `${given.length} entries come, not ${shownMost}; without ${missing.join(' and ')}`;
  }
  return (
    (ask.sort === undefined ? undefined : orderDiffers(ask.sort, outcome, given)) ??
    (ask.deref === undefined ? undefined : dereferencesDiffer(outcome, answers))
  );
}

/** RFC 2891 §2.2: entries without a value are the last, and in reverse the first. */
function orderDiffers(sort: string, { places }: Outcome, given: readonly Shown[]): string | undefined {
  const reverse = sort.startsWith('-') ? -1 : 1;
  for (let at = 1; at < given.length; at++) {
    const [a, b] = [given[at - 1]?.dn ?? '', given[at]?.dn ?? ''];
    const [left, right] = [places?.get(a), places?.get(b)];
    const order = left === right ? 0 : left === undefined ? 1 : right === undefined || left < right ? -1 : 1;
    if (order * reverse > 0) return `${a} comes before ${b} by ${sort}`;
  }
  return undefined;
}

function dereferencesDiffer({ dereferenced }: Outcome, { entries }: Answers): string | undefined {
  const given = new Map<string, string>();
  for (const entry of entries)
    for (const [attribute, name, attributes] of dereferencesOf(entry) ?? [])
      given.set(`${entry.dn.toLowerCase()} ${attribute} ${name.toLowerCase()}`, JSON.stringify(sorted(attributes)));
  for (const [key, attributes] of dereferenced ?? []) {
    const said = given.get(key);
    const must = JSON.stringify(sorted(attributes));
    if (said !== must) return `dereferenced, ${key} is ${said}, not ${must}`;
    given.delete(key);
  }
  return given.size === 0 ? undefined : `dereferenced, ${[...given.keys()].join(' and ')} must not be told of`;
}

function sorted(attributes: Shown['attributes'] | undefined): Shown['attributes'] | null {
  if (attributes === undefined) return null;
  const names = Object.keys(attributes).sort();
  return Object.fromEntries(names.map((name) => [name, (attributes[name] ?? []).map((value) => value.toLowerCase()).sort()]));
}

function shownDiffers(what: string, expected: Shown | undefined, given: Shown | undefined): string | undefined {
  const [must, said] = [expected, given].map((one) => one && JSON.stringify([one.dn, sorted(one.attributes)]));
  return must === said ? undefined : `${what}: ${said}, not ${must}`;
}

/** Nothing may be shown that may not be read, whether the model knows its value or not. */
function allReadable(world: PlainWorld, asker: Asker, given: Shown | undefined, where = world): string | undefined {
  const entry = given && where.entries.get(given.dn);
  if (given === undefined || entry === undefined) return undefined;
  const judged = judge(world, asker, entry);
  const bad = Object.keys(given.attributes).find((name) => !judged.may('read', name).allowed);
  return bad === undefined ? undefined : `${given.dn} shows ${bad}, which may not be read (${judged.may('read', bad).by})`;
}

const isUser = (name: string) => schema.attributeType(name)?.usage === 'userApplications';

/** What an entry stores: what is worked out for an answer is not modelled. */
function storedOnly(world: PlainWorld, shown: Shown): Shown {
  const entry = world.entries.get(shown.dn) as PlainEntry;
  return { dn: shown.dn, attributes: keep(shown, (name) => name in entry.attributes || isUser(name)) };
}

function userOnly(shown: Shown): Shown {
  return { dn: shown.dn, attributes: keep(shown, isUser) };
}

function keep({ attributes }: Shown, isKept: (name: string) => boolean): Shown['attributes'] {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => isKept(name)));
}

function plain(dn: string, attributes: readonly PartialAttribute[]): Shown {
  const named = attributes.map(({ description, values }) => [description, values.map((value) => text(value) ?? 'octets')] as const);
  return { dn: dn.toLowerCase(), attributes: Object.fromEntries(named) };
}

/** RFC 4527 §3: the entry that a control of the answer brings. */
function readIn({ controls }: Answers, oid: string): Shown | undefined {
  const value = controls.find((control) => control.oid === oid)?.value;
  if (value === undefined) return undefined;
  return decodeBer(value, (ber) =>
    ber.sequence(() => {
      const dn = ber.string();
      const pieces: Uint8Array[] = [];
      ber.list(() => void pieces.push(ber.element()));
      return plain(dn, decodeAttributes(Buffer.concat(pieces)));
    }, 0x64),
  );
}

/** How what is stored differs from what must be; operational attributes, which every change sets, aside. */
export function contentDiffers(must: PlainWorld, stored: ReadonlyMap<string, PlainEntry>): string | undefined {
  for (const [dn, entry] of must.entries) {
    const found = stored.get(dn);
    if (found === undefined) return `${dn} is gone`;
    const different = shownDiffers(`stored of ${dn}`, userOnly(entry), userOnly(found));
    if (different !== undefined) return different;
  }
  const more = [...stored.keys()].find((dn) => !must.entries.has(dn));
  return more === undefined ? undefined : `${more} is stored, and must not be`;
}
