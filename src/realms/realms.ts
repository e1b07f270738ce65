import type { Log } from '#audit';
import { createBoundedMap } from '#base';
import { Refusal, type SettingRows, type SettingValues } from '#catalogue';
import { allOf, type ClientEntry, ClientRefusal, type DirectoryClient, equals } from '#client';
import { resultCodes } from '#ldap';
import {
  type AuthnPolicy,
  builtInAuthnPolicy,
  builtInPasswordPolicy,
  type InForce,
  inForce,
  type Mode,
  type PasswordPolicy,
  readAuthnPolicy,
  readPasswordPolicy,
} from '#policy';
import type { WebRealm, WebRealms } from '#web';
import { errors } from './errors.ts';
import { nameOfSuffix, type Realm, realmAttributes, realmClass, realmOf } from './realm.ts';

/** The realms as the directory says they are at this moment. */
export interface Realms<Rows extends SettingRows> extends WebRealms {
  /** The realm whose domain it is (`associatedDomain`; of the default realm, what its suffix is made of). */
  ofDomain(domain: string): Promise<WebRealm | undefined>;
  /** As `find`, and the default realm under its own id. */
  now(realm: WebRealm): Promise<WebRealm | undefined>;
  /** The authentication policy in force in a realm: its own, or else the default realm's, or else what is built in: as the entries have it at this moment. */
  authnPolicy(realm: WebRealm): Promise<InForce<AuthnPolicy>>;
  /** The password policy in force in a realm, likewise: what people are told of before they choose one. The directory judges. */
  passwordPolicy(realm: WebRealm): Promise<InForce<PasswordPolicy>>;
  /** The settings in force in a realm, as it was last found. A realm that was not found yet has those of the service. */
  settingsOf(id: string): SettingValues<Rows>;
}

export interface RealmsOptions<Rows extends SettingRows> {
  readonly client: Pick<DirectoryClient, 'as'>;
  /** Of the default realm, as text. The other realms are entries below it. */
  readonly suffix: string;
  readonly rows: Rows;
  /** The service's settings, which are the default realm's. */
  readonly settings: SettingValues<Rows> & { readonly 'global.mode': Mode };
  readonly log: Pick<Log, 'warn'>;
  /** Takes what the service's settings are by now, where this process is not the one in which the directory is. */
  readonly stored?: { take(texts: readonly string[]): void };
  /** Moves with any change of what is read here, from when a search finds it. Where it is not known the directory is asked each time. */
  readonly governing?: () => number;
}

/** Entries that are remembered at most, those included that were asked for and are not there. */
const rememberedMax = 1000;

/** The default realm, as audit rows name it. */
export const standingId = 'default';

/**
 * Opens the realms. A realm is read when it is asked for: one that was made is there at once, and one that is being removed is known to be.
 * What its entry says is worked out again only when it says something else, and where the directory tells of changes it is read again only after one.
 */
export function openRealms<Rows extends SettingRows>({
  client,
  suffix,
  rows,
  settings,
  log,
  stored,
  governing,
}: RealmsOptions<Rows>): Realms<Rows> {
  const standing: WebRealm = {
    id: standingId,
    name: nameOfSuffix(suffix),
    suffix,
    mode: settings['global.mode'],
    prefix: '',
    removing: false,
  };
  // Never more than there were realms since the start: one that is asked for and not found is forgotten.
  const known = new Map<string, { readonly said: string; readonly realm: Realm<Rows> }>();

  const remembered = createBoundedMap<string, { readonly at: number; readonly entry: ClientEntry | undefined }>(rememberedMax);

  // From the suffix down, whose entry is always there: a search at a name that is not there is a refusal, recorded each time somebody mistypes.
  const read = async (base: string, dn: string, objectClass: string, attributes: readonly string[]) => {
    const filter = allOf(equals('entryDN', dn), equals('objectClass', objectClass));
    try {
      return (await client.as('self').search({ base, scope: 'sub', filter, attributes, sizeLimit: 1 })).entries[0];
    } catch (error) {
      // A realm may have lost all it had.
      if (error instanceof ClientRefusal && error.code === resultCodes.noSuchObject) return undefined;
      throw error;
    }
  };
  const entryOf = async (base: string, below: string, objectClass: string, attributes: readonly string[]) => {
    const dn = `${below},${base}`;
    // Before it is read: what changes while it is read makes it be read again.
    const at = governing?.();
    const known = remembered.get(dn);
    if (known !== undefined && known.at === at) return known.entry;
    const entry = await read(base, dn, objectClass, attributes);
    if (at !== undefined) remembered.set(dn, { at, entry });
    return entry;
  };
  const policyIn = async <T>({ id, suffix: own }: WebRealm, { below, objectClass, read, builtIn }: PolicyKind<T>): Promise<InForce<T>> => {
    const at = async (base: string) => {
      const entry = await entryOf(base, below, objectClass, ['*']);
      return entry && read((attribute) => entry.all(attribute));
    };
    const owned = await at(own);
    // The default realm follows nobody.
    const standings = owned !== undefined || id === standingId ? undefined : await at(suffix);
    return inForce(owned, standings, builtIn);
  };
  const find = async (id: string): Promise<WebRealm | undefined> => {
    const entry = id === standingId ? undefined : await entryOf(suffix, `cn=${id},ou=realms`, realmClass, realmAttributes);
    const said = JSON.stringify(realmAttributes.map((name) => entry?.all(name)));
    const before = known.get(id);
    if (before?.said === said) return before.realm.shown;
    const realm = entry && realmOf(id, entry, rows, settings);
    if (realm === undefined) {
      known.delete(id);
      return undefined;
    }
    known.set(id, { said, realm });
    for (const { name, why, isForDevelopment } of realm.faults) {
      const row = isForDevelopment === true ? errors.settingForDevelopmentIgnored : errors.settingIgnored;
      log.warn(row, `realm ${id}: ${name} ${why}`);
    }
    return realm.shown;
  };

  const ofDomain = async (domain: string): Promise<WebRealm | undefined> => {
    // RFC 1035 §2.3.4. A name that is none is nobody's, and asks for no search.
    if (!/^[a-z0-9.-]{1,253}$/i.test(domain)) return undefined;
    if (domain.toLowerCase() === standing.name.toLowerCase()) return standing;
    const filter = allOf(equals('objectClass', realmClass), equals('associatedDomain', domain));
    const search = { base: suffix, scope: 'sub', filter, attributes: ['stsRealmId'], sizeLimit: 2 } as const;
    const { entries } = await client.as('self').search(search);
    const id = entries.length === 1 ? entries[0]?.one('stsRealmId') : undefined;
    return id === undefined ? undefined : find(id);
  };
  const refresh = async () => {
    try {
      const entry = await entryOf(suffix, 'cn=settings', 'stsServiceSettings', ['stsSetting']);
      stored?.take(entry?.all('stsSetting') ?? []);
    } catch (error) {
      // A directory that cannot be asked is told of by whatever needs it: what was known stays.
      if (!(error instanceof Refusal) && !(error instanceof ClientRefusal)) throw error;
    }
  };

  return {
    standing,
    ...(stored === undefined ? {} : { refresh }),
    find,
    ofDomain,
    now: (realm) => (realm.id === standingId ? Promise.resolve(standing) : find(realm.id)),
    authnPolicy: (realm) => policyIn(realm, authnPolicies),
    passwordPolicy: (realm) => policyIn(realm, passwordPolicies),
    settingsOf: (id) => known.get(id)?.realm.settings ?? settings,
  };
}

/** A policy that a realm may have of its own: where its entry stands, and how it is read. */
interface PolicyKind<T> {
  readonly below: string;
  readonly objectClass: string;
  readonly read: (values: (attribute: string) => readonly string[]) => T;
  readonly builtIn: T;
}

const authnPolicies: PolicyKind<AuthnPolicy> = {
  below: 'cn=default,ou=authnPolicies',
  objectClass: 'stsAuthnPolicy',
  read: readAuthnPolicy,
  builtIn: builtInAuthnPolicy,
};

const passwordPolicies: PolicyKind<PasswordPolicy> = {
  below: 'cn=default,ou=passwordPolicies',
  objectClass: 'stsPasswordPolicy',
  read: (values) => readPasswordPolicy(values),
  builtIn: builtInPasswordPolicy,
};
