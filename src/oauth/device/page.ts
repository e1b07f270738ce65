import type { Audit } from '#audit';
import type { Chance, Clock } from '#base';
import { type ErrorRow, refuse } from '#catalogue';
import { actingSession, type People, type Person } from '#people';
import { meetsDemand } from '#policy';
import { type Session, type Sessions, wayToSignIn } from '#sessions';
import type { Hourly } from '#state';
import {
  type Csrf,
  csrfField,
  facts,
  fillText,
  type Handler,
  html,
  notice,
  type Page,
  type Reply,
  type SafeHtml,
  sessionCookie,
  type WebRequest,
} from '#web';
import type { Application } from '../applications/application.ts';
import type { Applications } from '../applications/applications.ts';
import { type Consents, sinceWhen } from '../consents/consents.ts';
import { consentTexts, resourceText, scopeText } from '../consents/texts.ts';
import { errors } from '../errors.ts';
import { type Issuer, isServerName, issuerOf } from '../issuer.ts';
import { demandsOf } from '../provider/demands.ts';
import { askedAt, scopesAt } from '../provider/resources.ts';
import { eventFor } from '../provider/session.ts';
import type { KeptTokens } from '../tokens/kept.ts';
import type { Standing } from '../tokens/standings.ts';
import { mayUseServer } from '../tokens/standings.ts';
import { letIn, normalCode, turnAway, type Waiting, waitingWith } from './codes.ts';
import type { deviceRoutes } from './routes.ts';
import { deviceTexts as texts } from './texts.ts';

export interface DeviceDeps {
  readonly sessions: Pick<Sessions, 'find' | 'park'>;
  readonly people: Pick<People, 'byUuid'>;
  readonly applications: Pick<Applications, 'find' | 'mayUse'>;
  readonly consents: Pick<Consents, 'grant' | 'of'>;
  readonly kept: KeptTokens;
  readonly standing: Pick<Standing, 'person'>;
  /** Codes that a person shows. */
  readonly tries: Hourly;
  readonly csrf: Csrf;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly audit: Audit;
  readonly grantTtlS: (realm: string) => number;
}

/** Of eight letters of twenty: who may try so many an hour finds none. A device that is let in takes two. */
const triesMax = 20;

interface Visitor {
  readonly issuer: Issuer;
  readonly session: Session;
  readonly person: Person;
  readonly subject: string;
  /** Of this page, as the browser knows it. */
  readonly action: string;
}

/** The page on which people type the code that a device shows, see what it is, and let it in or not (RFC 8628 §3.3). */
export function createDeviceHandlers(deps: DeviceDeps): Readonly<Record<keyof typeof deviceRoutes, Handler>> {
  const show: Handler = async (request) => {
    const visitor = await visitorOf(deps, request);
    if ('kind' in visitor) return visitor;
    const code = (request.query.get('user_code') ?? '').slice(0, codeLengthMax);
    return { kind: 'page', page: codePage(deps, visitor, code) };
  };
  const answer: Handler = async (request) => {
    const visitor = await visitorOf(deps, request);
    if ('kind' in visitor) return visitor;
    const { form, refused } = await request.openForm(() => visitor.subject);
    if (refused !== undefined) return { kind: 'page', status: 403, page: codePage(deps, visitor, '', texts.stale), error: refused };
    return act(deps, request, visitor, form);
  };
  return { devicePage: show, device: answer, serverDevicePage: show, serverDevice: answer };
}

const codeLengthMax = 32;

/** Who has not signed in does so first: a code alone is nothing to be asked about. */
async function visitorOf(deps: DeviceDeps, request: WebRequest): Promise<Visitor | Reply> {
  const { realm, origin, params, path, target } = request;
  const { server = '' } = params;
  if (server !== '' && !isServerName(server)) throw refuse(errors.serverNameRefused);
  const session = await deps.sessions.find(realm.id, request.cookies(sessionCookie));
  const person = session && (await deps.people.byUuid(realm, session.entryUuid));
  if (session === undefined || person === undefined || person.disabled) return ask(deps, request, request.method === 'GET' ? target : path);
  const subject = `device\0${realm.id}\0${session.sid}`;
  return { issuer: issuerOf(realm, origin, server), session, person, subject, action: realm.prefix + path };
}

async function ask({ sessions }: DeviceDeps, request: WebRequest, target: string, demand = {}): Promise<Reply> {
  const rows = [{ label: 'For', value: texts.application }];
  const parked = { realm: request.realm.id, method: 'GET', target, cancelTarget: '/portal', rows, demand } as const;
  return { kind: 'redirect', status: 303, to: await wayToSignIn(sessions, request, parked) };
}

async function act(deps: DeviceDeps, request: WebRequest, visitor: Visitor, form: URLSearchParams): Promise<Reply> {
  const { issuer, session } = visitor;
  const typed = (form.get('user_code') ?? '').slice(0, codeLengthMax);
  const code = normalCode(typed);
  // Counted before it is judged: the right one is none of too many.
  if (!(await deps.tries.enter(issuer.realm.id, session.entryUuid, triesMax))) {
    note(deps, request, visitor, errors.codesTooMany);
    return { kind: 'page', status: 429, page: codePage(deps, visitor, typed, texts.tooMany), error: errors.codesTooMany };
  }
  const waiting = await waitingWith(deps.kept, issuer, code);
  const application = waiting && (await deps.applications.find(issuer.realm, waiting.clientId));
  if (waiting === undefined || application === undefined || !mayGoOn(waiting, application, issuer))
    return { kind: 'page', page: codePage(deps, visitor, typed, texts.unknown) };
  const named = form.get('do') ?? '';
  if (named === 'refuse') {
    await turnAway(deps.kept, waiting);
    return { kind: 'page', page: donePage(texts.refusedTitle, texts.refusedWords, issuer) };
  }
  if (!(await deps.applications.mayUse(issuer.realm, application, session))) {
    await turnAway(deps.kept, waiting);
    note(deps, request, visitor, errors.notInGroup);
    return { kind: 'page', status: 403, page: donePage(texts.refusedTitle, texts.notAllowed, issuer), error: errors.notInGroup };
  }
  const { demand } = demandsOf({}, application);
  const event = eventFor(session, { demand, again: false }, deps.clock.nowMs());
  if (!meetsDemand(event, demand)) return ask(deps, request, `${request.path}?user_code=${code}`, { ...demand, reauthenticate: true });
  return named === 'allow'
    ? allow(deps, request, visitor, waiting, application, event)
    : { kind: 'page', page: confirmPage(deps, visitor, code, waiting, application) };
}

/** Whether an application may use the server, and is the one that the device began with. */
function mayGoOn({ artifact }: Waiting, { disabled, holder, servers }: Application, { server }: Issuer): boolean {
  return !disabled && mayUseServer(servers, server) && artifact.value.madeFor?.holder === holder;
}

async function allow(
  deps: DeviceDeps,
  request: WebRequest,
  { issuer, session, person }: Visitor,
  waiting: Waiting,
  application: Application,
  { whenMs, acr, amr, mechanisms }: Session['events'][number],
): Promise<Reply> {
  const { realm } = issuer;
  const strength = actingSession(session.events, request);
  // To let a device in is to allow what it asks for: it is kept where the application's entry asks for that.
  const asked = askedAt(issuer, application, waiting);
  if (application.consentRequired && strength !== undefined)
    await deps.consents.grant(realm, { dn: person.dn, session: strength }, session.entryUuid, application, asked);
  const held = application.consentRequired ? await deps.consents.of(realm, session.entryUuid, application) : undefined;
  const password = (await deps.standing.person(realm, session.entryUuid))?.password ?? '';
  const { entryUuid, subject, sid } = session;
  const desk = { kept: deps.kept, clock: deps.clock, chance: deps.chance, grantTtlS: deps.grantTtlS(realm.id) };
  const done = await letIn(desk, issuer, waiting, application, {
    entryUuid,
    subject,
    sid,
    whenMs,
    acr,
    amr,
    mechanisms,
    password,
    ...(held === undefined ? {} : { consented: sinceWhen(asked, held) }),
  });
  if (done) note(deps, request, { session }, undefined, application.clientId);
  return {
    kind: 'page',
    page: done ? donePage(texts.doneTitle, texts.doneWords, issuer) : donePage(texts.refusedTitle, texts.unknown, issuer),
  };
}

function note(
  { audit }: DeviceDeps,
  { realm, door, address, correlationId }: WebRequest,
  { session: { subject } }: Pick<Visitor, 'session'>,
  error?: ErrorRow,
  clientId = '',
): void {
  const common = { realm: realm.id, door, subject, action: 'oauth.device', address, correlationId };
  if (error === undefined) audit.record({ ...common, outcome: 'success', summary: `let a device in for the application ${clientId}` });
  else audit.record({ ...common, outcome: 'refused', error, summary: error.means });
}

function codePage({ csrf }: DeviceDeps, { subject, action }: Visitor, code: string, fault?: string): Page {
  return {
    title: texts.title,
    layout: 'card',
    main: html`<h1>${texts.title}</h1>
<p>${texts.words}</p>
<form method="post" action="${action}">
<input type="hidden" name="${csrfField}" value="${csrf.issue(subject)}">
<label for="user_code">${texts.code}</label>
<input id="user_code" name="user_code" type="text" value="${code}" maxlength="32" required autocomplete="off" autocapitalize="characters" spellcheck="false" aria-describedby="${fault === undefined ? 'hint' : 'fault hint'}"${fault !== undefined && html` aria-invalid="true"`}>
${fault !== undefined && html`<p class="fault" id="fault">${fault}</p>`}
<p class="quiet" id="hint">${texts.hint}</p>
<button type="submit" name="do" value="find">${texts.goOn}</button>
</form>`,
  };
}

function confirmPage(
  { csrf }: DeviceDeps,
  { issuer, subject, action, person }: Visitor,
  code: string,
  { scopes, resources }: Waiting,
  application: Application,
): Page {
  const title = fillText(texts.confirmTitle, { application: application.name });
  const button = (named: string, words: string, more?: SafeHtml) =>
    html`<button type="submit" name="do" value="${named}"${more}>${words}</button>`;
  return {
    title,
    layout: 'card',
    main: html`<h1>${title}</h1>
${facts([
  [texts.confirmCode, html`<strong>${code.slice(0, 4)}-${code.slice(4)}</strong>`],
  [texts.confirmWho, person.dn],
  ...resources
    .filter((each) => scopesAt(issuer, application, each) !== undefined)
    .map((each) => [consentTexts.resource, resourceText(issuer, each)] as const),
])}
<p>${fillText(texts.confirmWords, { application: application.name })}</p>
<ul>${scopes.map((scope) => html`<li>${scopeText(scope)}</li>`)}</ul>
${notice('careful', 'care', texts.confirmCare)}
<form method="post" action="${action}">
<input type="hidden" name="${csrfField}" value="${csrf.issue(subject)}">
<input type="hidden" name="user_code" value="${code}">
${button('allow', texts.allow)}
${button('refuse', texts.refuse, html` class="outline"`)}
</form>`,
  };
}

function donePage(title: string, words: string, { realm }: Issuer): Page {
  return {
    title,
    layout: 'card',
    main: html`<h1>${title}</h1>
<p>${words}</p>
<p class="ways"><a href="${`${realm.prefix}/portal`}">${texts.home}</a></p>`,
  };
}
