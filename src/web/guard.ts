import { protectsPasswords, verifiesPasswords } from '#policy';
import { errors } from './errors.ts';
import type { Exchange } from './exchanges.ts';
import { readHost, withoutPort } from './host.ts';
import { placeTarget, type WebRealms } from './realm.ts';
import type { Sender } from './send.ts';
import { readTarget } from './target.ts';

export interface GuardOptions {
  readonly realms: Pick<WebRealms, 'find' | 'refresh'>;
  /** `global.publicBaseUrl`, or empty. */
  readonly publicBaseUrl: string;
  /** The port of https; `undefined` when it is switched off. Known once it listens. */
  readonly tlsPort: () => number | undefined;
  readonly send: Sender;
}

/**
 * What is asked of every request before the router sees it. Fills in the exchange. The rules are those of the mode of the realm that is asked for.
 *
 * @returns true when the request may go on; otherwise it has been answered
 */
export function createGuard({ realms, publicBaseUrl, tlsPort, send }: GuardOptions): (exchange: Exchange) => boolean | Promise<boolean> {
  const publicUrl = publicBaseUrl === '' ? undefined : new URL(publicBaseUrl);
  const publicHost = publicUrl?.host ?? '';

  const safeUrl = (host: string): string | undefined => {
    if (publicUrl?.protocol === 'https:') return publicUrl.origin;
    const port = tlsPort();
    return port === undefined ? undefined : `https://${withoutPort(host)}${port === 443 ? '' : `:${port}`}`;
  };

  /** The realm is known: who may come, by which name and which way. */
  const admits = (exchange: Exchange, whole: string): boolean => {
    const { request, door, local, realm } = exchange;
    // RFC 9112 §3.2: of two Host headers nobody knows which one whoever stands before us has read.
    if ((request.headersDistinct['host']?.length ?? 0) > 1) {
      send.refuse(exchange, errors.hostRefused, { status: 400 });
      return false;
    }
    const host = readHost(request.headers.host, local, { loopbackOnly: !verifiesPasswords(realm.mode), publicHost });
    if (host === undefined) {
      send.refuse(exchange, errors.hostRefused);
      return false;
    }
    exchange.host = host;
    // What reaches this machine itself under the https address of the service was decrypted by a proxy on it.
    exchange.secure = door === 'https' || (local && publicUrl?.protocol === 'https:' && host === publicUrl.host);

    exchange.origin = new URL(`${exchange.secure ? 'https' : 'http'}://${host}`).origin;

    if (protectsPasswords(realm.mode) && !exchange.secure && !local) {
      const url = safeUrl(host);
      if (url !== undefined && (request.method === 'GET' || request.method === 'HEAD')) send.sendOn(exchange, url + whole);
      else send.refuse(exchange, errors.protectionNeeded);
      return false;
    }
    if (realm.removing) {
      send.refuse(exchange, errors.realmRemoved);
      return false;
    }
    // Each realm has all the routes: the router sees the path below its prefix.
    request.url = exchange.target;
    return true;
  };

  const judge = (exchange: Exchange): boolean | Promise<boolean> => {
    const target = readTarget(exchange.request.url ?? '');
    exchange.path = target.path;
    if (target.kind === 'refused') {
      // What stands below the API is told so in its own form; of which realm it was asked does not matter for that.
      const placed = placeTarget(target.path);
      exchange.target = placed.kind === 'realm' ? placed.path : target.path;
      send.refuse(exchange, target.error);
      return false;
    }
    exchange.query = target.query;
    const placed = placeTarget(target.whole);
    switch (placed.kind) {
      case 'standing':
        exchange.target = target.whole;
        return admits(exchange, target.whole);
      case 'none':
        send.refuse(exchange, errors.realmUnknown);
        return false;
      case 'realm':
        exchange.target = placed.whole;
        return realms.find(placed.id).then((realm) => {
          if (realm !== undefined) {
            exchange.realm = realm;
            return admits(exchange, target.whole);
          }
          send.refuse(exchange, errors.realmUnknown);
          return false;
        });
    }
  };
  const { refresh } = realms;
  return refresh === undefined ? judge : (exchange) => refresh().then(() => judge(exchange));
}
