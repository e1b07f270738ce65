import { type Clock, text } from '#base';
import { type ErrorRow, refuse } from '#catalogue';
import {
  type Accepted,
  type Account,
  type Circumstances,
  credentialsErrors,
  judgeMatches,
  judgePassword,
  type Presented,
} from '#credentials';
import { type Bar, barOf, type Validity } from '#holdings';
import { decodeAttributes } from '#ldap';
import { protectsPasswords, verifiesPasswords } from '#policy';
import type { Snapshot, StoredEntry } from '#store';
import { askerOf } from './access/asker.ts';
import { originOf } from './access/standing.ts';
import { noteUse } from './app-password-use.ts';
import { appPasswordsIn, byWords, changedIds } from './app-passwords.ts';
import { isApplication } from './applications.ts';
import { attemptOf, counted, isLimited, type Tried } from './attempts.ts';
import type { Call } from './call.ts';
import { door } from './controls/door.ts';
import { circumstancesOf, needsSecondFactor } from './doors.ts';
import { hashCost } from './engine.ts';
import { entryValidity } from './entry-validity.ts';
import { errors } from './errors.ts';
import { admitByAge } from './password-age.ts';
import type { Realm } from './realm.ts';
import { attributesOf } from './record.ts';
import { renewHash } from './renewal.ts';
import type { Judged } from './settled.ts';
import type { Identity } from './types.ts';
import { passwordKey } from './write.ts';

export const anonymous: Identity = { dn: undefined, uuid: undefined, strength: 'anonymous' };

/** For the audit, beside the outcome of a bind. */
export interface Report {
  /** What was wrong with a stored hash. */
  fault(fault: ErrorRow): void;
  /** A hash of another system that one of ours has taken the place of. */
  renewed(entry: StoredEntry, scheme: string): void;
  /** With what, where it is not with the password of who it is. */
  by(words: string): void;
}

/** What an entry says about signing in as it at a moment. */
export function accountOf(entry: StoredEntry, nowMs: number): Account {
  const first = (part: Uint8Array, key: string) =>
    decodeAttributes(part).find(({ description }) => description.toLowerCase() === key)?.values[0];
  const hash = first(entry.secret, passwordKey);
  const reset = first(entry.operational, 'pwdreset');
  return {
    passwordHash: hash === undefined ? undefined : text(hash),
    bar: barOf(entryValidity(entry), nowMs),
    mustChange: reset !== undefined && text(reset) === 'TRUE',
  };
}

/**
 * Refuses whoever has come in as somebody whose account was disabled since, or whose time is over. The entry is looked up anew only when something that
 * governs others has changed, which what bars an account is.
 *
 * @throws Refusal `accountDisabled`, `accountOutOfTime` (53)
 */
export function refuseDisabled(identity: Identity, snapshot: Snapshot, clock: Clock): void {
  const bar = barOn(identity, snapshot, clock);
  if (bar !== undefined) throw refuse(bar === 'disabled' ? errors.accountDisabled : errors.accountOutOfTime);
}

function barOn(identity: Identity, snapshot: Snapshot, clock: Clock): Bar | undefined {
  if (identity.uuid === undefined) return undefined;
  let known = judged.get(identity);
  if (known === undefined || snapshot.governing > known.number || snapshot.number < known.number) {
    const entry = snapshot.byUuid(identity.uuid);
    known = { number: snapshot.number, validity: entry === undefined ? undefined : entryValidity(entry) };
    judged.set(identity, known);
  }
  const { validity } = known;
  if (validity === undefined) return undefined;
  // Few accounts begin or end at a time.
  const isTimed = validity.fromMs !== undefined || validity.untilMs !== undefined;
  return barOf(validity, isTimed ? clock.nowMs() : 0);
}

/** An identity is made at bind and lasts as long as it is bound. */
const judged = new WeakMap<Identity, { readonly number: number; readonly validity: Validity | undefined }>();

/** @throws Refusal `passwordUnprotected` (13): product mode, from beyond this machine, without TLS */
export function checkProtected({ connection }: Pick<Call, 'connection'>, { mode }: Pick<Realm, 'mode'>): void {
  if (protectsPasswords(mode) && !connection.secure && !connection.loopback) throw refuse(errors.passwordUnprotected);
}

/** Whether anybody may sign in as an entry from where the request comes: asked before it is known who they are. */
export function mayAuth(
  { engine, connection, controls }: Pick<Call, 'engine' | 'connection' | 'controls'>,
  snapshot: Snapshot,
  entry: StoredEntry,
): boolean {
  const outer = controls.of(door);
  const origin = outer === undefined ? connection : originOf(outer.address, outer.isProtected);
  return askerOf(engine, anonymous, origin, snapshot).rightsAt(entry, snapshot).mayAuth;
}

/** @throws Refusal `realmRemoving` (53): nobody signs in to it any more */
export function refuseRemoved(realm: Pick<Realm, 'state'> | undefined): void {
  if (realm?.state === 'removing') throw refuse(errors.realmRemoving);
}

/**
 * Who an entry and a password make.
 *
 * @param tried  the DN that is tried, whether anybody has it or not
 * @param realm  the one that owns the name that was presented, also where nobody has it: its mode and its settings count
 * @param entry  `undefined` for a name that nobody has: the work and the answer are those of a wrong password, and so they are where rules of access
 *               let nobody sign in as it
 * @throws Refusal `attemptsLimited` (53); of the judgement (49); `passwordExpired` (49); `hashQueueFull` (51)
 */
export async function identify(...given: Parameters<typeof judge>): Promise<Identity> {
  return (await judge(...given)).identity;
}

/** As `identify`, with what else was found out. `recalled` is absent for a password that is not known from memory the next time. */
export async function judge(
  call: Call,
  snapshot: Snapshot,
  { realm, dn: tried }: Tried & { readonly realm: Realm },
  entry: StoredEntry | undefined,
  password: Uint8Array,
  report: Report,
): Promise<Pick<Judged, 'identity' | 'attempt' | 'accepted'> & { readonly recalled: Judged['recalled'] | undefined }> {
  const { engine } = call;
  refuseRemoved(realm);
  const asked = circumstancesOf(call, realm);
  const isClient = entry !== undefined && isApplication(engine.schema, realm, entry);
  // What development mode believes of people, who try things out, it does not of applications: whoever names one could have its tokens.
  const circumstances = isClient ? { ...asked, mode: 'product' as const } : asked;
  // Counted with where it comes from: nobody keeps an application out by showing wrong secrets in its name.
  const dn = isClient ? `${tried} ${asked.address}` : tried;
  const account =
    entry === undefined || !mayAuth(call, snapshot, entry) ? undefined : signingIn(call, snapshot, realm, entry, circumstances);
  const presented: Presented = { ...circumstances, account, password };
  const { accepted, recalled } =
    (await knownRight(call, { realm, dn, uuid: entry?.uuid }, presented)) ??
    (await hashed(call, { realm, dn, uuid: entry?.uuid }, presented, report));
  if (accepted.by === 'appPassword') {
    report.by(byWords(accepted.used));
    const use = { id: accepted.used.id, atMs: circumstances.nowMs, door: circumstances.door, from: circumstances.address };
    if (entry !== undefined) await noteUse(engine, entry, use, realm.settings['appPasswords.lastUseGranularityS'] * 1000);
  } else if (accepted.renewed !== undefined && entry !== undefined && realm.settings['security.renewForeignHashes']) {
    const scheme = await renewHash(engine, entry, password, accepted.renewed);
    if (scheme !== undefined) report.renewed(entry, scheme);
  }
  // App passwords have times of their own.
  if (entry !== undefined && accepted.by !== 'appPassword') await admitByAge(call, realm, entry, circumstances.door);
  await engine.store.durable(snapshot.number);
  const identity = { dn: entry?.dn, uuid: entry?.uuid, strength: accepted.by, ...behind(engine, snapshot, entry, accepted) };
  return { identity, attempt: attemptOf(call, { realm, dn }), accepted, recalled };
}

/**
 * The app password by which somebody comes in, as it is at this moment: one that went meanwhile has ended the connections that it had, of which this one was none.
 *
 * @throws Refusal `passwordWrong` (49)
 */
function behind(
  engine: Call['engine'],
  judged: Snapshot,
  entry: StoredEntry | undefined,
  accepted: Accepted,
): Pick<Identity, 'appPassword'> {
  if (entry === undefined || accepted.by !== 'appPassword') return {};
  const { used } = accepted;
  const snapshot = engine.store.snapshot();
  if (snapshot.number !== judged.number) {
    const now = snapshot.byUuid(entry.uuid);
    const held = now === undefined ? [] : appPasswordsIn(attributesOf(engine.schema, now));
    if (changedIds([used], held).length > 0) throw refuse(credentialsErrors.passwordWrong);
  }
  const { id, expiresMs } = used;
  return { appPassword: { holder: entry.uuid, id, ...(expiresMs === undefined ? {} : { expiresMs }) } };
}

/** How a right password was found to be one. */
interface Found {
  readonly accepted: Accepted;
  readonly recalled: Judged['recalled'] | undefined;
}

/** With the entry that has the name, where one has it. */
interface TriedEntry extends Tried {
  readonly realm: Realm;
  readonly uuid: string | undefined;
}

/**
 * A password that was found right a short while ago, if it is let in as things are now. Whoever would be refused is not told so from memory, which would be
 * quicker than to hash: nothing is known of a refusal.
 */
async function knownRight(call: Call, tried: TriedEntry, presented: Presented): Promise<Found | undefined> {
  const { account, password, door: where, mode } = presented;
  const { uuid } = tried;
  if (account === undefined || uuid === undefined || where === 'browser' || !verifiesPasswords(mode)) return undefined;
  const recalled = call.engine.known.recall({ ...account, uuid }, password);
  const judgement = recalled && judgeMatches(presented, recalled);
  if (judgement?.kind !== 'accepted') return undefined;
  const limited = isLimited(call, tried);
  return (limited instanceof Promise ? await limited : limited) ? undefined : { accepted: judgement, recalled };
}

function hashed(call: Call, tried: TriedEntry, presented: Presented, report: Report): Promise<Found> {
  const { engine } = call;
  const { realm, uuid } = tried;
  return counted(call, tried, async () => {
    const { matches, ...judgement } = await judgePassword(engine.hasher, hashCost(realm), presented);
    if (judgement.kind === 'refused') {
      if (judgement.fault !== undefined) report.fault(judgement.fault);
      throw refuse(judgement.row);
    }
    const { account, password, door: where } = presented;
    if (account === undefined || uuid === undefined || where === 'browser') return { accepted: judgement, recalled: undefined };
    const untilMs = engine.known.keep({ ...account, uuid }, password, matches, realm.settings['security.verifiedBindsS'] * 1000);
    return { accepted: judgement, recalled: { untilMs } };
  });
}

/** What an entry says about signing in as it, with all that a password is judged by. */
export function signingIn(
  { engine }: Pick<Call, 'engine'>,
  snapshot: Snapshot,
  realm: Realm,
  entry: StoredEntry,
  circumstances: Circumstances,
): Account {
  return {
    ...accountOf(entry, circumstances.nowMs),
    appPasswords: entry.secret.length === 0 ? [] : appPasswordsIn(attributesOf(engine.schema, entry)),
    needsSecondFactor: needsSecondFactor(engine, snapshot, realm, entry, circumstances),
  };
}
