import {
  adminErrors,
  createApi,
  createConsole,
  createGate,
  createOperatorsGate,
  type OperationDeps,
  operations,
  type VerifyAccessToken,
} from '#admin';
import type { Csrf, WebOptions, WebRoute } from '#web';
import type { Beneath } from './above.ts';
import type { Foundation } from './foundation.ts';
import { managementSocketOf } from './locate.ts';

/** What management is made of. */
interface Managing {
  readonly foundation: Foundation;
  readonly below: Beneath;
  readonly deps: OperationDeps;
  readonly csrf: Csrf;
  readonly verify: VerifyAccessToken;
  /** Where browsers reach the service. */
  readonly origin: () => string | undefined;
}

/** What stands at the doors of browsers, and what at the operators'; nothing is added where they have no socket. */
interface Management {
  readonly routes: readonly WebRoute[];
  readonly operators: Pick<WebOptions, 'operators'>;
}

/** The management API and the console over the table of operations; the API alone for operators on this machine, where they have a socket for LDAP, too. */
export function managementOf({ foundation, below, deps, csrf, verify, origin }: Managing): Management {
  const { settings, dataDir, clock, log, version } = foundation;
  const { people } = deps;
  const authRequired = settings['adminApi.authRequired'];
  if (!authRequired) log.warn(adminErrors.authNotRequired, adminErrors.authNotRequired.means);
  const standing = { ...deps, administratorUid: settings['admin.bootstrapUsername'], nowMs: () => clock.nowMs() };
  const api = createApi({ operations, deps, version });
  const ldapUrl = () => below.ldapUrl;
  const console = createConsole({ ...deps, csrf, ldapUrl, operating: deps, table: operations, personOf: people.byUuid });
  const path = managementSocketOf(dataDir, settings);
  // A web process beside the service has the doors of browsers alone.
  const isService = below.jobs !== undefined;
  return {
    routes: [...api({ gate: createGate({ ...standing, verify, authRequired }) }), ...console],
    operators:
      path === undefined || !isService
        ? {}
        : { operators: { path, routes: api({ gate: createOperatorsGate(standing), operators: { origin } }) } },
  };
}
