import { text } from '#base';
import { type ClientEntry, ClientRefusal, type DirectoryClient, equals } from '#client';
import { emailFactorOf } from '#holdings';
import { parseDn, resultCodes } from '#ldap';
import { type ClaimRow, claimRowOf } from '#policy';
import type { WebRealm } from '#web';
import type { Application } from '../applications/application.ts';

/** What a claim is read from: attributes of the person's entry, and what is made of them. */
interface BuiltInClaim {
  readonly scope: string;
  readonly claim: string;
  readonly attributes: readonly string[];
  /** `undefined` where the entry says nothing of it. */
  readonly read: (entry: ClientEntry) => unknown;
}

/**
 * What each scope tells of people without an entry that says more.
 *
 * @see OpenID Connect Core §5.1, §5.4
 */
export const builtInClaims: readonly BuiltInClaim[] = [
  { scope: 'profile', claim: 'name', attributes: ['displayName', 'cn'], read: (entry) => entry.one('displayName') ?? entry.one('cn') },
  said('profile', 'family_name', 'sn'),
  said('profile', 'given_name', 'givenName'),
  said('profile', 'preferred_username', 'uid'),
  said('profile', 'website', 'labeledURI', (value) => value.split(' ', 1)[0]),
  said('profile', 'locale', 'preferredLanguage', (value) => value.split(/[,;\s]/, 1)[0]),
  said('profile', 'updated_at', 'modifyTimestamp', secondsOf),
  { scope: 'email', claim: 'email', attributes: ['mail', 'stsVerifiedMail'], read: (entry) => addressOf(entry)?.address },
  { scope: 'email', claim: 'email_verified', attributes: ['mail', 'stsVerifiedMail'], read: (entry) => addressOf(entry)?.verified },
  {
    ...{ scope: 'phone', claim: 'phone_number', attributes: ['mobile', 'telephoneNumber'] },
    read: (entry) => entry.one('mobile') ?? entry.one('telephoneNumber'),
  },
  {
    ...{ scope: 'address', claim: 'address', attributes: ['postalAddress', 'street', 'l', 'st', 'postalCode', 'c', 'co'] },
    read: postalOf,
  },
  { scope: 'groups', claim: 'groups', attributes: ['memberOf'], read: (entry) => entry.all('memberOf').flatMap((dn) => nameOf(dn) ?? []) },
];

/** The scopes that tell something of people, and the claims of each. */
export const claimsOfScopes: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [...new Set(builtInClaims.map(({ scope }) => scope))].map((scope) => [
    scope,
    builtInClaims.flatMap((row) => (row.scope === scope ? [row.claim] : [])),
  ]),
);

export interface Claims {
  /**
   * What an application is told of somebody for the scopes that it was given, read from their entry at this moment.
   *
   * @returns claims without `sub`; `undefined` when the entry is gone
   */
  of(
    realm: Pick<WebRealm, 'suffix'>,
    application: Pick<Application, 'claims'>,
    entryUuid: string,
    scopes: readonly string[],
  ): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** Scopes and claims of a realm beside those that are built in: what its maps say. */
  mapped(realm: Pick<WebRealm, 'suffix'>): Promise<readonly ClaimRow[]>;
}

/** Maps of a realm that are read. */
const mapsMax = 100;

export function openClaims({ client }: { readonly client: Pick<DirectoryClient, 'as'> }): Claims {
  const mapped: Claims['mapped'] = async ({ suffix }) => {
    const filter = equals('objectClass', 'stsClaimMap');
    const search = { base: `ou=policies,${suffix}`, scope: 'sub', filter, attributes: ['stsClaim'], sizeLimit: mapsMax } as const;
    try {
      const { entries } = await client.as('self').search(search);
      return entries.flatMap((entry) => entry.all('stsClaim').flatMap((value) => claimRowOf(value) ?? []));
    } catch (error) {
      if (error instanceof ClientRefusal && error.code === resultCodes.noSuchObject) return [];
      throw error;
    }
  };
  return {
    mapped,
    of: async (realm, { claims }, entryUuid, scopes) => {
      const isWanted = ({ scope }: { readonly scope: string }) => scopes.includes(scope);
      const rows = builtInClaims.filter(isWanted);
      // What an application has of its own comes before what its realm has, and both before what is built in.
      const own = [...(await mapped(realm)), ...claims].filter(isWanted);
      const attributes = [...new Set(['1.1', ...rows.flatMap((row) => row.attributes), ...own.map(({ attribute }) => attribute)])];
      const filter = equals('entryUUID', entryUuid);
      const search = { base: realm.suffix, scope: 'sub', filter, attributes, sizeLimit: 1 } as const;
      const [entry] = (await client.as('self').search(search)).entries;
      if (entry === undefined) return undefined;
      const told = [
        ...rows.map(({ claim, read }) => [claim, read(entry)] as const),
        ...own.map(({ claim, attribute }) => [claim, shownValue(entry.all(attribute))] as const),
      ];
      return Object.fromEntries(told.filter(([, value]) => value !== undefined));
    },
  };
}

function said(scope: string, claim: string, attribute: string, made: (value: string) => unknown = (value) => value): BuiltInClaim {
  const read = (entry: ClientEntry) => {
    const value = entry.one(attribute);
    return value === undefined ? undefined : made(value);
  };
  return { scope, claim, attributes: [attribute], read };
}

/** One value is said as it is, several as a list. */
function shownValue(values: readonly string[]): string | readonly string[] | undefined {
  return values.length > 1 ? values : values[0];
}

/** The address that counts for the person: the first that was verified, else the first. */
function addressOf(entry: ClientEntry) {
  return emailFactorOf((attribute) => entry.all(attribute));
}

/** OpenID Connect Core §5.1.1. */
function postalOf(entry: ClientEntry): unknown {
  const parts = {
    formatted: entry
      .one('postalAddress')
      ?.split('$')
      .map((line) => line.trim())
      .join('\n'),
    street_address: entry.one('street'),
    locality: entry.one('l'),
    region: entry.one('st'),
    postal_code: entry.one('postalCode'),
    country: entry.one('co') ?? entry.one('c'),
  };
  const there = Object.entries(parts).filter(([, value]) => value !== undefined);
  return there.length === 0 ? undefined : Object.fromEntries(there);
}

/** Seconds since 1970, of a time as the directory writes it. */
function secondsOf(time: string): number | undefined {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(time) ?? [];
  return year === undefined ? undefined : Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) / 1000;
}

/** What a group is called: the value that its entry is named by. */
function nameOf(dn: string): string | undefined {
  const value = parseDn(dn)?.[0]?.[0]?.value;
  return value && text(value);
}
