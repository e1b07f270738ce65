import type { Audit } from '#audit';
import type { ErrorRow } from '#catalogue';
import { actingSession, type People } from '#people';
import { type Parked, resumedTarget, type Session, type Sessions } from '#sessions';
import {
  type Csrf,
  csrfField,
  facts,
  fillText,
  type Handler,
  html,
  notice,
  type Page,
  pathIn,
  type Reply,
  sessionCookie,
  type WebRealm,
  type WebRequest,
} from '#web';
import type { Application } from '../applications/application.ts';
import type { Applications } from '../applications/applications.ts';
import { errors } from '../errors.ts';
import { type Issuer, issuerOf } from '../issuer.ts';
import { type AskedAt, askedAt } from '../provider/resources.ts';
import { texts as oauthTexts } from '../texts.ts';
import type { Consents } from './consents.ts';
import type { consentRoutes } from './routes.ts';
import { resourceText, scopeText, consentTexts as texts } from './texts.ts';

export interface ConsentDeps {
  readonly sessions: Pick<Sessions, 'find' | 'parked' | 'takeParked' | 'markAnswered'>;
  readonly people: Pick<People, 'byUuid'>;
  readonly applications: Pick<Applications, 'find'>;
  readonly consents: Consents;
  readonly csrf: Csrf;
  readonly audit: Audit;
}

/** Where people are asked. */
const consentPath = '/oauth2/consent';

interface Question {
  readonly id: string;
  readonly parked: Parked;
  readonly session: Session;
  readonly asked: readonly AskedAt[];
  readonly issuer: Issuer;
  readonly application: Application;
  readonly acting: Parameters<Consents['grant']>[1];
  readonly userName: string;
  readonly subject: string;
}

/** Asks somebody who has signed in what an application may know: a step of its own, and the request that waits goes on with the answer. */
export function createConsentHandlers(deps: ConsentDeps): Readonly<Record<keyof typeof consentRoutes, Handler>> {
  return {
    consentPage: async (request) => {
      const question = await questionOf(deps, request, request.query.get('authn') ?? '');
      return question === undefined ? gone(deps, request) : { kind: 'page', page: questionPage(deps, request, question) };
    },
    consent: async (request) => {
      const session = await deps.sessions.find(request.realm.id, request.cookies(sessionCookie));
      const { form, refused } = await request.openForm(() => subjectOf(request.realm, session?.sid ?? ''));
      if (refused !== undefined) return { kind: 'page', status: 403, page: gonePage(request.realm), error: refused };
      const id = form.get('authn') ?? '';
      const question = await questionOf(deps, request, id);
      // Of two answers one counts, and neither is asked for a second time.
      if (question === undefined || (await deps.sessions.takeParked(request.realm.id, id)) === undefined) return gone(deps, request);
      return answered(deps, request, question, form.get('do') === 'allow');
    },
  };
}

async function answered(
  deps: ConsentDeps,
  request: WebRequest,
  { acting, application, asked, parked, session }: Question,
  allowed: boolean,
): Promise<Reply> {
  const { consents, sessions } = deps;
  const { realm } = request;
  if (!allowed) return { kind: 'redirect', status: 303, to: parked.cancelTarget };
  if (!(await consents.grant(realm, acting, session.entryUuid, application, asked)))
    return refused(deps, request, errors.consentUnkept, refusedPage(realm), session.subject);
  await sessions.markAnswered(session, parked.target, parked.about);
  return { kind: 'redirect', status: 303, to: resumedTarget(parked.target) };
}

/** The question that waits under an id, for who has signed in. */
async function questionOf(deps: ConsentDeps, request: WebRequest, id: string): Promise<Question | undefined> {
  const { sessions, people, applications } = deps;
  const { realm } = request;
  const [parked, session] = [await sessions.parked(realm.id, id), await sessions.find(realm.id, request.cookies(sessionCookie))];
  const { consent, clientId, server = '', scopes, resources } = parked?.about ?? {};
  const isWhole = consent === true && typeof clientId === 'string' && Array.isArray(scopes);
  if (parked === undefined || session === undefined || !isWhole) return undefined;
  const [person, application] = [await people.byUuid(realm, session.entryUuid), await applications.find(realm, clientId)];
  const strength = actingSession(session.events, request);
  if (person === undefined || person.disabled || application === undefined || application.disabled || strength === undefined)
    return undefined;
  const issuer = issuerOf(realm, request.origin, String(server));
  const acting = { dn: person.dn, session: strength };
  return {
    ...{ id, parked, session, application, acting, issuer },
    asked: askedAt(issuer, application, { scopes: scopes.map(String), resources: [resources ?? []].flat().map(String) }),
    ...{ userName: userNameOf(person.dn), subject: subjectOf(realm, session.sid) },
  };
}

function questionPage(
  { csrf }: ConsentDeps,
  { realm }: WebRequest,
  { id, parked, application, asked, issuer, userName, subject }: Question,
): Page {
  const title = fillText(texts.title, { application: application.name });
  const words = fillText(texts.words, { application: application.name });
  return {
    title,
    layout: 'card',
    leadsTo: parked.leadsTo,
    main: html`<h1>${title}</h1>
${facts([
  [texts.asks, application.description ?? application.name],
  [texts.who, userName],
  ...asked.flatMap(({ resource }) => (resource === '' ? [] : [[texts.resource, resourceText(issuer, resource)] as const])),
  ...parked.rows.flatMap(({ label, value }) => (label === oauthTexts.leadsBackTo ? [[label, value] as const] : [])),
])}
<p>${words}</p>
${asked.map(({ resource, scopes }) => html`${resource !== '' && html`<p>${fillText(texts.there, { resource: resourceText(issuer, resource) })}</p>`}<ul>${scopes.map((scope) => html`<li>${scopeText(scope)}</li>`)}</ul>`)}
<form method="post" action="${pathIn(realm, consentPath)}">
<input type="hidden" name="${csrfField}" value="${csrf.issue(subject)}">
<input type="hidden" name="authn" value="${id}">
<button type="submit" name="do" value="allow">${texts.allow}</button>
<button type="submit" name="do" value="cancel" class="outline">${texts.cancel}</button>
</form>
<p class="quiet">${texts.later} ${texts.otherwise}</p>`,
  };
}

function gone(deps: ConsentDeps, request: WebRequest): Reply {
  return refused(deps, request, errors.consentGone, gonePage(request.realm));
}

function refused({ audit }: ConsentDeps, request: WebRequest, error: ErrorRow, page: Page, subject = ''): Reply {
  const { realm, door, address, correlationId } = request;
  const row = { realm: realm.id, door, subject, action: 'oauth.consent', outcome: 'refused', error, summary: error.means } as const;
  audit.record({ ...row, address, correlationId });
  return { kind: 'page', status: error.sees.http ?? 500, page, error };
}

function gonePage(realm: WebRealm): Page {
  return {
    title: texts.goneTitle,
    layout: 'card',
    main: html`<h1>${texts.goneTitle}</h1>
<p>${texts.goneWords}</p>
<p class="ways"><a href="${pathIn(realm, '/portal')}">${texts.home}</a></p>`,
  };
}

function refusedPage(realm: WebRealm): Page {
  return {
    title: texts.refusedTitle,
    layout: 'card',
    main: html`<h1>${texts.refusedTitle}</h1>
${notice('bad', 'fault', texts.refusedWords)}
<p class="ways"><a href="${pathIn(realm, '/portal')}">${texts.home}</a></p>`,
  };
}

function subjectOf(realm: WebRealm, sid: string): string {
  return `consent\0${realm.id}\0${sid}`;
}

/** What somebody signs in with, as people say it. */
function userNameOf(dn: string): string {
  return /^[^=]+=((?:\\.|[^,\\])+)/.exec(dn)?.[1]?.replace(/\\(.)/g, '$1') ?? dn;
}
