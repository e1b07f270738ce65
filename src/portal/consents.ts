import { type Application, type Consent, type Consents, issuerOf, resourceText, scopeText, type TokenSets } from '#oauth';
import { fillText, type Handler, html, notice, type Page, type Reply, things, timeHtml, type WebRealm } from '#web';
import type { consentsRoutes } from './consents-routes.ts';
import { consentsTexts as texts } from './consents-texts.ts';
import { formButton, ownForm, ownHandler } from './frame.ts';
import type { OwnDeps } from './own.ts';

export interface ConsentsDeps extends OwnDeps {
  readonly consents: Pick<Consents, 'list' | 'withdraw'>;
  /** Takes back what an application was given for somebody. */
  readonly revokeConsent: TokenSets['revokeConsent'];
  readonly applications: { find(realm: WebRealm, clientId: string): Promise<Application | undefined> };
}

const home = '/portal/consents';
const place = { fresh: false, back: home } as const;
type Done = keyof typeof texts.done;

/** The page on which people see what they have allowed applications, and withdraw it. */
export function createConsentsHandlers(deps: ConsentsDeps): Readonly<Record<keyof typeof consentsRoutes, Handler>> {
  const { applications, consents, clock } = deps;
  return {
    consents: ownHandler(deps, place, async ({ realm, origin, query }, { session, person, csrfToken }) => {
      const all = await consents.list(realm, session.entryUuid);
      const rows = await Promise.all(
        all.map(async (consent) => {
          const found = await applications.find(realm, consent.clientId);
          // Another one under its client id is none that was allowed anything.
          const application = found !== undefined && (consent.entry ?? found.entryUuid) === found.entryUuid ? found : undefined;
          const { resource } = consent;
          return { consent, application, at: resource === '' ? '' : resourceText(issuerOf(realm, origin), resource) };
        }),
      );
      const done = (Object.keys(texts.done) as Done[]).find((each) => each === query.get('done'));
      return { kind: 'page', page: consentsPage({ realm, rows, done, dn: person.dn, csrfToken, nowMs: clock.nowMs() }) };
    }),
    consentWithdraw: ownForm(deps, place, async ({ realm }, { acting, session: { entryUuid } }, form): Promise<Reply> => {
      const [clientId, resource] = [form.get('client') ?? '', form.get('resource') ?? ''];
      const withdrawn = await consents.withdraw(realm, acting, entryUuid, { clientId, resource });
      // Each use would find out by itself; whoever looks at what there is sees it at once.
      if (withdrawn) await deps.revokeConsent({ realm: realm.id, entryUuid, clientId, resource });
      return { kind: 'redirect', status: 303, to: `${home}?done=${withdrawn ? 'withdrawn' : 'gone'}` };
    }),
  };
}

interface ConsentsPage {
  readonly realm: WebRealm;
  readonly rows: readonly { readonly consent: Consent; readonly application: Application | undefined; readonly at: string }[];
  readonly done: Done | undefined;
  readonly dn: string;
  readonly csrfToken: string;
  readonly nowMs: number;
}

function consentsPage({ realm, rows, done, dn, csrfToken, nowMs }: ConsentsPage): Page {
  return {
    title: texts.title,
    layout: 'wide',
    main: html`<h1>${texts.title}</h1>
${done !== undefined && notice('good', 'done', texts.done[done])}
<p>${rows.length === 0 ? texts.none : texts.words}</p>
${
  rows.length > 0 &&
  html`<section aria-label="${texts.title}">${things(
    rows.map(({ consent: { clientId, resource, scopes, atMs }, application, at }) => {
      const name = application?.name ?? fillText(texts.gone, { client: clientId });
      const lines = [
        html`${texts.since} ${timeHtml(atMs, nowMs)}`,
        ...(at === '' ? [] : [fillText(texts.at, { resource: at })]),
        scopes.map(scopeText).join('; '),
      ].filter((line) => line !== '');
      const about = at === '' ? name : fillText(texts.nameAt, { name, resource: at });
      return { name, lines, action: formButton(realm, home, texts.withdraw, csrfToken, { fields: { client: clientId, resource }, about }) };
    }),
  )}</section>`
}
<details><summary>${texts.terminal}</summary>
<pre tabindex="0"><code>atrium search '(objectClass=*)' stsConsent --base '${dn}' --scope base</code></pre></details>`,
  };
}
