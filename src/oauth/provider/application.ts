import type { Application } from '../applications/index.ts';
import { mayUseServer } from '../tokens/standings.ts';
import type { ProviderDeps } from './deps.ts';
import type { Passing } from './passing.ts';

/** The application that a client names itself as on this server, looked up once in a request. */
export function applicationOf(
  deps: Pick<ProviderDeps, 'applications'>,
  passing: Passing,
  clientId: string,
): Promise<Application | undefined> {
  const { applications: known, issuer } = passing;
  const looked = known.get(clientId) ?? deps.applications.find(issuer.realm, clientId);
  known.set(clientId, looked);
  return looked.then((found) => (found !== undefined && !found.disabled && mayUseServer(found.servers, issuer.server) ? found : undefined));
}
