import type { IncomingMessage } from 'node:http';
import type * as Library from 'oidc-provider';

export type { Adapter, AdapterPayload, Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider';

/** oidc-provider, loaded with the first request that needs it: a start is mostly loading. */
export type OidcLibrary = typeof Library;

let loaded: Promise<OidcLibrary> | undefined;

export function loadLibrary(): Promise<OidcLibrary> {
  loaded ??= import('oidc-provider');
  return loaded;
}

/** A request as the library reads it: where it is mounted it knows by `originalUrl`, what it takes for a body by `body`. */
export type LibraryRequest = IncomingMessage & { originalUrl?: string; body?: string };
