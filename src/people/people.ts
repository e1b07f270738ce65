import { type Clock, createBoundedMap, utf8 } from '#base';
import { allOf, anyOf, attributesOf, type ClientEntry, ClientRefusal, type DirectoryClient, equals, type SessionOf } from '#client';
import { barOf, factorAttributes, type Holdings, holdingsOf, validityAttributes, validityOf } from '#holdings';
import { formatDn, parseDn, resultCodes } from '#ldap';
import { type Mode, makesEntries } from '#policy';

/** A person of the directory, at this moment. */
export interface Person {
  readonly dn: string;
  readonly entryUuid: string;
  /** No door lets them in: `pwdAccountLockedTime` is set, or it is not the time for it (`stsValidFrom`, `stsValidUntil`). */
  readonly disabled: boolean;
  /** `pwdReset` is TRUE: the password must be changed before it is used. */
  readonly mustChange: boolean;
  /** When the password expires by the policy in force; absent for one that does not. */
  readonly passwordExpiresMs?: number;
  readonly holdings: Holdings;
  /** The realm's built-in administrator. */
  readonly isBuiltIn: boolean;
  /** A second factor of theirs has been used. */
  readonly secondFactorUsed?: boolean;
  /** Whether they administer their realm: by a role that a group of it gives them, or as the built-in administrator. */
  readonly administrator: 'none' | 'role' | 'built-in';
}

/** Who somebody says that they are. */
export type Meant = Pick<Person, 'dn' | 'entryUuid'>;

/** Whose people are meant. */
export interface PeopleOf {
  /** The realm's, as text. */
  readonly suffix: string;
  readonly mode: Mode;
}

/** The persons of the realms: each call is about those of one, and finds nobody of another. */
export interface People {
  /**
   * Finds the person of a name typed at sign-in: a `uid`, or else a `mail` that only one person has. In development mode somebody whom nobody
   * knows is made first.
   *
   * @throws Refusal STS-CORE-9100 to 9103 when the directory cannot be asked
   */
  find(realm: PeopleOf, typed: string): Promise<Person | undefined>;
  /** Whom a typed name means, and nothing else of them: they are looked at when they have shown that they are it. Found and made as by `find`. */
  meant(realm: PeopleOf, typed: string): Promise<Meant | undefined>;
  /** The name of an entry that a typed name would have: a bind as nobody costs what a bind as somebody costs. */
  nobody(realm: PeopleOf, typed: string): string;
  /**
   * Notes a sign-in at its person's entry.
   *
   * @throws ClientRefusal when the directory does not write it
   * @see specification document 1, "Security keys", 7
   */
  note(person: Pick<Person, 'dn' | 'secondFactorUsed'>, noted: Noted): Promise<void>;
  /** Whether nobody may come in as the person of an entry: they are disabled, it is not their time, or the entry is gone. */
  isBarred(realm: PeopleOf, entryUuid: string): Promise<boolean>;
  /** The person of a session; `undefined` when the entry is gone. */
  byUuid(realm: PeopleOf, entryUuid: string): Promise<Person | undefined>;
  /**
   * A person's entry as they themselves may see it; `undefined` when it is gone, or they are disabled.
   *
   * @param browser  that asks
   */
  readOwn(realm: PeopleOf, person: SignedIn, attributes: readonly string[], browser?: Browser): Promise<ClientEntry | undefined>;
}

/** What of a sign-in an entry keeps: that a key alone was enough and when, or that a second factor was used. */
export type Noted = { readonly kind: 'passwordless'; readonly atMs: number } | { readonly kind: 'secondFactor' };

/** From where a person asks. */
export interface Browser {
  readonly address: string;
  /** Whether nobody can read on the way what is between it and this service. */
  readonly secure: boolean;
}

/** A person with the session that they have: how and when they signed in. */
export interface SignedIn {
  readonly entryUuid: string;
  /** The oldest first. */
  readonly events?: readonly { readonly whenMs: number; readonly acr: string }[];
}

export interface PeopleOptions {
  readonly client: Pick<DirectoryClient, 'as'>;
  /** The `uid` of each realm's built-in administrator. */
  readonly administratorUid: string;
  readonly clock: Clock;
  /** Moves when somebody is disabled, given a time or deleted, from when a search finds it. Where it is not known the directory is asked each time. */
  readonly governing?: () => number;
}

/** What is asked of an entry to know its person. */
const needed = [
  'uid',
  'entryUUID',
  ...validityAttributes,
  'pwdReset',
  'stsPasswordExpires',
  'stsSecondFactorUsed',
  'stsAdministersRealm',
  ...factorAttributes,
];
/** Entries with one name that are looked at; where there are more it is nobody's. */
const candidatesMax = 16;
/** People of whom it is remembered that nothing bars them. */
const freeMax = 10_000;

/** RFC 4518 §2.4: no name holds these. A bind as one that does would be refused without the work. */
const inNoName = /[\p{Cn}\p{Co}\p{Cs}\ufffd]/gu;

export function openPeople({ client, administratorUid, clock, governing }: PeopleOptions): People {
  /** Who had no bar, and no time that could become one, and at which governing number. */
  const free = createBoundedMap<string, number>(freeMax);
  const keyOf = (suffix: string, entryUuid: string) => `${entryUuid} ${suffix}`;
  /** @param at  the governing number before the entry was asked for */
  const remember = (suffix: string, entry: ClientEntry, at: number | undefined) => {
    const entryUuid = entry.one('entryUUID');
    if (at === undefined || entryUuid === undefined || validityAttributes.some((name) => entry.one(name) !== undefined)) return;
    free.set(keyOf(suffix, entryUuid), at);
  };
  const personOf = (suffix: string, entry: ClientEntry): Person | undefined => {
    const entryUuid = entry.one('entryUUID');
    if (entryUuid === undefined) return undefined;
    const hasRole = entry.one('stsAdministersRealm')?.toUpperCase() === 'TRUE';
    const isBuiltIn = entry.dn.toLowerCase() === named(baseOf(suffix), administratorUid).toLowerCase();
    const administrator = isBuiltIn ? 'built-in' : hasRole ? 'role' : 'none';
    const disabled = isDisabled(entry);
    const secondFactorUsed = entry.one('stsSecondFactorUsed')?.toUpperCase() === 'TRUE';
    const mustChange = entry.one('pwdReset')?.toUpperCase() === 'TRUE';
    const expiresMs = timeMs(entry.one('stsPasswordExpires'));
    const age = expiresMs === undefined ? {} : { passwordExpiresMs: expiresMs };
    return {
      dn: entry.dn,
      entryUuid,
      disabled,
      mustChange,
      ...age,
      holdings: holdingsOf(entry),
      isBuiltIn,
      administrator,
      secondFactorUsed,
    };
  };
  const entryMeant = async (suffix: string, typed: string, attributes: readonly string[]): Promise<ClientEntry | undefined> => {
    const filter = allOf(equals('objectClass', 'person'), anyOf(equals('uid', typed), equals('mail', typed)));
    const { entries, complete } = await client
      .as('self')
      .search({ base: baseOf(suffix), scope: 'sub', filter, attributes, sizeLimit: candidatesMax });
    if (!complete) return undefined;
    const sameUid = entries.filter((entry) => entry.all('uid').some((uid) => uid.toLowerCase() === typed.toLowerCase()));
    // A name is a uid before it is a mail address: no one comes in as somebody else by having their name for an address.
    const meant = sameUid.length > 0 ? sameUid : entries;
    return meant.length === 1 ? meant[0] : undefined;
  };
  const known = async (suffix: string, typed: string): Promise<Person | undefined> => {
    const entry = await entryMeant(suffix, typed, needed);
    return entry && personOf(suffix, entry);
  };
  const isDisabled = (entry: ClientEntry): boolean =>
    barOf(
      validityOf((name) => entry.one(name)),
      clock.nowMs(),
    ) !== undefined;
  const meantBy = async (suffix: string, typed: string): Promise<Meant | undefined> => {
    const entry = await entryMeant(suffix, typed, ['uid', 'entryUUID']);
    const entryUuid = entry?.one('entryUUID');
    return entry === undefined || entryUuid === undefined ? undefined : { dn: entry.dn, entryUuid };
  };
  /** The same for a name that may be made an entry. */
  const orMade = async <T>({ suffix, mode }: PeopleOf, typed: string, look: (suffix: string, typed: string) => Promise<T | undefined>) => {
    // Nobody types a control character; a name made with one could not be told from another on a screen.
    if (typed === '' || /\p{Cc}/u.test(typed)) return undefined;
    const found = await look(suffix, typed);
    if (found !== undefined || !makesEntries(mode)) return found;
    return (await make(client, named(baseOf(suffix), typed), typed)) ? look(suffix, typed) : undefined;
  };
  const named = (base: string, uid: string) => formatDn([[{ type: 'uid', value: utf8(uid) }], ...(parseDn(base) ?? [])]);

  return {
    find: (realm, typed) => orMade(realm, typed, known),
    meant: (realm, typed) => orMade(realm, typed, meantBy),
    nobody: ({ suffix }, typed) => named(baseOf(suffix), typed.replace(inNoName, '?')),
    byUuid: async ({ suffix }, entryUuid) => {
      const filter = equals('entryUUID', entryUuid);
      const at = governing?.();
      const { entries } = await client.as('self').search({ base: baseOf(suffix), scope: 'sub', filter, attributes: needed, sizeLimit: 2 });
      const [entry] = entries;
      if (entry === undefined) return undefined;
      remember(suffix, entry, at);
      return personOf(suffix, entry);
    },
    isBarred: async ({ suffix }, entryUuid) => {
      const at = free.get(keyOf(suffix, entryUuid));
      if (at !== undefined && at === governing?.()) return false;
      const filter = equals('entryUUID', entryUuid);
      const search = { base: baseOf(suffix), scope: 'sub', filter, attributes: validityAttributes, sizeLimit: 2 } as const;
      const [entry] = (await client.as('self').search(search)).entries;
      return entry === undefined || isDisabled(entry);
    },
    note: async ({ dn, secondFactorUsed }, noted) => {
      if (noted.kind === 'secondFactor' && secondFactorUsed) return;
      const [description, value] =
        noted.kind === 'secondFactor' ? ['stsSecondFactorUsed', 'TRUE'] : ['stsLastAuthentication', formatTime(noted.atMs)];
      await client.as('self').modify(dn, [{ operation: 'replace', attribute: { description, values: [utf8(value)] } }]);
    },
    readOwn: async ({ suffix }, { entryUuid, events = [] }, attributes, browser = nowhere) => {
      const { entries } = await client
        .as('self')
        .search({ base: baseOf(suffix), scope: 'sub', filter: equals('entryUUID', entryUuid), attributes: ['1.1'], sizeLimit: 2 });
      const dn = entries[0]?.dn;
      if (dn === undefined) return undefined;
      try {
        return await client.as({ dn, ...sessionOf(events, browser) }).read(dn, attributes);
      } catch (error) {
        // RFC 4370 §4: nobody acts for a person who is disabled, or was deleted just now.
        if (error instanceof ClientRefusal && error.code === resultCodes.authorizationDenied) return undefined;
        throw error;
      }
    },
  };
}

/** The moment of a time as the directory writes it. */
function timeMs(given: string | undefined): number | undefined {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(given ?? '') ?? [];
  return year === undefined ? undefined : Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** GeneralizedTime in UTC (RFC 4517 §3.3.13), whole seconds. */
function formatTime(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '');
}

const nowhere: Browser = { address: '', secure: false };

/** What the directory is told of a session; nothing of one that nobody signed in to. */
function sessionOf(events: NonNullable<SignedIn['events']>, browser: Browser): { readonly session?: SessionOf } {
  const session = actingSession(events, browser);
  return session === undefined ? {} : { session };
}

/** How strong a session is, for the rules of access; `undefined` for one that nobody signed in to. */
export function actingSession(events: NonNullable<SignedIn['events']>, { address, secure }: Browser): SessionOf | undefined {
  const last = events.at(-1);
  if (last === undefined) return undefined;
  // Both are of one sign-in: two factors of long ago do not make a fresh one stronger, and one at a time does not make two.
  const factors = last.acr === 'mfa' ? 2 : 1;
  return { factors, authenticatedMs: last.whenMs, address, isProtected: secure };
}

function baseOf(suffix: string): string {
  return `ou=people,${suffix}`;
}

/**
 * Makes the entry of somebody who signs in for the first time, under the web layer's own authority: the directory allows that in development
 * mode alone.
 *
 * @returns false when no entry can have that name
 */
async function make(client: Pick<DirectoryClient, 'as'>, dn: string, typed: string): Promise<boolean> {
  try {
    await client.as('self').add(dn, attributesOf({ objectClass: 'inetOrgPerson', uid: typed, cn: typed, sn: typed }));
    return true;
  } catch (error) {
    if (!(error instanceof ClientRefusal)) throw error;
    // Somebody else's sign-in was faster.
    return error.code === resultCodes.entryAlreadyExists;
  }
}
