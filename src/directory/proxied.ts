import { refuse } from '#catalogue';
import { accountOf, anonymous } from './account.ts';
import type { Controls } from './controls/kind.ts';
import { proxiedAuthorization } from './controls/proxied-authorization.ts';
import { session } from './controls/session.ts';
import type { Engine } from './engine.ts';
import { errors } from './errors.ts';
import { entryOfId } from './named.ts';
import { mayTake } from './taking.ts';
import type { Connection, Identity } from './types.ts';

/**
 * Who acts with a request: the connection's own identity, or the one that it asks to act as (RFC 4370).
 *
 * @throws Refusal `proxyDenied` (LDAP authorizationDenied) for a name without an entry, one whose account is disabled, and one that may not be
 *                 taken: the answer does not tell which
 */
export function actingIdentity(engine: Engine, connection: Connection, controls: Controls): Identity {
  const named = controls.of(proxiedAuthorization);
  if (named === undefined) return connection.identity;
  const { identity, door, trusted } = connection;
  // On the web layer's socket the right to speak for others is its own, never that of a name that was bound there.
  const isAllowed = door === 'web' ? identity.strength === 'webLayer' && trusted : identity.strength !== 'anonymous';
  // The web layer names people as it reads them: by their DN.
  if (!isAllowed || (door === 'web' && named !== '' && !/^dn:/i.test(named))) throw refuse(errors.proxyDenied);
  if (named === '' || /^dn:$/i.test(named)) return anonymous;

  const snapshot = engine.store.snapshot();
  const entry = entryOfId(engine, snapshot, named);
  if (
    entry === undefined ||
    accountOf(entry, engine.clock.nowMs()).bar !== undefined ||
    !mayTake(engine, snapshot, identity, entry, connection)
  )
    throw refuse(errors.proxyDenied);
  if (identity.strength !== 'webLayer') return { dn: entry.dn, uuid: entry.uuid, strength: identity.strength };
  const said = controls.of(session);
  return { dn: entry.dn, uuid: entry.uuid, strength: 'onBehalf', ...(said === undefined ? {} : { session: said }) };
}
