import type { SigningAlgorithm } from '#keys';
import type { WebRealm } from '#web';
import type { Application } from './applications/index.ts';
import type { Issuer } from './issuer.ts';
import type { SigningKeys } from './keys/keys.ts';
import type { ProviderDeps } from './provider/deps.ts';
import { loadLibrary } from './provider/library.ts';
import type { Built } from './provider/provider.ts';

/** Authorization servers that are put together when they are first asked for. */
export interface Servers {
  /** @param application  that asks, where it is known: what it is told is signed by the algorithm that it asks for */
  of(issuer: Issuer, application?: Application): Promise<Built>;
}

export interface ServersOptions {
  readonly deps: ProviderDeps;
  readonly keys: SigningKeys;
  /** By which a realm signs, the first unless an application asks for another. */
  readonly algorithmsOf: (realm: WebRealm, application?: Application) => Promise<readonly [SigningAlgorithm, ...SigningAlgorithm[]]>;
  readonly serversMax: () => number;
}

/** Keeps so many ready; anybody can name another, which costs them what it costs this service: half a millisecond and its place in the line. */
export function openServers({ deps, keys, algorithmsOf, serversMax }: ServersOptions): Servers {
  const ready = new Map<string, { readonly version: string; readonly built: Built }>();
  return {
    of: async (issuer, application) => {
      const { realm, url } = issuer;
      const algorithms = await algorithmsOf(realm, application);
      const { version, privateJwks } = await keys.of(realm, algorithms);
      // Everything that is not read at each request stands in what it is known by.
      const said = JSON.stringify([version, algorithms, realm.id, realm.suffix, realm.mode, realm.removing]);
      const known = ready.get(url);
      if (known !== undefined) ready.delete(url);
      const built =
        known?.version === said
          ? known.built
          : (await builder()).buildProvider(await loadLibrary(), deps, issuer, privateJwks, algorithms[0]);
      ready.set(url, { version: said, built });
      for (const oldest of ready.keys()) {
        if (ready.size <= serversMax()) break;
        ready.delete(oldest);
      }
      return built;
    },
  };
}

/** It comes with the library. */
function builder() {
  return import('./provider/provider.ts');
}
