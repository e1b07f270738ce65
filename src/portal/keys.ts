import { Refusal } from '#catalogue';
import { answerField, askingParts, ceremonyScript, type Webauthn } from '#factors';
import type { SecurityKey } from '#holdings';
import { sha256 } from '#keys';
import type { AuthnPolicy } from '#policy';
import type { Limits } from '#state';
import type { Handler, Page, Reply, WebRealm, WebRequest } from '#web';
import { ownHandler, userNameOf } from './frame.ts';
import { addPage, type Flash, flashes, keyPage, keysPage } from './keys-pages.ts';
import type { keysRoutes } from './keys-routes.ts';
import { keysTexts } from './keys-texts.ts';
import { nameIn } from './names.ts';
import type { Own, OwnDeps } from './own.ts';
import { stalePage } from './pages.ts';

export interface KeysDeps extends OwnDeps {
  readonly webauthn: Webauthn;
  readonly limits: Limits;
  /** The authentication policy in force in a realm, as it is now. */
  readonly policyOf: (realm: WebRealm) => Promise<AuthnPolicy>;
}

const home = '/portal/keys';

/** The pages on which people see, name, add and remove their security keys. */
export function createKeysHandlers(deps: KeysDeps): Readonly<Record<keyof typeof keysRoutes, Handler>> {
  const { webauthn, clock } = deps;
  const own = (fresh: boolean, act: (request: WebRequest, own: Own) => Promise<Reply>): Handler =>
    ownHandler(deps, { fresh, back: home }, act);

  return {
    keys: own(false, async ({ realm, query }, { person }) => {
      const offered = (['mfa', 'primary'] as const).filter((role) => webauthn.offTo(realm, role) === undefined);
      const done = flashes.find((flash) => flash === query.get('done'));
      return {
        kind: 'page',
        page: keysPage({
          realm,
          keys: person.holdings.keys.map((key) => ({ key, handle: handleOf(key) })),
          offered,
          done,
          nowMs: clock.nowMs(),
          isFull: webauthn.isFull(realm, person),
        }),
      };
    }),
    keyAdding: own(true, (request, mine) => adding(deps, request, mine, roleOf(request.query.get('role')))),
    keyAdd: own(true, (request, mine) => add(deps, request, mine)),
    key: own(true, async (request, { person, csrfToken }) => {
      const key = keyOf(person.holdings.keys, request.query.get('key'));
      if (key === undefined) return toKeys();
      return { kind: 'page', page: await onePage(deps, request, { person, csrfToken }, key) };
    }),
    keyRename: own(true, (request, mine) =>
      changed(deps, request, mine, 'renamed', async (key, form) => {
        const name = nameIn(form);
        if (name !== '') await webauthn.rename(about(request, mine), key, name);
      }),
    ),
    keyRemove: own(true, (request, mine) => changed(deps, request, mine, 'removed', (key) => webauthn.remove(about(request, mine), key))),
  };
}

/** The page that adds a key. The role is chosen by its address, and kept with the challenge from here on. */
async function adding(
  { webauthn }: KeysDeps,
  request: WebRequest,
  { person, session, csrfToken, visit }: Own,
  role: SecurityKey['role'],
  fault?: string,
): Promise<Reply & { readonly kind: 'page' }> {
  const { realm, origin } = request;
  try {
    const { challenge } = await webauthn.mint({ realm, role }, holderOf(session));
    const options = await webauthn.creation({ realm, origin, person, role, visit }, challenge, userNameOf(person));
    const page = addPage({ realm, role, csrfToken, parts: askingParts('create', options), fault });
    return { kind: 'page', page: { ...page, script: ceremonyScript().path } };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    const page = addPage({ realm, role, csrfToken, parts: undefined, fault: fault ?? thrown.says });
    return { kind: 'page', status: thrown.row.sees.http ?? 400, page, error: thrown.row };
  }
}

async function add(deps: KeysDeps, request: WebRequest, mine: Own): Promise<Reply> {
  const { realm, origin, address } = request;
  const { person, session, subject, visit, acting } = mine;
  const { form, refused } = await request.openForm(() => subject);
  if (refused !== undefined) return { kind: 'page', status: 403, page: stalePage(realm), error: refused };
  let role: SecurityKey['role'] = 'mfa';
  try {
    const answer = form.get(answerField) ?? '';
    const claimed = await deps.webauthn.claim({ realm, origin, person, visit }, holderOf(session), answer);
    role = claimed.role;
    const attempt = await deps.limits.enter({ realm: realm.id, identity: person.dn, address });
    if (attempt.kind === 'limited') {
      const again = await adding(deps, request, mine, role, keysTexts.limited);
      return { ...again, limited: attempt };
    }
    const given = { realm, origin, person, visit, ...claimed, answer, session: acting.session };
    await deps.webauthn.enrol(given, nameIn(form) || keysTexts.standing);
    await attempt.succeeded();
    return toKeys('added');
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    const again = await adding(deps, request, mine, role, thrown.says);
    return { ...again, status: thrown.row.sees.http ?? 400, error: thrown.row };
  }
}

/** The page of one key. */
async function onePage(
  { clock, policyOf }: KeysDeps,
  { realm }: WebRequest,
  { person, csrfToken }: Pick<Own, 'person' | 'csrfToken'>,
  key: SecurityKey,
  fault?: string,
): Promise<Page> {
  const isRequired = person.holdings.mfaRequired || (await policyOf(realm)).requireSecondFactor === 'always';
  const shown = { realm, person, key, handle: handleOf(key), isRequired, csrfToken, nowMs: clock.nowMs() };
  return keyPage({ ...shown, ...(fault === undefined ? {} : { fault }) });
}

/** Changes one of the person's keys. */
async function changed(
  deps: KeysDeps,
  request: WebRequest,
  { person, subject, csrfToken }: Own,
  done: Flash,
  act: (key: SecurityKey, form: URLSearchParams) => Promise<void>,
): Promise<Reply> {
  const { realm } = request;
  const { form, refused } = await request.openForm(() => subject);
  if (refused !== undefined) return { kind: 'page', status: 403, page: stalePage(realm), error: refused };
  const key = keyOf(person.holdings.keys, form.get('key'));
  if (key === undefined) return toKeys();
  try {
    await act(key, form);
    return toKeys(done);
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    const page = await onePage(deps, request, { person, csrfToken }, key, thrown.says);
    return { kind: 'page', status: thrown.row.sees.http ?? 400, page, error: thrown.row };
  }
}

function about({ realm }: WebRequest, { acting, visit }: Own) {
  return { ...acting, realm, visit };
}

function toKeys(done?: Flash): Reply {
  return { kind: 'redirect', status: 303, to: done === undefined ? home : `${home}?done=${done}` };
}

const handleDigits = 16;

/** What stands for a key in an address: its id may be a thousand octets long. */
export function handleOf({ id }: SecurityKey): string {
  return Buffer.from(sha256(id)).toString('hex').slice(0, handleDigits);
}

function keyOf(keys: readonly SecurityKey[], handle: string | null): SecurityKey | undefined {
  return keys.find((key) => handleOf(key) === handle);
}

function roleOf(given: string | null): SecurityKey['role'] {
  return given === 'primary' ? 'primary' : 'mfa';
}

/** Whose a challenge is: another session's answers nothing. */
function holderOf({ sid }: Own['session']): string {
  return `session ${sid}`;
}
