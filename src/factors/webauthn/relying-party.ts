import type { SettingValues } from '#catalogue';
import { type Mode, verifiesPasswords } from '#policy';
import type { settings as rows } from './settings.ts';

export type WebauthnSettings = SettingValues<typeof rows>;

/** For whom credentials are made, and from where a ceremony may come. */
export interface RelyingParty {
  readonly id: string;
  readonly origins: readonly string[];
  /** Why `webauthn.rpId` is not obeyed: for the log. */
  readonly unfit?: string;
}

/**
 * The relying party of a request.
 *
 * In development mode an id that does not fit the host gives way to the host; in product mode there is no ceremony.
 *
 * @param origin  of this service as the browser sees it: `https://id.example.com`
 * @returns the relying party, or what is wrong
 * @see Web Authentication Level 3 §5.1.3: an id is the host or a registrable suffix of it, and never an address
 */
export function relyingPartyOf(
  origin: string,
  { 'webauthn.rpId': wanted, 'webauthn.allowedOrigins': allowed }: Pick<WebauthnSettings, 'webauthn.rpId' | 'webauthn.allowedOrigins'>,
  mode: Mode,
): RelyingParty | { readonly problem: string } {
  const host = URL.parse(origin)?.hostname ?? '';
  const origins = allowed.length > 0 ? allowed.map(originOf) : [origin];
  if (host === '' || isAddress(host)) return { problem: `${host || origin} is an address, and security keys are made for names` };
  const id = wanted.toLowerCase();
  if (id === '' || id === host) return { id: host, origins };
  const unfit = unfitFor(id, host);
  if (unfit === undefined) return { id, origins };
  return verifiesPasswords(mode) ? { problem: unfit } : { id: host, origins, unfit };
}

function unfitFor(id: string, host: string): string | undefined {
  if (!id.includes('.')) return `webauthn.rpId ${id} is no registrable domain`;
  return host.endsWith(`.${id}`) ? undefined : `webauthn.rpId ${id} is not the host ${host} or a suffix of it`;
}

function isAddress(host: string): boolean {
  return host.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(host);
}

/** Browsers write an origin without a slash at its end, and without the port that its scheme has anyway. */
function originOf(given: string): string {
  const origin = URL.parse(given)?.origin;
  // An app of a phone has one that is no web address: `android:apk-key-hash:…`.
  return origin === undefined || origin === 'null' ? given : origin;
}
