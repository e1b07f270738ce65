import type { TotpAlgorithm } from '#keys';

/** What an app is told of a new secret. */
export interface AppSecret {
  /** Base32. */
  readonly secret: string;
  readonly algorithm: TotpAlgorithm;
  readonly digits: number;
  /** Seconds of a step. */
  readonly period: number;
}

/** As much of a name as an app shows; a picture of more would be hard to scan. */
const namesMax = { issuer: 40, account: 60 } as const;
const groupLetters = 4;

/** The secret as people type it: in groups of four. */
export function inGroups(secret: string): string {
  const groups: string[] = [];
  for (let at = 0; at < secret.length; at += groupLetters) groups.push(secret.slice(at, at + groupLetters));
  return groups.join(' ');
}

/**
 * The address by which an app takes the secret, in the form that all of them read.
 *
 * @param issuer   of the service, as the app shows it
 * @param account  whose it is
 */
export function otpauthUri({ secret, algorithm, digits, period }: AppSecret, issuer: string, account: string): string {
  // The label is taken apart at its colon.
  const named = (name: string, max: number) => encodeURIComponent([...name.replaceAll(':', ' ').toWellFormed()].slice(0, max).join(''));
  const by = named(issuer, namesMax.issuer);
  const label = `${by}:${named(account, namesMax.account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${by}&algorithm=${algorithm}&digits=${digits}&period=${period}`;
}

/** A text as a QR code: SVG in a `data:` address. The library is loaded with the first. */
export async function qrOf(text: string): Promise<string> {
  const { default: qr } = await import('qrcode');
  const svg = await qr.toString(text, { type: 'svg', errorCorrectionLevel: 'M' });
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}
