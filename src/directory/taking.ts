import { empty, equalBytes, text } from '#base';
import { refuse } from '#catalogue';
import { decodeAttributes, parseDn, parseLdapUrl } from '#ldap';
import { compileFilter, isWithin, normalizeDn, parentKey } from '#schema';
import type { Snapshot, StoredEntry } from '#store';
import { askerOf } from './access/asker.ts';
import type { Origin } from './access/networks.ts';
import { accountOf } from './account.ts';
import type { Engine } from './engine.ts';
import { errors } from './errors.ts';
import { entryOfId, personNamed } from './named.ts';
import { realmOf } from './realms.ts';
import { attributesOf } from './record.ts';
import type { Identity } from './types.ts';

/**
 * Whether one may act as another: as oneself; as whoever's entry one manages; as anybody for the web layer; else as whom `authzTo` of one's own entry
 * names, or `authzFrom` of the other's allows. Nobody becomes the built-in administrator but who manages the suffix.
 */
export function mayTake(engine: Engine, snapshot: Snapshot, actor: Identity, target: StoredEntry, origin: Origin): boolean {
  if (actor.strength === 'webLayer' || manages(engine, snapshot, actor, target, origin)) return true;
  const own = actor.uuid === undefined ? undefined : snapshot.byUuid(actor.uuid);
  if (own === undefined || accountOf(own, engine.clock.nowMs()).bar !== undefined) return false;
  if (own.uuid === target.uuid) return true;
  const realms = engine.realms.in(snapshot);
  const realm = realms.owning(target.dnKey);
  // Nobody acts across the edge of a realm.
  if (realm === undefined || realms.owning(own.dnKey) !== realm || equalBytes(target.dnKey, realm.administrator.key)) return false;
  const fits = (rules: readonly string[], entry: StoredEntry) => rules.some((rule) => names(engine, snapshot, rule, entry));
  return fits(rulesOf(own, 'authzto'), target) || fits(rulesOf(target, 'authzfrom'), own);
}

/**
 * Who acts after a bind that asks for an authorization identity (RFC 4422 §2).
 *
 * @param authzId  empty for whoever it is by itself
 * @throws Refusal `notAuthorized` for one that may not be taken, is disabled or is nobody
 */
export function authorized(engine: Engine, snapshot: Snapshot, actor: Identity, authzId: string, origin: Origin): Identity {
  if (authzId === '') return actor;
  const target = entryOfId(engine, snapshot, authzId);
  if (target !== undefined && target.uuid === actor.uuid) return actor;
  if (
    target === undefined ||
    accountOf(target, engine.clock.nowMs()).bar !== undefined ||
    !mayTake(engine, snapshot, actor, target, origin)
  )
    throw refuse(errors.notAuthorized);
  const { strength, appPassword } = actor;
  return { dn: target.dn, uuid: target.uuid, strength, ...(appPassword === undefined ? {} : { appPassword }) };
}

/** To become the built-in administrator takes as much as they may do: to manage the suffix, too. */
function manages(engine: Engine, snapshot: Snapshot, actor: Identity, target: StoredEntry, origin: Origin): boolean {
  const asker = askerOf(engine, actor, origin, snapshot);
  if (!asker.managesSome(snapshot, target.dnKey) || !asker.rightsAt(target, snapshot).mayManage) return false;
  const realm = realmOf(engine, snapshot, target.dnKey);
  if (realm === undefined || !equalBytes(target.dnKey, realm.administrator.key)) return true;
  return asker.rightsOnName(realm.suffix.key, snapshot).mayManage;
}

function rulesOf({ operational }: StoredEntry, key: 'authzto' | 'authzfrom'): string[] {
  const found = decodeAttributes(operational).find(({ description }) => description.toLowerCase() === key);
  return (found?.values ?? []).flatMap((value) => text(value) ?? []);
}

const dnRule = /^dn(?:\.(exact|onelevel|one|subtree|sub|children))?:(.*)$/isu;
const urlLimits = { depthMax: 10, filterItemsMax: 100 };

/**
 * Whether a rule names an entry. The forms are slapd's: `dn[.exact|.onelevel|.subtree|.children]:<DN>`, `dn:*`, a DN by itself, `u:<uid>` and
 * `ldap:///<base>??<scope>?<filter>`; not those with regular expressions, groups and realms.
 */
function names(engine: Engine, snapshot: Snapshot, rule: string, entry: StoredEntry): boolean {
  if (/^ldap:\/\/\//i.test(rule)) return isFound(engine, rule, entry);
  if (/^u:/i.test(rule)) return personNamed(engine, snapshot, rule.slice(2))?.uuid === entry.uuid;
  const [, scope = 'exact', name = rule] = dnRule.exec(rule) ?? [];
  if (name === '*') return true;
  const dn = parseDn(name);
  const key = dn === undefined || dn.length === 0 ? undefined : normalizeDn(engine.schema, dn);
  return key !== undefined && isInScope(entry.dnKey, key, scope.toLowerCase());
}

function isInScope(key: Uint8Array, base: Uint8Array, scope: string): boolean {
  switch (scope) {
    case 'one':
    case 'onelevel':
      return equalBytes(parentKey(key) ?? empty, base);
    case 'sub':
    case 'subtree':
      return isWithin(key, base);
    case 'children':
      return isWithin(key, base) && !equalBytes(key, base);
    default:
      return equalBytes(key, base);
  }
}

function isFound({ schema }: Engine, rule: string, entry: StoredEntry): boolean {
  const parsed = parseLdapUrl(rule, urlLimits);
  if (parsed.kind === 'bad') return false;
  const { dn, scope = 'base', filter } = parsed.url;
  const base = normalizeDn(schema, dn);
  const name = parseDn(entry.dn);
  if (base === undefined || name === undefined || !isInScope(entry.dnKey, base, scope === 'base' ? 'exact' : scope)) return false;
  // Without its secrets: no rule is a way to find out about them.
  const attributes = attributesOf(schema, { user: entry.user, operational: entry.operational, secret: empty });
  return filter === undefined || compileFilter(schema, filter)({ dn: name, attributes }) === true;
}
