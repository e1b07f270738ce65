import { equalBytes, utf8 } from '#base';

/** A credential of a security key, as a person's entry holds it. */
export interface SecurityKey {
  /** The credential id, base64url. */
  readonly id: string;
  /** `mfa`: a second factor after a password. `primary`: the only credential, no password is read. */
  readonly role: 'mfa' | 'primary';
  /** What the person calls it. */
  readonly name: string;
  /** COSE key, base64url. */
  readonly publicKey: string;
  /** COSE algorithm. */
  readonly algorithm: number;
  /** The signature counter of the last assertion; zero for an authenticator that has none. */
  readonly counter: number;
  readonly aaguid: string;
  readonly transports: readonly string[];
  /** As the browser reported it. */
  readonly attachment?: 'platform' | 'cross-platform';
  /** As the browser reported it (credProps). */
  readonly discoverable?: boolean;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  /** What its attestation statement proved. */
  readonly attestation: {
    readonly format: string;
    readonly proved: 'trusted' | 'untrusted' | 'claimed';
    readonly why?: string;
    readonly model?: string;
  };
  readonly addedMs: number;
  readonly lastUsedMs?: number;
  /** The address of the browser. */
  readonly lastUsedFrom?: string;
}

/** Web Authentication Level 3 §5.8.3: no credential id is longer. */
export const credentialIdOctetsMax = 1023;

/** The members in the order in which they are written. */
const members: readonly (keyof SecurityKey)[] = [
  'id',
  'role',
  'name',
  'publicKey',
  'algorithm',
  'counter',
  'aaguid',
  'transports',
  'attachment',
  'discoverable',
  'backupEligible',
  'backedUp',
  'attestation',
  'addedMs',
  'lastUsedMs',
  'lastUsedFrom',
];
const attestationMembers: readonly (keyof SecurityKey['attestation'])[] = ['format', 'proved', 'why', 'model'];

/** The value of `stsWebauthnCredential`: one text for one key, whatever order its members have in memory. */
export function printSecurityKey(key: SecurityKey): string {
  return JSON.stringify({ ...ordered(key, members), attestation: ordered(key.attestation, attestationMembers) });
}

/** Reads a value of `stsWebauthnCredential`; `undefined` for what is none, or is written in another way than `printSecurityKey` does. */
export function parseSecurityKey(value: string): SecurityKey | undefined {
  const json = readJson(value);
  if (!isRecord(json) || !isRecord(json['attestation'])) return undefined;
  const given: Readonly<Record<string, unknown>> = json;
  const attestation: Readonly<Record<string, unknown>> = json['attestation'];
  const fits =
    isId(given['id']) &&
    (given['role'] === 'mfa' || given['role'] === 'primary') &&
    isBase64url(given['publicKey']) &&
    [given['name'], given['aaguid'], attestation['format']].every(isText) &&
    [given['lastUsedFrom'], attestation['why'], attestation['model']].every((each) => each === undefined || isText(each)) &&
    Number.isSafeInteger(given['algorithm']) &&
    [given['counter'], given['addedMs']].every(isNatural) &&
    (given['lastUsedMs'] === undefined || isNatural(given['lastUsedMs'])) &&
    Array.isArray(given['transports']) &&
    given['transports'].every(isText) &&
    [undefined, 'platform', 'cross-platform'].includes(given['attachment'] as undefined) &&
    [undefined, true, false].includes(given['discoverable'] as undefined) &&
    typeof given['backupEligible'] === 'boolean' &&
    typeof given['backedUp'] === 'boolean' &&
    ['trusted', 'untrusted', 'claimed'].includes(attestation['proved'] as string);
  if (!fits) return undefined;
  const key = given as unknown as SecurityKey;
  // A value is replaced by naming it, so that there is one way to write it.
  return printSecurityKey(key) === value ? key : undefined;
}

/** Whether a key is the one of a credential id in octets. */
export function isKeyOf({ id }: SecurityKey, octets: Uint8Array): boolean {
  return equalBytes(Buffer.from(id, 'base64url'), octets);
}

function ordered(from: object, names: readonly string[]): Readonly<Record<string, unknown>> {
  const given = from as Readonly<Record<string, unknown>>;
  return Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && utf8(value).length <= textOctetsMax;
}

/** Far more than any name or reason needs. */
const textOctetsMax = 1000;

function isNatural(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** In its one canonical form: two texts are two ids. */
function isBase64url(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && Buffer.from(value, 'base64url').toString('base64url') === value;
}

function isId(value: unknown): boolean {
  return isBase64url(value) && Buffer.from(value, 'base64url').length <= credentialIdOctetsMax;
}
