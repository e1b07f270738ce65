import { utf8 } from '#base';
import { allOf, anyOf, type ClientEntry, ClientRefusal, type DirectoryClient, equals, type Subject } from '#client';
import type { WebRealm } from '#web';

/** Somebody, or something, that may act for a person. */
export interface Party {
  readonly kind: 'person' | 'application';
  readonly entryUuid: string;
  /** As people call it. */
  readonly name: string;
  readonly userName?: string | undefined;
  readonly mail?: string | undefined;
  readonly description?: string | undefined;
}

type Acting = Exclude<Subject, 'self'>;

/** Who may act for a person, and how that is written: all of it in the person's own name, as far as the directory lets them see and do it. */
export interface Parties {
  /** The one of a typed name: a person by user name or mail, an application by its name. */
  find(realm: WebRealm, acting: Acting, typed: string): Promise<Party | 'none' | 'several'>;
  /** The one of an entryUUID; `undefined` when it is not there, or nobody who could act. */
  at(realm: WebRealm, acting: Acting, entryUuid: string): Promise<Party | undefined>;
  /** Writes it at the person's entry; false when the directory does not let them. */
  write(acting: Acting, party: Party | undefined): Promise<boolean>;
}

const attributes = ['objectClass', 'entryUUID', 'uid', 'cn', 'displayName', 'mail', 'description'];
/** With one name; where there are more it is nobody's. */
const candidatesMax = 16;
const isParty = anyOf(equals('objectClass', 'person'), equals('objectClass', 'stsApplication'));

/** Opens them on the way to the directory. */
export function openParties(client: Pick<DirectoryClient, 'as'>): Parties {
  const search = async ({ suffix: base }: WebRealm, acting: Acting, filter: ReturnType<typeof equals>): Promise<readonly Party[]> => {
    const { entries } = await client
      .as(acting)
      .search({ base, scope: 'sub', filter: allOf(isParty, filter), attributes, sizeLimit: candidatesMax });
    return entries.flatMap((entry) => partyOf(entry) ?? []);
  };
  return {
    find: async (realm, acting, typed) => {
      const isApplication = allOf(equals('objectClass', 'stsApplication'), equals('cn', typed));
      const found = await search(realm, acting, anyOf(equals('uid', typed), equals('mail', typed), isApplication));
      // A name is a user name before it is anything else.
      const named = found.filter(({ userName }) => userName?.toLowerCase() === typed.toLowerCase());
      const [party, ...others] = named.length > 0 ? named : found;
      if (party === undefined) return 'none';
      return others.length > 0 ? 'several' : party;
    },
    at: async (realm, acting, entryUuid) =>
      uuidForm.test(entryUuid) ? (await search(realm, acting, equals('entryUUID', entryUuid)))[0] : undefined,
    write: async (acting, party) => {
      const values = party === undefined ? [] : [utf8(party.entryUuid)];
      try {
        await client.as(acting).modify(acting.dn, [{ operation: 'replace', attribute: { description: 'stsDelegate', values } }]);
        return true;
      } catch (error) {
        if (error instanceof ClientRefusal) return false;
        throw error;
      }
    },
  };
}

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function partyOf(entry: ClientEntry): Party | undefined {
  const entryUuid = entry.one('entryUUID')?.toLowerCase();
  if (entryUuid === undefined) return undefined;
  const kind = entry.all('objectClass').some((name) => name.toLowerCase() === 'stsapplication') ? 'application' : 'person';
  const [userName, name] = [entry.all('uid')[0], entry.all('displayName')[0] ?? entry.all('cn')[0]];
  const mail = kind === 'person' ? entry.all('mail')[0] : undefined;
  const description = kind === 'application' ? entry.all('description')[0] : undefined;
  return { kind, entryUuid, name: name ?? userName ?? entry.dn, userName: kind === 'person' ? userName : undefined, mail, description };
}
