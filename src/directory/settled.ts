import { createBoundedMap } from '#base';
import type { Accepted, Recalled } from '#credentials';
import { keyedMac } from '#keys';
import type { AttemptBy } from '#state';
import type { Snapshot, StoredEntry } from '#store';
import { byWords, lastUsesIn } from './app-passwords.ts';
import type { Call } from './call.ts';
import type { Engine, EngineSettings } from './engine.ts';
import { entryValidity } from './entry-validity.ts';
import { passwordExpiryIn } from './password-times.ts';
import type { Realm } from './realm.ts';
import { attributesOf } from './record.ts';
import type { Connection, Identity } from './types.ts';

/**
 * Binds that were judged and let in a short while ago, with all that the judgement rests on. As long as none of that is another, the next bind with the same
 * name and password from the same place is let in without being judged anew. Nothing is known of a refusal.
 *
 * @see docs/decisions/0025-settled-binds.md
 */
export interface SettledBinds {
  /** The bind as it was let in, if it would be again at this moment. The limits of failed attempts are the caller's to ask. */
  find(engine: Engine, snapshot: Snapshot, connection: Connection, name: string, password: Uint8Array): SettledBind | undefined;
  keep(call: Call, name: string, password: Uint8Array, judged: Judged): void;
}

export interface SettledBind {
  readonly identity: Identity;
  /** For the limits. */
  readonly attempt: AttemptBy;
  /** Tells the audit trail that it happened again. */
  readonly again: (correlationId: string) => void;
}

/** A bind that was let in. */
export interface Judged {
  readonly identity: Identity;
  readonly attempt: AttemptBy;
  readonly realm: Realm;
  /** The state of the store that it was judged in, and what there was of the entry. */
  readonly snapshot: Pick<Snapshot, 'number'>;
  readonly entry: StoredEntry;
  readonly version: number;
  readonly accepted: Accepted;
  readonly recalled: Pick<Recalled, 'untilMs'>;
}

interface Kept extends SettledBind {
  readonly mac: string;
  readonly engine: Engine;
  readonly realm: Realm;
  readonly conditions: Conditions;
  readonly id: number;
  readonly version: number;
  /** The newest state of the store of which it is known that all stood as it was judged. */
  number: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** @param key  of this process and this start alone */
export function createSettledBinds(key: Uint8Array, max: number): SettledBinds {
  // By a number, not by the text: V8 would look each text up among all of its names first. Of two with the same number the later one stays.
  const kept = createBoundedMap<number, Kept>(Math.max(2, max));
  const mac = keyedMac(key);
  // Texts of a connection hold no NUL, and the password stands last.
  const macOf = ({ door, address, secure, loopback }: Connection, name: string, password: Uint8Array) =>
    mac(`${door}\0${address}\0${secure}\0${loopback}\0${name.length}\0${name}\0`, password);
  return {
    find(engine, snapshot, connection, name, password) {
      if (kept.size === 0) return undefined;
      const own = macOf(connection, name, password);
      const found = kept.get(numberOf(own));
      if (found === undefined || found.mac !== own || found.engine !== engine) return undefined;
      const nowMs = engine.clock.nowMs();
      if (nowMs < found.fromMs || nowMs >= found.untilMs) return undefined;
      if (!areEqual(found.conditions, found.realm.settings)) return undefined;
      return stands(found, snapshot) ? found : undefined;
    },
    keep(call, name, password, judged) {
      const { engine, connection } = call;
      const { identity, attempt, realm, snapshot, entry, version } = judged;
      const untilMs = endOf(engine, judged);
      const fromMs = engine.clock.nowMs();
      if (max === 0 || untilMs <= fromMs || snapshot.number < 0) return;
      const { again } = engine.repeats.of({
        realm: realm.id,
        door: connection.door,
        subject: name,
        action: 'ldap.bind',
        outcome: 'success',
        summary: `bind as ${name}${judged.accepted.by === 'appPassword' ? ` ${byWords(judged.accepted.used)}` : ''}`,
        correlationId: '',
        address: connection.address,
      });
      const conditions = conditionsOf(realm.settings);
      const own = macOf(connection, name, password);
      kept.set(numberOf(own), {
        mac: own,
        ...{ identity, attempt, again, engine, realm, conditions, version, fromMs, untilMs },
        id: entry.id,
        number: snapshot.number,
      });
    },
  };
}

/** The first 30 bits: a number that needs no object. */
function numberOf(mac: string): number {
  return mac.charCodeAt(0) | (mac.charCodeAt(1) << 8) | (mac.charCodeAt(2) << 16) | ((mac.charCodeAt(3) & 0x3f) << 24);
}

/** Whether all in the store is as it was: the entry, and whatever governs others (rules, groups, policies, realms, the end of an entry). */
function stands(found: Kept, snapshot: Snapshot): boolean {
  if (snapshot.number === found.number) return true;
  if (snapshot.governing > found.number || snapshot.number < found.number) return false;
  if (snapshot.readable(found.id)?.version !== found.version) return false;
  found.number = snapshot.number;
  return true;
}

/** Settings that may change while the service runs, and that a bind was judged by. */
type Conditions = Pick<
  EngineSettings,
  'global.mode' | 'authn.passwordAloneDoors' | 'ldap.anonymousRead' | 'security.verifiedBindsS' | 'appPasswords.lastUseGranularityS'
>;

function conditionsOf(settings: EngineSettings): Conditions {
  return {
    'global.mode': settings['global.mode'],
    'authn.passwordAloneDoors': settings['authn.passwordAloneDoors'],
    'ldap.anonymousRead': settings['ldap.anonymousRead'],
    'security.verifiedBindsS': settings['security.verifiedBindsS'],
    'appPasswords.lastUseGranularityS': settings['appPasswords.lastUseGranularityS'],
  };
}

function areEqual(were: Conditions, are: Conditions): boolean {
  return (
    were['global.mode'] === are['global.mode'] &&
    were['authn.passwordAloneDoors'] === are['authn.passwordAloneDoors'] &&
    were['ldap.anonymousRead'] === are['ldap.anonymousRead'] &&
    were['security.verifiedBindsS'] === are['security.verifiedBindsS'] &&
    were['appPasswords.lastUseGranularityS'] === are['appPasswords.lastUseGranularityS']
  );
}

/** Until when it would be judged the same if nothing but the time passed. */
function endOf(engine: Engine, { realm, entry, accepted, recalled }: Judged): number {
  const { untilMs = Number.POSITIVE_INFINITY } = entryValidity(entry);
  const end = Math.min(recalled.untilMs, untilMs);
  if (accepted.by === 'ownPassword') {
    // One that has expired may be let in a few times more, each of which is counted.
    const expiresMs = passwordExpiryIn(engine, engine.store.snapshot(), realm, entry);
    return Math.min(end, expiresMs ?? Number.POSITIVE_INFINITY);
  }
  const { id, expiresMs = Number.POSITIVE_INFINITY } = accepted.used;
  const use = lastUsesIn(attributesOf(engine.schema, entry)).find((each) => each.id === id);
  // Its last use is to be written down then.
  const notedUntilMs = use === undefined ? 0 : use.atMs + realm.settings['appPasswords.lastUseGranularityS'] * 1000;
  return Math.min(end, expiresMs, notedUntilMs);
}
