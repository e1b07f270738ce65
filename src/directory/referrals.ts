import { equalBytes } from '#base';
import { type Refusal, refuse } from '#catalogue';
import { type Dn, formatLdapUrl, type LdapUrl, parseDn, parseLdapUrl, type SearchRequest } from '#ldap';
import { normalizeDn } from '#schema';
import type { StoredEntry } from '#store';
import { hasClass, textsOf } from './dse.ts';
import type { Engine } from './engine.ts';
import { errors } from './errors.ts';
import type { Name } from './realm.ts';

/** What of a referral object says where its subtree is. */
type Referring = Pick<StoredEntry, 'dn' | 'dnKey' | 'user' | 'operational'>;

type Scope = SearchRequest['scope'];

/** URIs as a refusal carries them in one text: none of them has a space. */
const between = ' ';

/** The URIs that a refusal names; nothing for one that is no referral. */
export function urisOf({ detail }: Refusal): string[] | undefined {
  const { referral } = detail;
  return typeof referral === 'string' ? referral.split(between) : undefined;
}

/**
 * The refusal of a request for a name at or below a referral object: it says where to ask instead (RFC 3296 §5.2, §5.3).
 *
 * @param scope  of a search; nothing for other operations
 */
export function referralTo(engine: Engine, entry: Referring, target: Name, scope?: Scope): Refusal {
  const uris = labels(engine, entry).map((uri) => rewritten(engine, uri, entry, target.dn, scope));
  return refuse(errors.referral, { matchedDN: entry.dn, referral: uris.join(between) });
}

/** Where a search goes on for what a referral object in its scope stands for (RFC 3296 §5.4); nowhere for an entry that is none. */
export function continuationsOf(engine: Engine, entry: Referring, scope: Scope): string[] {
  if (!hasClass(engine.schema, entry, 'referral')) return [];
  return labels(engine, entry).map((uri) => rewritten(engine, uri, entry, undefined, scope === 'one' ? 'base' : 'sub'));
}

/**
 * The refusal of a request for a name outside of the suffix, when the operators say who knows more (RFC 4511 §4.1.10).
 *
 * @returns nothing when they do not
 */
export function superiorReferral(engine: Engine, target: Name, scope?: Scope): Refusal | undefined {
  const uris = superiorUris(engine);
  if (uris.length === 0) return undefined;
  return refuse(errors.referral, {
    matchedDN: '',
    referral: uris.map((uri) => rewritten(engine, uri, undefined, target.dn, scope)).join(between),
  });
}

/** The URIs of `ldap.referral`. */
export function superiorUris({ settings }: Engine): string[] {
  return settings['ldap.referral'].split(/\s+/).filter((uri) => uri !== '');
}

/** The URI part of each value of `ref`: a label may stand behind it (RFC 3296 §2.2). */
function labels({ schema }: Engine, entry: Referring): string[] {
  return textsOf(schema, entry, 'ref')
    .map((value) => value.trim().split(/\s/, 1)[0] ?? '')
    .filter((uri) => uri !== '');
}

/** What is no LDAP URL stays as it is (RFC 3296 §5.4). */
function rewritten(engine: Engine, uri: string, from: Referring | undefined, target: Dn | undefined, scope: Scope | undefined): string {
  const parsed = parseLdapUrl(uri, { depthMax: filterDepthMax });
  if (parsed.kind === 'bad') return uri;
  const { scheme, host, port, extensions, ...asked } = parsed.url;
  const dn = nameThere(engine, asked.dn, from, target);
  const place = { scheme, host, ...(port === undefined ? {} : { port }), dn, extensions };
  // RFC 3296 §5.2: only a search has a use for scope, filter and attributes.
  if (scope === undefined) return formatLdapUrl({ ...place, attributes: [] });
  return formatLdapUrl({ ...asked, ...place, scope: asked.scope ?? inUrl[scope] });
}

const filterDepthMax = 20;

const inUrl: Readonly<Record<Scope, NonNullable<LdapUrl['scope']>>> = { base: 'base', one: 'one', sub: 'sub', children: 'subordinate' };

/** What the target is called on the other server: what the referral object's name has above it is replaced by the URL's name. */
function nameThere({ schema }: Engine, there: Dn, from: Referring | undefined, target: Dn | undefined): Dn {
  const here = from === undefined ? [] : (parseDn(from.dn) ?? []);
  if (target === undefined) return there.length === 0 ? here : there;
  const key = normalizeDn(schema, there);
  if (from === undefined || there.length === 0 || (key !== undefined && equalBytes(key, from.dnKey))) return target;
  return [...target.slice(0, target.length - here.length), ...there];
}
