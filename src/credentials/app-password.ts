import { addressOctets, isInNetwork, readNetwork, text, typableAlphabet, utf8, withoutGroups } from '#base';
import { type AppPassword, appPasswordScopes, isAppPassword } from '#holdings';
import { parseHash } from '#keys';

/** An app password as its person's entry keeps it: what its owner may see of it, and its hash. */
export interface StoredAppPassword extends AppPassword {
  /** `{SCRYPT}…`: all of a person's have one salt and one cost, so that one hash judges a try. */
  readonly hash: string;
}

/** Characters of an app password, without what it is printed with. */
export const appPasswordLength = 24;
/** It is printed in six groups. */
export const appPasswordGroup = 4;
/** More than a person can be allowed to have. */
export const appPasswordsBound = 1000;

const form = new RegExp(`^[${typableAlphabet}]{${appPasswordLength}}$`);
/** More than anybody types for one, with whatever stands between. */
const typedOctetsMax = 256;
const storedOctetsMax = 8192;

/**
 * An app password as it is hashed: without dashes and spaces, and in upper case.
 *
 * @returns `undefined` for what can be none, whoever holds one
 */
export function appPasswordForm(typed: Uint8Array): Uint8Array | undefined {
  if (typed.length < appPasswordLength || typed.length > typedOctetsMax) return undefined;
  const bare = withoutGroups(text(typed) ?? '');
  return form.test(bare) ? utf8(bare) : undefined;
}

/** The value of `stsAppPassword`: JSON in one canonical form. */
export function printStoredAppPassword({ id, name, scopes, addedMs, expiresMs, networks, program, hash }: StoredAppPassword): Uint8Array {
  const inOrder = appPasswordScopes.filter((scope) => scopes.includes(scope));
  // JSON keeps no member that is undefined.
  return utf8(JSON.stringify({ id, name, scopes: inOrder, addedMs, expiresMs, networks, program, hash }));
}

/** Reads a value of `stsAppPassword`; `undefined` for what is none. */
export function parseStoredAppPassword(stored: Uint8Array): StoredAppPassword | undefined {
  const given = stored.length > storedOctetsMax ? undefined : parseJson(text(stored) ?? '');
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  const { hash, ...shown } = given as Readonly<Record<string, unknown>>;
  if (typeof hash !== 'string' || parseHash(hash, Number.MAX_SAFE_INTEGER).kind !== 'hash') return undefined;
  // When it was last used stands elsewhere.
  if (!isAppPassword(shown) || 'lastUsedMs' in shown || 'lastUsedFrom' in shown || 'lastUsedDoor' in shown) return undefined;
  return { ...shown, hash };
}

/** The app passwords of an entry. What is not of their form is nobody's. */
export function storedAppPasswords(values: readonly Uint8Array[]): readonly StoredAppPassword[] {
  return values.flatMap((value) => parseStoredAppPassword(value) ?? []);
}

/**
 * What is wrong with values of `stsAppPassword` that come from elsewhere than from the directory itself, in words that follow the attribute's name; nothing
 * for what it could have written: one salt and one cost for all, and no id twice.
 */
export function appPasswordsFault(values: readonly Uint8Array[]): string | undefined {
  if (values.length > appPasswordsBound) return `a person has ${appPasswordsBound} at most`;
  const parsed = storedAppPasswords(values);
  if (parsed.length < values.length) return 'a value is not of the form that the directory writes';
  if (new Set(parsed.map(({ id }) => id)).size < parsed.length) return 'an id is given twice';
  if (new Set(parsed.map(({ hash }) => saltOf(hash))).size > 1) return 'all of a person have one salt and one cost';
  return parsed.some(({ networks = [] }) => networks.some((each) => !('octets' in readNetwork(each)))) ? 'a network is none' : undefined;
}

/** What all hashes of a set have in common: scheme, cost and salt. */
export function saltOf(hash: string): string {
  return hash.slice(0, hash.lastIndexOf('$'));
}

/** Whether an address is one that an app password may come from. One that is no network address is in no network. */
export function mayComeFrom({ networks }: Pick<AppPassword, 'networks'>, address: string): boolean {
  if (networks === undefined) return true;
  const octets = addressOctets(address);
  return octets !== undefined && networks.some((each) => isIn(each, octets));
}

function isIn(network: string, octets: Uint8Array): boolean {
  const read = readNetwork(network);
  return 'octets' in read && isInNetwork(read, octets);
}

function parseJson(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}
