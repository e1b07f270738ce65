import { empty, text } from '#base';
import { refuse } from '#catalogue';
import { readCertificateNames } from '#keys';
import { normalizeDn } from '#schema';
import type { Snapshot, StoredEntry } from '#store';
import { accountOf, mayAuth, refuseRemoved } from '../account.ts';
import type { Call } from '../call.ts';
import type { Engine } from '../engine.ts';
import { errors } from '../errors.ts';
import { personNamed, personWith } from '../named.ts';
import { realmOf } from '../realms.ts';
import { authorized } from '../taking.ts';
import type { Identity } from '../types.ts';
import type { SaslKind } from './kind.ts';

/**
 * EXTERNAL (RFC 4422 appendix A): whoever may open the operators' socket is the operator; whoever has shown a client certificate is the
 * person whom `ldap.clientCertificateRule` takes it for.
 */
export const external: SaslKind = {
  mechanism: 'EXTERNAL',
  offered: ({ engine, connection: { door, certificate } }) =>
    door === 'operators' || (certificate !== undefined && engine.settings['ldap.clientCertificateRule'] !== 'off'),
  async begin(call, credentials = empty, teller) {
    const { engine, connection } = call;
    const authzId = text(credentials);
    if (authzId === undefined) throw refuse(errors.saslMalformed);
    const snapshot = engine.store.snapshot();
    const { door, certificate } = connection;
    const itself: Identity =
      door !== 'operators' && certificate !== undefined
        ? identityOf(call, snapshot, certificate, teller.subject)
        : { dn: undefined, uuid: undefined, strength: 'operatorsSocket' };
    const identity = authorized(engine, snapshot, itself, authzId, connection);
    await engine.store.durable(snapshot.number);
    return { kind: 'done', identity };
  },
};

/** @throws Refusal `certificateRefused` (49): it is out of its time, or nobody's whose account is in use */
function identityOf(call: Call, snapshot: Snapshot, certificate: Uint8Array, tell: (name: string) => void): Identity {
  const { engine } = call;
  const names = readCertificateNames(certificate);
  const nowMs = engine.clock.nowMs();
  // TLS looked at this when the connection began, and a connection may last.
  if (names === undefined || !(names.notBeforeMs <= nowMs && nowMs <= names.notAfterMs)) throw refuse(errors.certificateRefused);
  const entry = personOf(engine, snapshot, names);
  if (entry !== undefined) tell(entry.dn);
  refuseRemoved(entry && realmOf(engine, snapshot, entry.dnKey));
  if (entry === undefined || !mayAuth(call, snapshot, entry)) throw refuse(errors.certificateRefused);
  const { bar, mustChange } = accountOf(entry, nowMs);
  if (bar !== undefined || mustChange) throw refuse(errors.certificateRefused);
  return { dn: entry.dn, uuid: entry.uuid, strength: 'certificate' };
}

function personOf(
  engine: Engine,
  snapshot: Snapshot,
  names: NonNullable<ReturnType<typeof readCertificateNames>>,
): StoredEntry | undefined {
  const only = (values: readonly string[]) => (values.length === 1 ? values[0] : undefined);
  switch (engine.settings['ldap.clientCertificateRule']) {
    case 'off':
      return undefined;
    case 'subject': {
      const key = names.subject.length === 0 ? undefined : normalizeDn(engine.schema, names.subject);
      return key !== undefined && realmOf(engine, snapshot, key) !== undefined ? snapshot.byDnKey(key) : undefined;
    }
    case 'mail': {
      const mail = only(names.mails);
      return mail === undefined ? undefined : personWith(engine, snapshot, 'mail', mail);
    }
    case 'uid': {
      const uid = only(names.uids);
      return uid === undefined ? undefined : personNamed(engine, snapshot, uid);
    }
  }
}
