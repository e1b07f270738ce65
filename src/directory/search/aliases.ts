import { refuse } from '#catalogue';
import { type Dn, parseDn } from '#ldap';
import { formOf, keysAbove, normalizeDn } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';
import type { Call } from '../call.ts';
import { classIndex, dseKey, isDse, textsOf } from '../dse.ts';
import type { Engine } from '../engine.ts';
import { errors } from '../errors.ts';
import { type Name, nameOfDn } from '../realm.ts';
import { areTogether, realmOf } from '../realms.ts';
import type { Base } from './prepared.ts';

/** An alias of the directory. */
export interface Alias {
  readonly uuid: string;
  readonly parent: string | undefined;
  readonly dnKey: Uint8Array;
  /** The key of the name that it stands for. */
  readonly target: Uint8Array;
}

/** All aliases of one state of the directory, in the order of their names, which is that of the tree. */
export interface Aliases {
  readonly inOrder: readonly Alias[];
  at(dnKey: Uint8Array): Alias | undefined;
}

const kept = new WeakMap<Engine, { readonly number: number; readonly aliases: Aliases }>();

/**
 * Reads the aliases of the directory, once for each state of the store.
 *
 * @throws Refusal `aliasesMany` (11) when there are more than `ldap.aliasesMax`
 */
export function aliasesIn(engine: Engine, snapshot: Snapshot): Aliases {
  const last = kept.get(engine);
  if (last?.number === snapshot.number) return last.aliases;
  const { schema, settings } = engine;
  const max = settings['ldap.aliasesMax'];
  const ids = snapshot.idsEqual(classIndex, dseKey(schema, 'alias'), max + 1);
  if (ids.length > max) throw refuse(errors.aliasesMany);
  const inOrder: Alias[] = [];
  for (const id of ids) {
    const entry = snapshot.readable(id);
    const target = entry && targetOf(engine, entry);
    if (entry === undefined || target === undefined) continue;
    inOrder.push({ uuid: entry.uuid, parent: entry.parent, dnKey: entry.dnKey, target: target.key });
  }
  inOrder.sort((a, b) => Buffer.compare(a.dnKey, b.dnKey));
  const byName = new Map(inOrder.map((alias) => [formOf(alias.dnKey), alias]));
  const aliases: Aliases = { inOrder, at: (dnKey) => byName.get(formOf(dnKey)) };
  kept.set(engine, { number: snapshot.number, aliases });
  return aliases;
}

/** The name that an alias stands for; nothing for one that cannot be read. */
function targetOf({ schema }: Engine, entry: Pick<ReadableEntry, 'user' | 'operational'>): { dn: Dn; key: Uint8Array } | undefined {
  const dn = parseDn(textsOf(schema, entry, 'aliasedobjectname')[0] ?? '');
  const key = dn && normalizeDn(schema, dn);
  return dn === undefined || key === undefined || dn.length === 0 ? undefined : { dn, key };
}

/**
 * The base of a search, with every alias that its name leads through taken for what it stands for (RFC 4511 §4.5.1.3, derefFindingBaseObj).
 *
 * @throws Refusal `aliasProblem` (33) for an alias that leads to itself or to nothing that the asker may see; `aliasDepth` (36)
 */
export function withoutAliases(call: Call, snapshot: Snapshot, base: Base): Base {
  const { engine } = call;
  let { name } = base;
  const met = new Set<string>();
  for (;;) {
    const alias = aliasOn(call, snapshot, name);
    if (alias === undefined) break;
    const problem = (why: string) => refuse(errors.aliasProblem, { why, matchedDN: alias.dn });
    if (met.size >= engine.settings['ldap.aliasDepthMax']) throw refuse(errors.aliasDepth, { matchedDN: alias.dn });
    if (met.size === met.add(alias.uuid).size) throw problem('circular alias');
    const target = targetOf(engine, alias);
    // Nobody learns by an alias that there is an entry which they may not see.
    // Nor does one lead into another realm.
    const isHere = target !== undefined && areTogether(engine, snapshot, target.key, alias.dnKey);
    if (!isHere || !isSeen(call, snapshot, target.key)) throw problem('aliasedObject not found');
    const levels = parseDn(alias.dn)?.length ?? 0;
    name = nameOfDn(engine.schema, [...name.dn.slice(0, name.dn.length - levels), ...target.dn]);
  }
  return name === base.name ? base : { name, idIn: (current) => current.idOf(name.key) };
}

/** The entry of a name, or the nearest one above, when it is an alias that the asker may see. */
function aliasOn({ engine, asker }: Call, snapshot: Snapshot, name: Name): ReadableEntry | undefined {
  const realm = realmOf(engine, snapshot, name.key);
  if (realm === undefined) return undefined;
  let id = snapshot.idOf(name.key);
  if (id === undefined) {
    for (const key of keysAbove(name.key, realm.suffix.key)) {
      const above = snapshot.idOf(key);
      if (above === undefined) break;
      id = above;
    }
  }
  const entry = id === undefined ? undefined : snapshot.readable(id);
  if (entry === undefined || !asker.rightsOn(entry, snapshot).visible) return undefined;
  return isDse(engine, snapshot, entry, 'alias') ? entry : undefined;
}

function isSeen({ asker }: Call, snapshot: Snapshot, dnKey: Uint8Array): boolean {
  const id = snapshot.idOf(dnKey);
  const entry = id === undefined ? undefined : snapshot.readable(id);
  return entry !== undefined && asker.rightsOn(entry, snapshot).visible;
}
