import { type BoundedMap, createBoundedMap, hex, text } from '#base';
import { codesLeft, readTotpCredential, type TotpCredential } from '#credentials';
import { type AuthenticatorApp, holdingsOf, printAuthenticatorApp } from '#holdings';
import { isSealed, type Sealer } from '#keys';
import type { StoredEntry } from '#store';
import type { Engine } from './engine.ts';
import { type Attributes, attributesOf } from './record.ts';

const passwordKey = 'userpassword';

/** What an entry holds to be judged by, beside a password. */

export const totpCredential = 'stsTotpCredential';
export const totpCredentialKey = totpCredential.toLowerCase();
export const lastStep = 'stsTotpLastStep';
export const lastStepKey = lastStep.toLowerCase();
export const secondFactorUsed = 'stsSecondFactorUsed';
export const privateKeyKey = 'stsprivatekey';
export const recoveryCode = 'stsRecoveryCode';
export const recoveryCodeKey = recoveryCode.toLowerCase();

/** The newest step whose code was accepted. */
export function lastStepOf(attributes: Attributes): number | undefined {
  const kept = attributes.get(lastStepKey)?.values[0];
  return kept === undefined ? undefined : Number(text(kept));
}

/** `unreadable`: there is an app, and no key at hand opens its secret. */
export type HeldApp =
  | { readonly kind: 'app'; readonly credential: TotpCredential }
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable' };

export function heldApp({ sealer }: Pick<Engine, 'sealer'>, uuid: string, attributes: Attributes): HeldApp {
  const stored = attributes.get(totpCredentialKey)?.values[0];
  if (stored === undefined) return { kind: 'none' };
  const open = sealer.open(uuid, totpCredentialKey, stored);
  const credential = open && readTotpCredential(open.value);
  return credential === undefined ? { kind: 'unreadable' } : { kind: 'app', credential };
}

/**
 * `stsAuthenticatorApp`: what may be known of an app. One whose secret cannot be opened is still one: its person is not let in with a password alone.
 */
export function appOf(desk: Pick<Engine, 'schema' | 'sealer'>, entry: StoredEntry | undefined): readonly string[] {
  if (entry === undefined || entry.secret.length === 0) return [];
  const attributes = attributesOf(desk.schema, entry);
  const shown = shownApp(desk, entry.uuid, attributes);
  if (shown === undefined) return [];
  const last = lastStepOf(attributes);
  return [printAuthenticatorApp({ ...shown, ...(last === undefined ? {} : { lastStep: last }) })];
}

type ShownApp = Omit<AuthenticatorApp, 'lastStep'>;

const unknown: ShownApp = { algorithm: 'SHA1', digits: 6, period: 30, addedMs: 0 };

/** What was found in sealed apps, by entry and sealed text: to open one is dear, and what is sealed never says anything else. Their secrets are not kept. */
const shownApps = new WeakMap<Sealer, BoundedMap<string, ShownApp>>();
const shownAppsMax = 10_000;

function shownApp(desk: Pick<Engine, 'sealer'>, uuid: string, attributes: Attributes): ShownApp | undefined {
  const stored = attributes.get(totpCredentialKey)?.values[0];
  const sealed = stored !== undefined && isSealed(stored) ? `${uuid} ${hex(stored)}` : undefined;
  const known = sealed === undefined ? undefined : shownApps.get(desk.sealer)?.get(sealed);
  if (known !== undefined) return known;
  const held = heldApp(desk, uuid, attributes);
  if (held.kind !== 'app') return held.kind === 'none' ? undefined : unknown;
  const { algorithm, digits, period, addedMs } = held.credential;
  const shown = { algorithm, digits, period, addedMs };
  if (sealed === undefined) return shown;
  const kept = shownApps.get(desk.sealer) ?? createBoundedMap(shownAppsMax);
  kept.set(sealed, shown);
  shownApps.set(desk.sealer, kept);
  return shown;
}

/** The second factors of an entry that its person would be asked for: the app, and security keys of that role; since when. */
export function secondFactorsOf(desk: Pick<Engine, 'schema' | 'sealer'>, entry: StoredEntry): readonly { readonly addedMs: number }[] {
  const attributes = attributesOf(desk.schema, entry);
  const octets = (name: string) => attributes.get(name.toLowerCase())?.values ?? [];
  const all = (name: string) => (name === 'stsAuthenticatorApp' ? appOf(desk, entry) : octets(name).flatMap((value) => text(value) ?? []));
  const { keys, app } = holdingsOf({ octets, all });
  return [...keys.filter(({ role }) => role === 'mfa'), ...(app === undefined ? [] : [app])];
}

/** `stsRecoveryCodesLeft`: 0 for a set that is used up, nothing without one. */
export function codesLeftOf({ schema }: Pick<Engine, 'schema'>, entry: StoredEntry | undefined): readonly string[] {
  if (entry === undefined || entry.secret.length === 0) return [];
  const values = attributesOf(schema, entry).get(recoveryCodeKey)?.values;
  return values === undefined ? [] : [String(codesLeft(values).length)];
}

/** `stsHasPassword`: whether there is one, of which nothing more is told. */
export function hasPasswordOf({ schema }: Pick<Engine, 'schema'>, entry: StoredEntry | undefined): readonly string[] {
  if (entry === undefined) return [];
  const has = entry.secret.length > 0 && attributesOf(schema, entry).has(passwordKey);
  return [has ? 'TRUE' : 'FALSE'];
}
