import { fillText, html, type SafeHtml } from '#web';
import { appTexts } from '../texts.ts';
import { type AppSecret, inGroups, otpauthUri, qrOf } from './shown.ts';

/**
 * What a page shows of a secret that an app is to take: a picture, and the same as text.
 *
 * @param issuer   of the service, as the app shows it
 * @param account  whose it is
 */
export async function appParts(app: AppSecret, issuer: string, account: string): Promise<SafeHtml> {
  const { secret, algorithm, digits, period } = app;
  const picture = await qrOf(otpauthUri(app, issuer, account));
  return html`<p>${appTexts.scan}</p>
<p class="qr"><img src="${picture}" alt="${appTexts.picture}" width="200" height="200"></p>
<p>${appTexts.type}</p>
<p class="secret"><code>${inGroups(secret)}</code></p>
<p class="quiet">${fillText(appTexts.parameters, { algorithm, digits, period })}</p>`;
}
