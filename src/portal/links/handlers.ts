import type { Handler, Reply, WebRequest } from '#web';
import { revokeAppPasswords } from './app-passwords.ts';
import { type LinkEnrolDeps, showApp, showKey, takeApp, takeKey } from './enrol.ts';
import { type ForgotDeps, showForgot, takeForgot } from './forgot.ts';
import { type LinkHolder, linkField } from './held.ts';
import { findHolder, gone, posted } from './holder.ts';
import { donePage, dones } from './pages.ts';
import { type Place, showPassword, takePassword } from './password.ts';
import type { linksRoutes } from './routes.ts';

export type LinksDeps = LinkEnrolDeps & ForgotDeps;

const activation = ['activation'] as const;
const resets = ['reset', 'forgot'] as const;

/** The pages that links open, and the one on which a link is asked for. Nobody is signed in by any of them. */
export function createLinkHandlers(deps: LinksDeps): Readonly<Record<keyof typeof linksRoutes, Handler>> {
  const kindsOf = (path: Place) => (path === '/portal/activate' ? activation : resets);
  const looked = (path: Place, show: (request: WebRequest, holder: LinkHolder) => Promise<Reply>): Handler => {
    return async (request) => {
      const done = dones.find((each) => each === request.query.get('done'));
      if (done !== undefined) return { kind: 'page', page: donePage(request.realm, done) };
      const holder = await findHolder(deps, request, request.query.get(linkField) ?? '', kindsOf(path));
      return holder === undefined ? gone(deps, request) : await show(request, holder);
    };
  };
  const sent = (path: Place, act: (request: WebRequest, holder: LinkHolder, form: URLSearchParams) => Promise<Reply>): Handler => {
    return (request) => posted(deps, request, kindsOf(path), (holder, form) => act(request, holder, form));
  };
  const [activate, reset] = ['/portal/activate', '/portal/reset-password'] as const;
  return {
    activatePage: looked(activate, (request, holder) => {
      const enrolled = (['app', 'key'] as const).find((each) => each === request.query.get('added'));
      return showPassword(deps, request, holder, activate, { enrolled });
    }),
    activate: sent(activate, (request, holder, form) => takePassword(deps, request, holder, activate, form)),
    activateAppPage: looked(activate, (request, holder) => showApp(deps, request, holder, request.query.get('app') ?? '')),
    activateApp: sent(activate, (request, holder, form) => takeApp(deps, request, holder, form)),
    activateKeyPage: looked(activate, (request, holder) =>
      showKey(deps, request, holder, request.query.get('role') === 'primary' ? 'primary' : 'mfa'),
    ),
    activateKey: sent(activate, (request, holder, form) => takeKey(deps, request, holder, form)),
    resetPage: looked(reset, (request, holder) => {
      const said = request.query.get('revoked');
      const revoked = said === 'yes' ? true : said === 'no' ? false : undefined;
      return showPassword(deps, request, holder, reset, { revoked });
    }),
    resetAppPasswords: sent(reset, (request, holder) => revokeAppPasswords(deps, request, holder)),
    reset: sent(reset, (request, holder, form) => takePassword(deps, request, holder, reset, form)),
    forgotPage: (request) => showForgot(deps, request),
    forgot: (request) => takeForgot(deps, request),
  };
}
