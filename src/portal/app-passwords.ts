import { type AppPasswordAsked, type AppPasswordMade, ClientRefusal } from '#client';
import { type AppPassword, appPasswordAttributes, appPasswordScopes, appPasswordsOf } from '#holdings';
import { resultCodes } from '#ldap';
import type { Browser } from '#people';
import { verifiesPasswords } from '#policy';
import type { Session } from '#sessions';
import { fillText, type Handler, type PageReply, type Reply, type WebRealm, type WebRequest } from '#web';
import {
  type AppPasswordsDone,
  type AppPasswordsList,
  type AppPasswordTyped,
  appPasswordsDoneOf,
  appPasswordsPage,
  madePage,
  revokeAllPage,
  revokePage,
} from './app-passwords-pages.ts';
import type { appPasswordsRoutes } from './app-passwords-routes.ts';
import { expiryTexts, appPasswordsTexts as texts } from './app-passwords-texts.ts';
import { ownForm, ownHandler, userNameOf } from './frame.ts';
import { nameIn } from './names.ts';
import type { Own, OwnDeps } from './own.ts';
import type { OwnEntry } from './pages.ts';
import { type Connection, isProgram, programOf, reachedAt } from './programs.ts';

type Acting = Own['acting'];

export interface AppPasswordsDeps extends OwnDeps {
  readonly readOwn: (realm: WebRealm, session: Session, attributes: readonly string[], browser: Browser) => Promise<OwnEntry | undefined>;
  /** Lets the directory make one, in the person's own name. @throws ClientRefusal */
  readonly makeAppPassword: (acting: Acting, asked: Omit<AppPasswordAsked, 'dn'>) => Promise<AppPasswordMade>;
  /** Revokes one, or all without an id. @throws ClientRefusal */
  readonly revokeAppPassword: (acting: Acting, id: string | undefined) => Promise<number>;
  readonly settingsOf: (realm: string) => {
    readonly 'appPasswords.enabled': boolean;
    readonly 'appPasswords.maxPerPerson': number;
    readonly 'authn.passwordAloneDoors': readonly string[];
    readonly 'ldap.startTls': boolean;
  };
  readonly ldapUrl: () => string | undefined;
}

const home = '/portal/app-passwords';
const dayMs = 86_400_000;
const nothingTyped: AppPasswordTyped = { program: 'mail', name: '', scopes: ['ldap'], expires: 'never', networks: '' };

/** The pages on which people make, see and revoke passwords for programs. */
export function createAppPasswordsHandlers(deps: AppPasswordsDeps): Readonly<Record<keyof typeof appPasswordsRoutes, Handler>> {
  const fresh = { fresh: true, back: home } as const;
  return {
    appPasswords: ownHandler(deps, { fresh: false, back: home }, (request, own) =>
      show(deps, request, own, { done: appPasswordsDoneOf(request.query.get('done')) }),
    ),
    appPasswordMake: ownForm(deps, fresh, (request, own, form) => make(deps, request, own, form)),
    appPasswordRevoking: ownHandler(deps, fresh, async (request, own) => {
      const { realm, query } = request;
      const all = await allOf(deps, request, own);
      if (query.get('all') === 'yes' && all.length > 0) return { kind: 'page', page: revokeAllPage(realm, all, own.csrfToken) };
      const one = all.find(({ id }) => id === query.get('id'));
      if (one === undefined) return show(deps, request, own, { fault: { words: texts.gone } });
      return { kind: 'page', page: revokePage(realm, one, own.csrfToken, deps.clock.nowMs()) };
    }),
    appPasswordRevoke: ownForm(deps, fresh, (request, own, form) => revoke(deps, request, own, form)),
  };
}

type Shown = Partial<Pick<AppPasswordsList, 'typed' | 'done' | 'fault'>> & { readonly status?: number };

async function show(deps: AppPasswordsDeps, request: WebRequest, own: Own, more: Shown = {}): Promise<PageReply> {
  const { typed = nothingTyped, done, fault, status = 200 } = more;
  const { realm } = request;
  const settings = deps.settingsOf(realm.id);
  const all = await allOf(deps, request, own);
  const isFull = all.length >= settings['appPasswords.maxPerPerson'];
  const page = appPasswordsPage({
    realm,
    all,
    makes: settings['appPasswords.enabled'] ? (isFull ? 'full' : 'yes') : 'off',
    ownRefused: verifiesPasswords(realm.mode) && holdsSecond(own) && !settings['authn.passwordAloneDoors'].includes('ldap'),
    typed,
    done,
    fault,
    csrfToken: own.csrfToken,
    nowMs: deps.clock.nowMs(),
  });
  return { kind: 'page', status, page };
}

function holdsSecond({ person: { holdings } }: Own): boolean {
  return holdings.mfaRequired || holdings.app !== undefined || holdings.keys.length > 0;
}

async function allOf({ readOwn }: AppPasswordsDeps, request: WebRequest, { session }: Own): Promise<readonly AppPassword[]> {
  const entry = await readOwn(request.realm, session, appPasswordAttributes, request);
  return entry === undefined ? [] : appPasswordsOf(entry);
}

async function make(deps: AppPasswordsDeps, request: WebRequest, own: Own, form: URLSearchParams): Promise<Reply> {
  const { realm, origin } = request;
  const typed = typedIn(form);
  const { program, scopes, expires, networks: given } = typed;
  const name = typed.name === '' ? programOf(program).name : typed.name;
  const again = (fault: NonNullable<AppPasswordsList['fault']>, status = 200) => show(deps, request, own, { typed, fault, status });
  if (scopes.length === 0) return again({ words: texts.scopesMissing, field: 'scopes' });
  // A page that is loaded again makes no second one.
  if ((await allOf(deps, request, own)).some((one) => one.name === name)) return again({ words: texts.nameTaken, field: 'name' });
  const networks = given.split(/[\s,;]+/).filter((each) => each !== '');
  const expiresMs = expires === 'never' ? undefined : deps.clock.nowMs() + Number(expires) * dayMs;
  try {
    const { value } = await deps.makeAppPassword(own.acting, {
      ...{ name, scopes, program },
      ...(expiresMs === undefined ? {} : { expiresMs }),
      ...(networks.length === 0 ? {} : { networks }),
    });
    const connection = connectionOf(deps, realm, origin, own, value);
    // Where the directory is not to be reached, there is nothing to set up but a name and a password.
    const { name: called, rows, lines } = programOf(connection === undefined ? 'mail' : program);
    const settings = connection ?? { host: '', port: '', security: 'none', userName: userNameOf(own.person), dn: '', base: '', value };
    const shown = { realm, name, value, program: called, rows: rows(settings), lines: lines?.(settings) ?? [] };
    return { kind: 'page', page: madePage(shown) };
  } catch (thrown) {
    if (!(thrown instanceof ClientRefusal)) throw thrown;
    if (thrown.code === resultCodes.constraintViolation) {
      const words = fillText(texts.unfit, { why: thrown.diagnostic.replace(/^app password: /, '') });
      return again(networks.length > 0 ? { words, field: 'networks' } : { words });
    }
    const isRefused = thrown.code === resultCodes.insufficientAccessRights || thrown.code === resultCodes.unwillingToPerform;
    return again({ words: isRefused ? texts.refused : texts.notNow }, isRefused ? 403 : 503);
  }
}

function typedIn(form: URLSearchParams): AppPasswordTyped {
  const [program, expires, given] = [form.get('program') ?? '', form.get('expires') ?? '', form.getAll('scope')];
  return {
    program: isProgram(program) ? program : 'other',
    name: nameIn(form),
    scopes: appPasswordScopes.filter((scope) => given.includes(scope)),
    expires: Object.hasOwn(expiryTexts, expires) ? (expires as keyof typeof expiryTexts) : 'never',
    networks: (form.get('networks') ?? '').slice(0, 500),
  };
}

function connectionOf(
  { ldapUrl, settingsOf }: AppPasswordsDeps,
  { id, suffix }: WebRealm,
  origin: string,
  { person }: Own,
  value: string,
): Connection | undefined {
  const url = ldapUrl();
  if (url === undefined) return undefined;
  const reached = reachedAt(url, origin, settingsOf(id)['ldap.startTls']);
  return { ...reached, userName: userNameOf(person), dn: person.dn, base: `ou=people,${suffix}`, value };
}

async function revoke(deps: AppPasswordsDeps, request: WebRequest, own: Own, form: URLSearchParams): Promise<Reply> {
  const all = form.get('all') === 'yes';
  const id = form.get('id') ?? '';
  if (!all && id === '') return show(deps, request, own, { fault: { words: texts.gone } });
  try {
    await deps.revokeAppPassword(own.acting, all ? undefined : id);
  } catch (thrown) {
    if (!(thrown instanceof ClientRefusal)) throw thrown;
    if (thrown.code === resultCodes.noSuchAttribute) return show(deps, request, own, { fault: { words: texts.gone } });
    const isRefused = thrown.code === resultCodes.insufficientAccessRights;
    return show(deps, request, own, { fault: { words: isRefused ? texts.refused : texts.notNow }, status: isRefused ? 403 : 503 });
  }
  const done: AppPasswordsDone = all ? 'revoked-all' : 'revoked';
  return { kind: 'redirect', status: 303, to: `${home}?done=${done}` };
}
