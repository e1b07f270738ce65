import type { Sessions } from '#sessions';
import { type Handler, type RedirectReply, sessionCookie } from '#web';
import { ownForm, ownHandler } from './frame.ts';
import type { OwnDeps } from './own.ts';
import { type SessionsDone, sessionsDoneOf, sessionsPage } from './sessions-pages.ts';
import type { sessionsRoutes } from './sessions-routes.ts';

export interface SessionsPageDeps extends OwnDeps {
  readonly sessions: Pick<Sessions, 'find' | 'park' | 'list' | 'end' | 'endOne' | 'endAll'>;
}

const home = '/portal/sessions';
/** Sessions in other browsers that the page shows: the last used. */
const othersMax = 50;
const place = { fresh: false, back: home } as const;

/** The page on which people see where they are signed in, and end it. */
export function createSessionsHandlers(deps: SessionsPageDeps): Readonly<Record<keyof typeof sessionsRoutes, Handler>> {
  const { sessions, clock } = deps;
  return {
    sessions: ownHandler(deps, place, async ({ realm, query }, { session, csrfToken }) => {
      // Their own one, and one to know whether there are more than are shown.
      const all = await sessions.list(realm.id, session.entryUuid, othersMax + 2);
      const others = all.filter(({ sid }) => sid !== session.sid);
      const page = sessionsPage({
        realm,
        session,
        others: others.slice(0, othersMax),
        moreOthers: others.length > othersMax,
        done: sessionsDoneOf(query.get('done')),
        csrfToken,
        nowMs: clock.nowMs(),
      });
      return { kind: 'page', page };
    }),
    sessionEnd: ownForm(deps, place, async (request, { session, visit }, form) => {
      const { realm } = request;
      const sid = form.get('sid') ?? '';
      if (sid !== session.sid) return to((await sessions.endOne(realm.id, session.entryUuid, sid, visit)) ? 'one' : 'gone');
      await sessions.end(realm.id, request.cookies(sessionCookie), visit);
      return { kind: 'redirect', status: 303, to: '/portal/signed-out', cookies: [{ name: sessionCookie, value: '', path: '/' }] };
    }),
    signOutElsewhere: ownForm(deps, place, async ({ realm }, { session, visit }) => {
      await sessions.endAll(realm.id, session.entryUuid, visit, session.sid);
      return to('others');
    }),
  };
}

function to(done: SessionsDone): RedirectReply {
  return { kind: 'redirect', status: 303, to: `${home}?done=${done}` };
}
