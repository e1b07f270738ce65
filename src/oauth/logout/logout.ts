import type { Audit } from '#audit';
import type { ErrorRow } from '#catalogue';
import type { Session, Sessions } from '#sessions';
import { type Csrf, csrfField, type RawRequest, type Reply, sessionCookie, type WebRealm } from '#web';
import type { Application, Applications } from '../applications/index.ts';
import { errors } from '../errors.ts';
import type { Issuer } from '../issuer.ts';
import { claimsOfJwt } from '../jwt.ts';
import { noteRefusal } from '../note.ts';
import { errorPage, signOutPage } from '../pages.ts';
import { mayUseServer } from '../tokens/standings.ts';

export type LogoutHandler = (issuer: Issuer, raw: RawRequest, form: URLSearchParams) => Promise<Reply>;

export interface LogoutDeps {
  readonly sessions: Pick<Sessions, 'find' | 'end'>;
  readonly applications: Pick<Applications, 'find'>;
  readonly publishedOf: (realm: WebRealm) => Promise<{ readonly keys: readonly object[] }>;
  readonly csrf: Csrf;
  readonly audit: Pick<Audit, 'record'>;
}

const names = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state'] as const;
type Asked = Readonly<Partial<Record<(typeof names)[number], string>>>;

/** Where the browser goes when nobody says where. */
const signedOutPath = '/portal/signed-out';

/**
 * Signs somebody out for an application. Whoever shows an ID token of the very session that the browser has is not asked again; anybody else is.
 *
 * @see OpenID Connect RP-Initiated Logout 1.0 §2, §3
 */
export function createLogout(deps: LogoutDeps): LogoutHandler {
  const { sessions, csrf } = deps;
  return async (issuer, raw, posted) => {
    const { realm } = issuer;
    const form = raw.method === 'POST' ? posted : raw.query;
    const twice = names.find((name) => form.getAll(name).length > 1);
    if (twice !== undefined) return refused(deps, realm, raw, `there may be one ${twice}`, errors.sentTwice);
    const asked: Asked = Object.fromEntries(names.flatMap((name) => (form.get(name) === null ? [] : [[name, form.get(name)]])));
    const judged = await judge(deps, issuer, asked);
    if (typeof judged === 'string') return refused(deps, realm, raw, judged);
    const { application, sid } = judged;
    const to = asked.post_logout_redirect_uri;
    if (to !== undefined && application?.postLogoutRedirectUris.includes(to) !== true)
      return refused(deps, realm, raw, 'the post_logout_redirect_uri is not one of the application');
    const session = await sessions.find(realm.id, raw.cookies(sessionCookie));
    const done = () => leave(asked);
    if (session === undefined) return done();
    const confirmed = form.get('logout') === 'yes' ? csrf.judge(form.get(csrfField) ?? undefined, subjectOf(session)) : undefined;
    const isConfirmed = form.get('logout') === 'yes' && raw.method === 'POST' && confirmed === undefined;
    if (!isConfirmed && sid !== session.sid) {
      if (confirmed !== undefined) noteRefusal(deps.audit, realm, raw, confirmed, confirmed.means);
      const page = signOutPage(
        realm,
        asked,
        csrf.issue(subjectOf(session)),
        `${realm.prefix}${raw.path}`,
        leadsTo(to),
        confirmed !== undefined,
      );
      return { kind: 'page', page, ...(confirmed === undefined ? {} : { status: 403, error: confirmed }) };
    }
    await sessions.end(realm.id, raw.cookies(sessionCookie), { door: raw.door, address: raw.address, correlationId: raw.correlationId });
    return done();
  };
}

/** Whose sign-out it is, by the hint and the client it names; or what is wrong with it. */
async function judge(
  { applications, publishedOf }: LogoutDeps,
  { realm, server, url }: Issuer,
  { id_token_hint: hint, client_id: named }: Asked,
): Promise<{ readonly application?: Application; readonly sid?: string } | string> {
  const claims = hint === undefined ? undefined : await claimsOfJwt(await publishedOf(realm), hint, url, { typ: 'JWT' });
  if (typeof claims === 'string') return `the id_token_hint is none of this server: ${claims}`;
  const audience = typeof claims?.['aud'] === 'string' ? claims['aud'] : undefined;
  if (claims !== undefined && (audience === undefined || (named !== undefined && named !== audience)))
    return 'the id_token_hint is for another client';
  const clientId = audience ?? named;
  if (clientId === undefined) return {};
  const application = await applications.find(realm, clientId);
  if (application === undefined || application.disabled || !mayUseServer(application.servers, server)) return 'the client is not known';
  return { application, ...(typeof claims?.['sid'] === 'string' ? { sid: claims['sid'] } : {}) };
}

function leave({ post_logout_redirect_uri: to, state }: Asked): Reply {
  const cookies = [{ name: sessionCookie, value: '', path: '/' }];
  if (to === undefined) return { kind: 'redirect', status: 303, to: signedOutPath, cookies };
  const url = new URL(to);
  if (state !== undefined) url.searchParams.set('state', state);
  return { kind: 'redirect', status: 303, to: url.href, away: true, cookies };
}

function refused({ audit }: LogoutDeps, realm: WebRealm, raw: RawRequest, why: string, error: ErrorRow = errors.invalidRequest): Reply {
  noteRefusal(audit, realm, raw, error, `${error.means}: ${why}`);
  return { kind: 'page', status: 400, page: errorPage('invalid_request', why, raw.correlationId), error };
}

function leadsTo(to: string | undefined): readonly string[] {
  const url = to === undefined ? null : URL.parse(to);
  return url === null ? [] : [/^https?:$/.test(url.protocol) ? url.origin : url.protocol];
}

/** A form of this page is that of this session, and of no other page's. */
function subjectOf({ sid }: Session): string {
  return `sign-out ${sid}`;
}
