import { empty, utf8 } from '#base';
import { refuse } from '#catalogue';
import { constantTimeEqual } from '#keys';
import type { Request, Response } from '#ldap';
import type { Call } from '../call.ts';
import { errors } from '../errors.ts';
import { done } from '../result.ts';
import type { Connection, Identity } from '../types.ts';

type ExtendedRequest = Request & { kind: 'extendedRequest' };

/** Who am I (RFC 4532). */
export const whoAmIOid = '1.3.6.1.4.1.4203.1.11.3';
/** The web layer shows the secret of this start on its own socket. */
export const showSecretOid = '2.25.83716444157178576224225129172109131643.6.1';

/** What the root DSE names at this door, beside what the listener itself answers. */
export function supportedExtensions(connection: Connection): string[] {
  return connection.door === 'web' ? [whoAmIOid, showSecretOid] : [whoAmIOid];
}

/** @throws Refusal `extensionUnknown` (LDAP protocolError, RFC 4511 §4.12) */
export function extended(call: Call, request: ExtendedRequest): Response {
  if (request.oid === whoAmIOid) {
    return { kind: 'extendedResponse', result: done, value: utf8(authzIdOf(call.asker.identity)) };
  }
  if (request.oid === showSecretOid && call.connection.door === 'web') return showSecret(call, request);
  throw refuse(errors.extensionUnknown, { oid: request.oid });
}

/** Who an identity is, as RFC 4513 §5.2.1.8 writes it: `dn:` and a name, `u:` and a word for what has none, nothing for anonymous. */
export function authzIdOf({ dn, strength }: Identity): string {
  switch (strength) {
    case 'anonymous':
      return '';
    case 'ownPassword':
    case 'onBehalf':
      return `dn:${dn ?? ''}`;
    case 'operatorsSocket':
      return 'u:operator';
    case 'webLayer':
      return 'u:web-layer';
  }
}

function showSecret({ engine, connection }: Call, { value }: ExtendedRequest): Response {
  const { webSecret } = engine;
  if (webSecret === undefined || webSecret.length === 0 || !constantTimeEqual(value ?? empty, webSecret))
    throw refuse(errors.webLayerRefused);
  connection.trusted = true;
  connection.identity = { dn: undefined, uuid: undefined, strength: 'webLayer' };
  return { kind: 'extendedResponse', result: done };
}
