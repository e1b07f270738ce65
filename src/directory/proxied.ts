import { refuse } from '#catalogue';
import { parseDn } from '#ldap';
import { isWithin } from '#schema';
import type { Controls } from './controls/kind.ts';
import { proxiedAuthorization } from './controls/proxied-authorization.ts';
import type { Engine } from './engine.ts';
import { errors } from './errors.ts';
import { accountOf, anonymous } from './operations/bind.ts';
import { nameOfDn } from './realm.ts';
import type { Connection, Identity } from './types.ts';

/**
 * Who acts with a request: the connection's own identity, or the one that the web layer acts on behalf of (RFC 4370).
 *
 * @throws Refusal `proxyDenied` (LDAP authorizationDenied) for a name without an entry, or one whose account is disabled
 */
export function actingIdentity(engine: Engine, connection: Connection, controls: Controls): Identity {
  const named = controls.of(proxiedAuthorization);
  if (named === undefined) return connection.identity;
  // The right to speak for others is the web layer's own, never that of a name that was bound on its socket.
  if (connection.identity.strength !== 'webLayer') throw refuse(errors.proxyDenied);
  if (named === '') return anonymous;

  const dn = parseDn(named);
  if (dn === undefined || dn.length === 0) throw refuse(errors.proxyDenied);
  const name = nameOfDn(engine.schema, dn, named);
  const within = isWithin(name.key, engine.realm.suffix.key);
  const entry = within ? engine.store.snapshot().byDnKey(name.key) : undefined;
  if (entry === undefined || accountOf(entry).disabled) throw refuse(errors.proxyDenied);
  return { dn: entry.dn, uuid: entry.uuid, strength: 'onBehalf' };
}
