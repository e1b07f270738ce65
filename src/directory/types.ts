import type { Message, Request, Response } from '#ldap';

/** By which door a connection came. `web` is the private socket of the web layer; `operators` the operators' socket. */
export type Door = 'ldap' | 'ldaps' | 'operators' | 'web';

/**
 * How someone came in. It is part of who they are to the access rules. Who acts for another on an ordinary door keeps their own; `onBehalf` is the web
 * layer for a person.
 */
export type Strength = 'anonymous' | 'appPassword' | 'ownPassword' | 'certificate' | 'operatorsSocket' | 'webLayer' | 'onBehalf';

/** What the web layer says of the session for which it acts. Who proves their password for one request has one for that request. */
export interface Session {
  /** How many factors they signed in with. */
  readonly factors: number;
  /** When they last authenticated, in milliseconds since 1970. */
  readonly authenticatedMs: number;
  /** The browser's address as text, where the web layer says it. */
  readonly address?: string | undefined;
  /** Whether nobody can read on the way what is between the browser and the web layer; not, where it does not say. */
  readonly isProtected?: boolean;
}

/** Who acts on a connection. */
export interface Identity {
  /** DN as text; `undefined` for anonymous, the operators' socket and the web layer itself. */
  readonly dn: string | undefined;
  readonly uuid: string | undefined;
  readonly strength: Strength;
  readonly session?: Session;
  /** By which app password they came in. */
  readonly appPassword?: AppPasswordBehind;
}

/** The app password behind an identity: with it the identity ends. */
export interface AppPasswordBehind {
  /** The entryUUID of whose it is; who acts for another after it has that other's. */
  readonly holder: string;
  readonly id: string;
  readonly expiresMs?: number;
}

/** What the listener knows of a connection and the directory needs. The directory sets `identity` at bind. */
export interface Connection {
  readonly id: string;
  readonly door: Door;
  /** The peer's address as text; for the web door that of the browser, when a control says so. */
  readonly address: string;
  readonly loopback: boolean;
  /** TLS, a Unix socket, or another protected transport. */
  secure: boolean;
  identity: Identity;
  /** True once the web layer has shown the secret of this start on the private socket. Survives later binds. */
  trusted: boolean;
  /** The certificate that the client has shown in TLS and an authority of the operators' vouches for, as DER. */
  certificate?: Uint8Array | undefined;
  /** OIDs of the extended operations that the listener itself answers here, for the root DSE. */
  extensions?: readonly string[];
  /** The directory's: a bind in several steps that waits for its next one. */
  exchange?: object | undefined;
}

/** Where answers go. The listener gathers what is sent in one turn and writes it at once. */
export interface Reply {
  /** Sends an answer to the request. */
  send(op: Response, controls?: Message['controls']): void;
  /** The fast path: a search result whose attributes are encoded already (PartialAttribute TLVs, in pieces one behind the other). */
  entry(dn: Uint8Array, attributes: readonly Uint8Array[], controls?: Message['controls']): void;
  /** Sends an unsolicited notification on the connection of the request (RFC 4511 §4.4). */
  notify(op: Response & { readonly kind: 'extendedResponse' }): void;
  /** Undefined while the peer keeps up; else resolves when it has read enough, or rejects when it is gone. */
  full(): Promise<void> | undefined;
  /** From now on it goes on until somebody ends it: a bind on its connection ends it instead of waiting for it, and so does the end of the service. */
  lasts(): void;
  /** True when nobody waits for an answer any more: by abandon, unbind, a lost connection or the end of the service. */
  readonly ended: boolean;
  /** Aborted when `ended` becomes true. Made for who asks for it: whoever only wants to know asks `ended`. */
  readonly signal: AbortSignal;
}

/** The engine below the LDAP interface. */
export interface Directory {
  /**
   * Performs one request and sends its answers, the final one included (none for abandon and unbind, which the listener handles).
   * Never throws for what a client can cause; synchronous where no disk or hash must be waited for.
   */
  perform(connection: Connection, message: Message<Request>, reply: Reply): void | Promise<void>;
  /** To be told of each connection that is over: what was begun on it and not ended is forgotten. */
  forget(connection: Connection): void;
}
