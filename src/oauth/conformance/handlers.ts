import { refuse, type SettingValues } from '#catalogue';
import type { Handler, WebRequest } from '#web';
import type { Applications } from '../applications/applications.ts';
import { errors } from '../errors.ts';
import { isServerName, issuerOf } from '../issuer.ts';
import type { settings as rows } from '../settings.ts';
import { factsOf, type Requirement } from './facts.ts';
import { fapiBaseline } from './fapi.ts';
import { oauth21 } from './oauth21.ts';
import { rfc9700 } from './rfc9700.ts';
import type { conformanceRoutes, DocumentName } from './routes.ts';

export interface ConformanceDeps {
  readonly applications: Pick<Applications, 'list'>;
  readonly settingsOf: (realm: string) => SettingValues<typeof rows> & { readonly 'global.publicBaseUrl': string };
}

const documents: Readonly<Record<DocumentName, { readonly title: string; readonly requirements: readonly Requirement[] }>> = {
  rfc9700: { title: 'RFC 9700, Best Current Practice for OAuth 2.0 Security', requirements: rfc9700 },
  oauth21: { title: 'OAuth 2.1 (draft-ietf-oauth-v2-1), beyond RFC 6749', requirements: oauth21 },
  fapi: { title: 'FAPI 1.0 Baseline', requirements: fapiBaseline },
};

/** What each document asks, and how this very server enforces it, judged from what is configured at this moment: no requirement is answered from memory. */
export function createConformanceHandlers(deps: ConformanceDeps): Readonly<Record<keyof typeof conformanceRoutes, Handler>> {
  const told =
    (name: DocumentName): Handler =>
    (request) =>
      tell(deps, request, name);
  return {
    rfc9700: told('rfc9700'),
    oauth21: told('oauth21'),
    fapi: told('fapi'),
    serverRfc9700: told('rfc9700'),
    serverOauth21: told('oauth21'),
    serverFapi: told('fapi'),
  };
}

async function tell({ applications, settingsOf }: ConformanceDeps, request: WebRequest, name: DocumentName) {
  const { realm, origin, params, secure } = request;
  const { server = '' } = params;
  if (server !== '' && !isServerName(server)) throw refuse(errors.serverNameRefused);
  const settings = settingsOf(realm.id);
  const issuer = issuerOf(realm, origin, server);
  const all = await applications.list(realm);
  const facts = factsOf({
    ...{ issuer, isProtected: secure, applications: all.applications, algorithm: settings['oauth.algorithm'] },
    ...{ codeTtlS: settings['oauth.codeTtlS'], accessTokenTtlS: settings['oauth.accessTokenTtlS'] },
    publicBaseUrl: settings['global.publicBaseUrl'],
  });
  const { title, requirements } = documents[name];
  const judged = requirements.map(({ section, requirement, judge }) => ({ section, requirement, ...judge(facts) }));
  const enforced = judged.filter((each) => each.enforced === 'yes').length;
  const isWhole = enforced === judged.length;
  const body = {
    issuer: issuer.url,
    document: title,
    ...(name === 'fapi' ? { profile: isWhole ? 'FAPI 1.0 Baseline' : 'none' } : {}),
    enforced,
    requirements: judged,
    // Of more applications than are read nobody can say that all keep something.
    ...(all.complete ? {} : { applications: `judged by the first ${all.applications.length}` }),
  };
  return { kind: 'json', status: 200, body } as const;
}
