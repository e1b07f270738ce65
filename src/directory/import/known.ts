import { equalBytes, text, utf8 } from '#base';
import { refuse } from '#catalogue';
import { encodeAttributes, type LdifContent } from '#ldap';
import type { Load } from '#store';
import type { EngineSettings } from '../engine.ts';
import { errors } from '../errors.ts';
import type { Name } from '../realm.ts';
import { frameRecords, type RealmSeed } from '../realm-entries/frame.ts';
import { judgeNewRealm, type NewRealm, type RealmRules, saidBy } from '../realm-entries/judge.ts';
import { type Realms, realmClass, withRealm } from '../realms.ts';
import type { Attributes } from '../record.ts';

/** What an import makes realms by; without it it makes none. */
export interface RealmMaking {
  readonly rules: RealmRules;
  readonly seed: RealmSeed;
}

/** The realms that an import knows: those that are there, and those whose entries it has met. */
export interface KnownRealms {
  readonly realms: Realms;
  isSuffix(key: Uint8Array): boolean;
  /** Looks whether an entry is that of a realm, which there is from then on. @throws Refusal as `judgeNewRealm` */
  meet(name: Name, attributes: Attributes): void;
  /** What realms begin with whose suffixes the import did not bring. */
  frames(isThere: (dnKey: Uint8Array) => boolean): readonly LdifContent[];
}

interface Desk {
  readonly realms: Realms;
  readonly settings: EngineSettings;
  readonly making?: RealmMaking;
}

export function createKnownRealms({ realms: there, settings, making }: Desk, existing: Load['existing']): KnownRealms {
  let realms = there;
  let suffixes = realms.all.map(({ suffix }) => suffix.key);
  const made: NewRealm[] = [];
  const isOne = (values: readonly Uint8Array[]) => values.some((value) => (text(value) ?? '').toLowerCase() === realmClass.toLowerCase());
  return {
    get realms() {
      return realms;
    },
    isSuffix: (key) => suffixes.some((suffix) => suffix.length === key.length && equalBytes(suffix, key)),
    meet(name, attributes) {
      if (!attributes.has('stsrealmid') || !isOne(attributes.get('objectclass')?.values ?? [])) return;
      if (making === undefined) throw refuse(errors.realmMisplaced, { registry: '(no realm is made here)' });
      const said = saidBy(name.dn, name.key, attributes);
      const fresh = judgeNewRealm(making.rules, realms, said, (key) => existing.uuidAt(key) !== undefined);
      if (!attributes.has('stsrealmstate')) attributes.set('stsrealmstate', { description: 'stsRealmState', values: [utf8('active')] });
      const entry = { uuid: '', dn: name.text, dnKey: name.key, user: encodeAttributes([...attributes.values()]) };
      realms = withRealm(realms, making.rules, entry);
      suffixes = realms.all.map(({ suffix }) => suffix.key);
      made.push(fresh);
    },
    frames: (isThere) =>
      made.flatMap((realm) =>
        making === undefined || isThere(realm.suffix.key)
          ? []
          : frameRecords({ schema: making.rules.schema, settings }, making.seed, realm),
      ),
  };
}
