import type { Browser } from '#people';
import type { Session } from '#sessions';
import type { Handler, PageReply, Reply, WebRealm, WebRequest } from '#web';
import { confirmPage, type Delegate, type DelegateDone, type DelegatePage, delegateDoneOf, delegatePage } from './delegate-pages.ts';
import type { delegateRoutes } from './delegate-routes.ts';
import { delegateTexts as texts } from './delegate-texts.ts';
import { ownForm, ownHandler } from './frame.ts';
import type { Own, OwnDeps } from './own.ts';
import type { OwnEntry } from './pages.ts';
import type { Parties } from './parties.ts';

export interface DelegateDeps extends OwnDeps {
  readonly readOwn: (realm: WebRealm, session: Session, attributes: readonly string[], browser: Browser) => Promise<OwnEntry | undefined>;
  readonly parties: Parties;
}

const home = '/portal/delegate';
const confirmPath = '/portal/delegate/confirm';
/** Longer names are nobody's. */
const typedLengthMax = 256;

/** The pages on which people say who may act for them. */
export function createDelegateHandlers(deps: DelegateDeps): Readonly<Record<keyof typeof delegateRoutes, Handler>> {
  return {
    delegatePage: ownHandler(deps, { fresh: false, back: home }, (request, own) =>
      show(deps, request, own, { done: delegateDoneOf(request.query.get('done')) }),
    ),
    delegateConfirm: ownHandler(deps, { fresh: true, back: home }, async (request, own) => {
      const party = await deps.parties.at(request.realm, own.acting, request.query.get('party') ?? '');
      if (party === undefined) return show(deps, request, own, { fault: { words: texts.lost } });
      return { kind: 'page', page: confirmPage(request.realm, party, await delegateOf(deps, request, own), own.csrfToken) };
    }),
    delegate: ownForm(deps, { fresh: true, back: home }, async (request, own, form) => {
      const named = form.get('do') ?? '';
      const act = Object.hasOwn(acts, named) ? acts[named as keyof typeof acts] : undefined;
      return act === undefined ? show(deps, request, own, refused) : act(deps, request, own, form);
    }),
  };
}

type Shown = Partial<Pick<DelegatePage, 'done' | 'fault'>> & { readonly status?: number };
type Act = (deps: DelegateDeps, request: WebRequest, own: Own, form: URLSearchParams) => Promise<Reply>;

const refused = { fault: { words: texts.refused }, status: 403 } as const;

const acts = {
  find: async (deps, request, own, form) => {
    const typed = (form.get('party') ?? '').trim().slice(0, typedLengthMax);
    const fault = (words: string) => show(deps, request, own, { fault: { words, field: 'party', typed } });
    if (typed === '' || /\p{Cc}/u.test(typed)) return fault(texts.missing);
    const found = await deps.parties.find(request.realm, own.acting, typed);
    if (found === 'none') return fault(texts.unknown);
    if (found === 'several') return fault(texts.several);
    if (found.entryUuid === own.person.entryUuid.toLowerCase()) return fault(texts.self);
    return { kind: 'redirect', status: 303, to: `${confirmPath}?party=${found.entryUuid}` };
  },
  set: async (deps, request, own, form) => {
    const party = await deps.parties.at(request.realm, own.acting, form.get('party') ?? '');
    if (party === undefined) return show(deps, request, own, { fault: { words: texts.lost } });
    if (party.entryUuid === own.person.entryUuid.toLowerCase()) return show(deps, request, own, { fault: { words: texts.self } });
    return (await deps.parties.write(own.acting, party)) ? to('named') : show(deps, request, own, refused);
  },
  remove: async (deps, request, own) =>
    (await deps.parties.write(own.acting, undefined)) ? to('removed') : show(deps, request, own, refused),
} as const satisfies Record<string, Act>;

async function show(deps: DelegateDeps, request: WebRequest, own: Own, { done, fault, status = 200 }: Shown): Promise<PageReply> {
  const delegate = await delegateOf(deps, request, own);
  return { kind: 'page', status, page: delegatePage({ realm: request.realm, delegate, done, fault, csrfToken: own.csrfToken }) };
}

async function delegateOf({ readOwn, parties }: DelegateDeps, request: WebRequest, { session, acting }: Own): Promise<Delegate> {
  const entry = await readOwn(request.realm, session, ['stsDelegate'], request);
  const entryUuid = entry?.all('stsDelegate')[0];
  if (entryUuid === undefined) return { kind: 'nobody' };
  const party = await parties.at(request.realm, acting, entryUuid);
  return party === undefined ? { kind: 'gone' } : { kind: 'party', party };
}

function to(done: DelegateDone): Reply {
  return { kind: 'redirect', status: 303, to: `${home}?done=${done}` };
}
