import type { EntryValues } from './holdings.ts';

/** The doors at which nothing but a password can be presented: what an app password may be for. */
export const appPasswordScopes = ['ldap', 'wstrust', 'scim', 'ssf', 'est'] as const;
export type AppPasswordScope = (typeof appPasswordScopes)[number];

/** An app password as its entry shows it: no secret. */
export interface AppPassword {
  readonly id: string;
  /** What the person calls it. */
  readonly name: string;
  /** In the order of `appPasswordScopes`. */
  readonly scopes: readonly AppPasswordScope[];
  readonly addedMs: number;
  /** From this moment on it is worth nothing. */
  readonly expiresMs?: number;
  /** Addresses and networks it may come from; from anywhere without. */
  readonly networks?: readonly string[];
  /** The program it is for. */
  readonly program?: string;
  readonly lastUsedMs?: number;
  readonly lastUsedFrom?: string;
  readonly lastUsedDoor?: string;
}

/** What is asked of an entry to know its app passwords. They are worked out of what is secret, so that it has to be named. */
export const appPasswordAttributes: readonly string[] = ['stsAppPasswordInfo'];

/** The members in the order in which they are written. */
const members: readonly (keyof AppPassword)[] = [
  'id',
  'name',
  'scopes',
  'addedMs',
  'expiresMs',
  'networks',
  'program',
  'lastUsedMs',
  'lastUsedFrom',
  'lastUsedDoor',
];

/** The value of `stsAppPasswordInfo`. */
export function printAppPassword(given: AppPassword): string {
  return JSON.stringify(Object.fromEntries(members.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]))));
}

/** Reads a value of `stsAppPasswordInfo`; `undefined` for what is none. */
export function parseAppPassword(value: string): AppPassword | undefined {
  const json = readJson(value);
  return isAppPassword(json) ? json : undefined;
}

/** The app passwords of an entry, the oldest first. @param entry  `appPasswordAttributes` of it */
export function appPasswordsOf(entry: Pick<EntryValues, 'all'>): readonly AppPassword[] {
  return entry
    .all('stsAppPasswordInfo')
    .flatMap((value) => parseAppPassword(value) ?? [])
    .toSorted((a, b) => a.addedMs - b.addedMs || (a.id < b.id ? -1 : 1));
}

/** Whether a value that was read has the members that every app password has, and no other. */
export function isAppPassword(json: unknown): json is AppPassword {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return false;
  const given = json as Readonly<Record<string, unknown>>;
  return (
    Object.keys(given).every((name) => members.some((each) => each === name)) &&
    [given['id'], given['name']].every(isText) &&
    Array.isArray(given['scopes']) &&
    given['scopes'].length > 0 &&
    given['scopes'].every((each) => appPasswordScopes.some((scope) => scope === each)) &&
    isNatural(given['addedMs']) &&
    [given['expiresMs'], given['lastUsedMs']].every((each) => each === undefined || isNatural(each)) &&
    (given['networks'] === undefined || (Array.isArray(given['networks']) && given['networks'].every(isText))) &&
    [given['program'], given['lastUsedFrom'], given['lastUsedDoor']].every((each) => each === undefined || isText(each))
  );
}

function readJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** Far more than any name needs. */
const textLengthMax = 1000;

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= textLengthMax;
}

function isNatural(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
