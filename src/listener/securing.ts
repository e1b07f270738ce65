import type { Socket } from 'node:net';
import type { TLSSocket, TlsOptions } from 'node:tls';
import { empty } from '#base';
import type { Connection } from '#directory';
import { cancelOid, startTlsOid } from './own-operations.ts';

/** What a TLS endpoint shows. */
export interface Shown {
  /** The certificate and those that lead to its authority, as PEM. */
  readonly cert: string;
  readonly key: string;
}

/** What it shows, and whom it trusts. */
export interface TlsFiles extends Shown {
  /** Authorities that vouch for clients, as PEM; none: no client is asked for a certificate. */
  readonly clientAuthorities?: string;
}

/** Puts TLS over connections that came without (RFC 4511 §4.14). */
export interface Securing {
  /**
   * Answers in the clear, and takes all that comes by the socket from then on for a handshake: what was sent in the clear behind the request
   * breaks it, and is never read as if it had been protected. The connection is nobody's from now on, as with slapd.
   *
   * @param answer  hands the answer to the socket
   * @param secured  takes the socket in the place of the one that was given; not called when the handshake fails: then `failed` is, and it is closed
   */
  begin(socket: Socket, connection: Connection, answer: () => void, secured: (tls: TLSSocket) => void, failed: (why: string) => void): void;
}

/** The options of every TLS endpoint. A client whose certificate nobody vouches for is served as one without. */
export function tlsOptions({ cert, key, clientAuthorities }: TlsFiles, handshakeTimeout: number): TlsOptions {
  const asked = clientAuthorities === undefined ? {} : { ca: clientAuthorities, requestCert: true, rejectUnauthorized: false };
  return { cert, key, minVersion: 'TLSv1.2', handshakeTimeout, ...asked };
}

/** `files` and `handshakeTimeoutMs` are read at each handshake. */
export function createSecuring(tls: typeof import('node:tls'), files: () => TlsFiles, handshakeTimeoutMs: () => number): Securing {
  return {
    begin(socket, connection, answer, secured, failed) {
      connection.identity = { dn: undefined, uuid: undefined, strength: 'anonymous' };
      socket.pause();
      for (const event of ['data', 'drain', 'end']) socket.removeAllListeners(event);
      answer();
      // A server of its own, which never listens: what it says is about this connection and no other.
      const server = tls.createServer(tlsOptions(files(), handshakeTimeoutMs()));
      server.once('secureConnection', (secure) => {
        connection.secure = true;
        connection.certificate = certificateOf(secure);
        connection.extensions = extensionsOf(connection, undefined);
        secured(secure);
      });
      server.once('tlsClientError', (error) => {
        failed(error.message);
        socket.destroy();
      });
      // What is written is written in order: when this is, the answer is.
      socket.write(empty, () => {
        if (!socket.destroyed) server.emit('connection', socket);
      });
    },
  };
}

/** The certificate that a client has shown and an authority of ours vouches for, as DER (RFC 5280). */
export function certificateOf(socket: TLSSocket): Uint8Array | undefined {
  return socket.authorized ? socket.getPeerX509Certificate()?.raw : undefined;
}

/** What the listener itself answers on a connection, for the root DSE. */
export function extensionsOf({ door, secure }: Pick<Connection, 'door' | 'secure'>, securing: Securing | undefined): readonly string[] {
  return securing !== undefined && door === 'ldap' && !secure ? [startTlsOid, cancelOid] : [cancelOid];
}
