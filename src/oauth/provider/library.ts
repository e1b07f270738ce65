import type { IncomingMessage } from 'node:http';
import type * as Library from 'oidc-provider';

export type { Adapter, AdapterPayload, Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider';

/** oidc-provider, loaded with the first request that needs it: a start is mostly loading. */
export type OidcLibrary = Pick<typeof Library, 'Provider' | 'errors' | 'interactionPolicy'>;

let loaded: Promise<OidcLibrary> | undefined;

export function loadLibrary(): Promise<OidcLibrary> {
  loaded ??= load();
  return loaded;
}

/**
 * The three parts that are used, from their own files: the library's index adds nothing to them but a line on standard error about versions of Node that have no
 * long-term support yet. Which version this service runs on is said in README.md, and the tests run on it.
 */
async function load(): Promise<OidcLibrary> {
  const [{ Provider }, errors, interactionPolicy]: [
    Pick<OidcLibrary, 'Provider'>,
    OidcLibrary['errors'],
    OidcLibrary['interactionPolicy'],
  ] = await Promise.all([
    // @ts-expect-error: only the index has types
    import('oidc-provider/lib/provider.js'),
    // @ts-expect-error: only the index has types
    import('oidc-provider/lib/helpers/errors.js'),
    // @ts-expect-error: only the index has types
    import('oidc-provider/lib/helpers/interaction_policy/index.js'),
  ]);
  return { Provider, errors, interactionPolicy };
}

/** A request as the library reads it: where it is mounted it knows by `originalUrl`. */
export type LibraryRequest = IncomingMessage & { originalUrl?: string };
