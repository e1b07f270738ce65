import { isAttributeType } from './description.ts';
import { type Dn, formatDn, parseDn } from './dn.ts';
import { formatFilter, parseFilter } from './filter/parse.ts';
import type { Filter } from './filter/types.ts';

/** An LDAP URL (RFC 4516). What was not given is absent; RFC 4516 §3 says what is then meant. */
export interface LdapUrl {
  /** `ldaps` and `ldapi` are not in the RFC, but in use. */
  readonly scheme: 'ldap' | 'ldaps' | 'ldapi';
  /** Without brackets, empty when not given. For `ldapi` the path of the socket. */
  readonly host: string;
  readonly port?: number;
  readonly dn: Dn;
  readonly attributes: readonly string[];
  /** `subordinate` is not in the RFC, but what OpenLDAP's tools read and write for all below the base. */
  readonly scope?: 'base' | 'one' | 'sub' | 'subordinate';
  readonly filter?: Filter;
  readonly extensions: readonly UrlExtension[];
}

export interface UrlExtension {
  readonly type: string;
  readonly critical: boolean;
  readonly value?: string;
}

export type ParsedUrl = { readonly kind: 'url'; readonly url: LdapUrl } | { readonly kind: 'bad'; readonly why: string };

const shape = /^(ldap|ldaps|ldapi):\/\/([^/?#]*)(?:\/([^?#]*)(?:\?([^?#]*)(?:\?([^?#]*)(?:\?([^?#]*)(?:\?([^?#]*))?)?)?)?)?$/i;
const authority = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]@]*))(?::([0-9]{1,5}))?$/;

/** Thrown and caught in this file only. */
class Unreadable extends Error {}

/**
 * Parses an LDAP URL.
 *
 * @param limits  nesting and components of its filter
 * @see RFC 4516 §2
 */
export function parseLdapUrl(text: string, limits: { readonly depthMax: number; readonly filterItemsMax?: number }): ParsedUrl {
  try {
    const [, scheme, place, dnText, attributes, scope, filterText, extensions] = shape.exec(text) ?? [];
    if (scheme === undefined) throw new Unreadable('not an LDAP URL');
    const dn = parseDn(percentDecode(dnText ?? ''));
    if (!dn) throw new Unreadable('DN is malformed');
    const filter = filterText ? parseFilter(percentDecode(filterText), limits) : undefined;
    if (filter?.kind === 'bad') throw new Unreadable(`filter: ${filter.why}`);
    return {
      kind: 'url',
      url: {
        scheme: scheme.toLowerCase() as LdapUrl['scheme'],
        ...readPlace(place ?? ''),
        dn,
        attributes: attributes ? attributes.split(',').map(readAttribute) : [],
        ...(scope && { scope: readScope(scope) }),
        ...(filter && { filter: filter.filter }),
        extensions: extensions ? extensions.split(',').map(readExtension) : [],
      },
    };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { kind: 'bad', why: error.message };
  }
}

/** The text of an LDAP URL; trailing parts that are absent are left out. */
export function formatLdapUrl(url: LdapUrl): string {
  const host = url.host.includes(':') ? `[${url.host}]` : percentEncode(url.host).replaceAll('/', '%2F').replaceAll('@', '%40');
  const parts = [
    percentEncode(formatDn(url.dn)),
    url.attributes.map(percentEncode).join(','),
    url.scope ?? '',
    url.filter ? percentEncode(formatFilter(url.filter)) : '',
    url.extensions.map(formatExtension).join(','),
  ];
  while (parts.at(-1) === '') parts.pop();
  const path = parts.length > 0 ? `/${parts.join('?')}` : '';
  return `${url.scheme}://${host}${url.port === undefined ? '' : `:${url.port}`}${path}`;
}

function readPlace(place: string): { host: string; port?: number } {
  const [, ipv6, name, port] = authority.exec(place) ?? [];
  if (ipv6 === undefined && name === undefined) throw new Unreadable('host is malformed');
  const host = ipv6 ?? percentDecode(name ?? '');
  if (port === undefined) return { host };
  if (Number(port) > 65535) throw new Unreadable('port is beyond 65535');
  return { host, port: Number(port) };
}

function readAttribute(text: string): string {
  const attribute = percentDecode(text);
  if (attribute === '') throw new Unreadable('empty attribute');
  return attribute;
}

function readScope(text: string): NonNullable<LdapUrl['scope']> {
  const scope = text.toLowerCase();
  if (scope !== 'base' && scope !== 'one' && scope !== 'sub' && scope !== 'subordinate') throw new Unreadable(`scope ${text}`);
  return scope;
}

/** ["!"] extype ["=" exvalue] */
function readExtension(text: string): UrlExtension {
  const critical = text.startsWith('!');
  const equals = text.indexOf('=');
  const type = text.slice(critical ? 1 : 0, equals < 0 ? undefined : equals);
  if (!isAttributeType(type)) throw new Unreadable('extension is malformed');
  return equals < 0 ? { type, critical } : { type, critical, value: percentDecode(text.slice(equals + 1)) };
}

function formatExtension({ type, critical, value }: UrlExtension): string {
  // A comma would end the extension (RFC 4516 §2.1).
  const tail = value === undefined ? '' : `=${percentEncode(value).replaceAll(',', '%2C')}`;
  return `${critical ? '!' : ''}${type}${tail}`;
}

function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Unreadable('percent-encoding is malformed');
  }
}

/** Encodes what is neither reserved nor unreserved in RFC 3986, and `?`, which parts the URL (RFC 4516 §2.1). */
function percentEncode(text: string): string {
  return text.toWellFormed().replace(/[^A-Za-z0-9\-._~:/@!$&'()*+,;=]+/g, encodeURIComponent);
}
