import { ClientRefusal, type SessionOf } from '#client';
import { csrfField, fillText, html, pathIn, type Reply, type SafeHtml, type WebRealm, type WebRequest } from '#web';
import { errors } from '../errors.ts';
import { type LinkHolder, linkField } from './held.ts';
import { type HolderDeps, note, using } from './holder.ts';
import { linkTexts as texts } from './texts.ts';

/** App passwords of a person, as a reset link's page shows and revokes them. */
export interface LinkAppPasswords {
  /** Their names, the oldest first. */
  list(dn: string): Promise<readonly string[]>;
  /** Revokes all, in the person's own name, and says how many. @throws ClientRefusal when the directory does not let them */
  revokeAll(subject: { readonly dn: string; readonly session: SessionOf }): Promise<number>;
}

const path = '/portal/reset-password/app-passwords';
/** Names that the page shows; more are counted. */
const shownMax = 10;

/** What goes on working after a new password, and the button that ends it; nothing for who has none. */
export function appPasswordsSection(realm: WebRealm, { csrfToken, token }: LinkHolder, names: readonly string[]): SafeHtml | false {
  if (names.length === 0) return false;
  const more = names.length - shownMax;
  return html`<h2>${texts.appPasswordsTitle}</h2>
<p>${texts.appPasswordsWords}</p>
<ul>${names.slice(0, shownMax).map((name) => html`<li>${name}</li>`)}${more > 0 && html`<li>${fillText(texts.appPasswordsMore, { count: more })}</li>`}</ul>
<form method="post" action="${pathIn(realm, path)}"><input type="hidden" name="${csrfField}" value="${csrfToken}">
<input type="hidden" name="${linkField}" value="${token}">
<button type="submit" class="outline">${texts.appPasswordsRevoke}</button></form>`;
}

/** Revokes them all; the link stays good. */
export async function revokeAppPasswords(
  deps: HolderDeps & { readonly appPasswords: LinkAppPasswords },
  request: WebRequest,
  holder: LinkHolder,
): Promise<Reply> {
  const back = (done: string): Reply => ({
    kind: 'redirect',
    status: 303,
    to: `/portal/reset-password?revoked=${done}&${linkField}=${encodeURIComponent(holder.token)}`,
  });
  return await using(deps, request, holder, '', async () => {
    try {
      await deps.appPasswords.revokeAll(holder.acting);
      return { spent: false, reply: back('yes') };
    } catch (thrown) {
      if (!(thrown instanceof ClientRefusal)) throw thrown;
      note(deps, request, holder, errors.linkUnused);
      return { spent: false, reply: back('no') };
    }
  });
}
