import { drawTypable, printedInGroups, readNetwork, typedToken, utf8 } from '#base';
import { refuse } from '#catalogue';
import { appPasswordGroup, appPasswordLength, printStoredAppPassword, type StoredAppPassword, saltOf } from '#credentials';
import { appPasswordScopes } from '#holdings';
import { type BerReader, decodeBer, encodeBer } from '#ldap';
import type { Snapshot } from '#store';
import { checkProtected } from '../account.ts';
import { appPassword, appPasswordKey, appPasswordsIn, lastUseKey, setAppPasswords } from '../app-passwords.ts';
import type { Call } from '../call.ts';
import { holdsSecondFactor } from '../doors.ts';
import { hashCost } from '../engine.ts';
import { changedEntry } from '../entry-change.ts';
import { errors } from '../errors.ts';
import { checkRealm, type Found, findNamed } from '../lookup.ts';
import { nameOf, type Realm } from '../realm.ts';
import { realmOf } from '../realms.ts';
import { attributesOf } from '../record.ts';
import { done } from '../result.ts';
import { commit, writerName } from '../write.ts';
import type { ExtendedKind } from './kind.ts';

const arc = '2.25.83716444157178576224225129172109131643.6';
const tags = { expires: 0x80, networks: 0xa1, program: 0x82, id: 0x80 } as const;
const idOctets = 9;
const bounds = { name: 64, program: 64, networks: 16, scopes: 16 } as const;
/** How often the salt of a person's app passwords may be another by the time a hash is made. */
const saltsMax = 10;
const touched: ReadonlySet<string> = new Set([appPasswordKey, lastUseKey]);

interface Asked {
  readonly dn: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires: string | undefined;
  readonly networks: readonly string[] | undefined;
  readonly program: string | undefined;
}

/**
 * Makes an app password: the directory draws it, tells it once and keeps its hash. To do so is to write `stsAppPassword`, which nobody may in another way;
 * whoever holds a second factor has shown two in the session that asks for theirs.
 *
 * Request: SEQUENCE { dn OCTET STRING, name OCTET STRING, scopes SEQUENCE OF OCTET STRING, expires [0] OCTET STRING OPTIONAL (milliseconds since 1970, in
 * digits), networks [1] SEQUENCE OF OCTET STRING OPTIONAL, program [2] OCTET STRING OPTIONAL }. Answer: SEQUENCE { id OCTET STRING, value OCTET STRING }, the
 * value as it is printed.
 *
 * @throws Refusal `appPasswordMalformed` (2), `passwordUnprotected` (13), `accessDenied`, `appPasswordFactors` (50), `appPasswordsOff` (53),
 *                 `appPasswordUnfit` (19) for one too many, too, `hashQueueFull` (51)
 */
export const makeAppPassword: ExtendedKind = {
  oid: `${arc}.70`,
  name: 'make app password',
  async perform(call, value, tell, about) {
    const asked = value && decodeBer(value, readAsked);
    if (asked === undefined) throw refuse(errors.appPasswordMalformed);
    const { engine } = call;
    about({ action: 'ldap.appPassword', subject: asked.dn, what: 'make an app password' });
    const snapshot = engine.store.snapshot();
    checkRealm(call, nameOf(engine.schema, asked.dn));
    const { realm, found, stored } = writable(call, snapshot, asked.dn);
    checkProtected(call, realm);
    if (!realm.settings['appPasswords.enabled']) throw refuse(errors.appPasswordsOff);
    checkFactors(call, snapshot, realm, found);
    const nowMs = engine.clock.nowMs();
    const one = { ...fitting(asked, nowMs), id: typedToken(engine.chance, idOctets), addedMs: nowMs };
    checkRoom(realm, stored);

    const bare = drawTypable(engine.chance, appPasswordLength);
    await keep(call, asked.dn, one, utf8(bare));
    tell(`made the app password ${JSON.stringify(one.name)} of ${found.entry.dn} for ${one.scopes.join(', ')}`);
    const answer = encodeBer((ber) =>
      ber.sequence(() => {
        ber.string(one.id);
        ber.string(printedInGroups(bare, appPasswordGroup));
      }),
    );
    return { kind: 'extendedResponse', result: done, value: answer };
  },
};

/**
 * Revokes one app password, or all of a person. It takes the same right as to make one, and no second factor: nothing gets weaker by it.
 *
 * Request: SEQUENCE { dn OCTET STRING, id [0] OCTET STRING OPTIONAL }. Answer: SEQUENCE { count INTEGER }, how many are gone.
 *
 * @throws Refusal `appPasswordMalformed` (2), `accessDenied` (50), `appPasswordAbsent` (16)
 */
export const revokeAppPassword: ExtendedKind = {
  oid: `${arc}.71`,
  name: 'revoke app password',
  async perform(call, value, tell, about) {
    const asked =
      value && decodeBer(value, (ber) => ber.sequence(() => ({ dn: ber.string(), id: ber.more ? ber.string(tags.id) : undefined })));
    if (asked === undefined) throw refuse(errors.appPasswordMalformed);
    const { engine } = call;
    about({ action: 'ldap.appPassword', subject: asked.dn, what: 'revoke app passwords' });
    checkRealm(call, nameOf(engine.schema, asked.dn));
    const { found, stored } = writable(call, engine.store.snapshot(), asked.dn);
    const revoked = stored.filter(({ id }) => asked.id === undefined || id === asked.id);
    if (asked.id !== undefined && revoked.length === 0) throw refuse(errors.appPasswordAbsent, { dn: found.entry.dn });
    const isRevoked = ({ id }: StoredAppPassword) => revoked.some((each) => each.id === id);
    if (revoked.length > 0)
      await change(call, asked.dn, { change: 'revoke', ones: revoked }, ({ stored: now, found: { entry } }) => {
        if (!now.some(isRevoked)) throw refuse(errors.appPasswordAbsent, { dn: entry.dn });
        return now.filter((each) => !isRevoked(each));
      });
    const names = revoked.map(({ name }) => JSON.stringify(name)).join(', ');
    tell(
      revoked.length === 0 ? `no app password of ${found.entry.dn} to revoke` : `revoked of ${found.entry.dn} the app passwords ${names}`,
    );
    return { kind: 'extendedResponse', result: done, value: encodeBer((ber) => ber.sequence(() => ber.number(revoked.length))) };
  },
};

function readAsked(ber: BerReader): Asked {
  const list = (tag?: number) =>
    ber.sequence(() => {
      const texts: string[] = [];
      while (ber.more) texts.push(ber.string());
      return texts;
    }, tag);
  return ber.sequence(() => ({
    dn: ber.string(),
    name: ber.string(),
    scopes: list(),
    expires: ber.more && ber.tag === tags.expires ? ber.string(tags.expires) : undefined,
    networks: ber.more && ber.tag === tags.networks ? list(tags.networks) : undefined,
    program: ber.more ? ber.string(tags.program) : undefined,
  }));
}

/** What is asked for, in the form in which it is kept. @throws Refusal `appPasswordUnfit` (19) */
function fitting({ name, scopes, expires, networks, program }: Asked, nowMs: number): Omit<StoredAppPassword, 'id' | 'hash' | 'addedMs'> {
  const unfit = (why: string) => refuse(errors.appPasswordUnfit, { why });
  if (!isLine(name, bounds.name)) throw unfit(`its name is a line of 1 to ${bounds.name} characters`);
  const known = appPasswordScopes.filter((scope) => scopes.includes(scope));
  if (scopes.length === 0 || scopes.length > bounds.scopes || known.length < new Set(scopes).size)
    throw unfit(`its scopes are of ${appPasswordScopes.join(', ')}, at least one`);
  if (expires !== undefined && (!/^\d{1,15}$/.test(expires) || Number(expires) <= nowMs)) throw unfit('it would have expired already');
  if (program !== undefined && !isLine(program, bounds.program)) throw unfit(`its program is a line of 1 to ${bounds.program} characters`);
  if (networks !== undefined && (networks.length === 0 || networks.length > bounds.networks))
    throw unfit(`it may come from 1 to ${bounds.networks} networks, or from anywhere`);
  const wrong = networks?.find((each) => !('octets' in readNetwork(each)));
  if (wrong !== undefined)
    throw unfit(`${JSON.stringify(wrong.slice(0, bounds.name))} is neither an address nor a network such as 192.0.2.0/24`);
  return {
    name: name.trim(),
    scopes: known,
    ...(expires === undefined ? {} : { expiresMs: Number(expires) }),
    ...(networks === undefined ? {} : { networks }),
    ...(program === undefined ? {} : { program: program.trim() }),
  };
}

function isLine(text: string, most: number): boolean {
  return text.trim() !== '' && text.length <= most && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
}

/** @throws Refusal `appPasswordUnfit` (19) */
function checkRoom({ settings }: Realm, stored: readonly StoredAppPassword[]): void {
  const most = settings['appPasswords.maxPerPerson'];
  if (stored.length >= most)
    throw refuse(errors.appPasswordUnfit, { why: `a person may have ${most}; revoke one that is not needed any more` });
}

/** Of one's own: with a password alone that somebody else knows, too, they would make one that works on when it is changed. */
function checkFactors({ engine, asker }: Call, snapshot: Snapshot, realm: Realm, { entry, rights }: Found): void {
  const { uuid, session } = asker.identity;
  const isManaged = uuid !== entry.uuid || (session === undefined && rights.mayManage);
  if (isManaged || (session?.factors ?? 1) >= 2) return;
  if (holdsSecondFactor(engine, snapshot, realm, entry)) throw refuse(errors.appPasswordFactors);
}

interface Writable {
  readonly realm: Realm;
  readonly found: Found;
  readonly stored: readonly StoredAppPassword[];
}

/** @throws Refusal `entryAbsent` (32), `accessDenied` (50) */
function writable({ engine, asker, controls }: Call, snapshot: Snapshot, dn: string): Writable {
  const found = findNamed(engine, asker, snapshot, nameOf(engine.schema, dn), { controls, changes: true });
  const type = engine.schema.attributeType(appPassword);
  if (type === undefined) throw new Error(`no schema defines ${appPassword}`);
  if (!found.rights.mayWrite(type)) throw refuse(errors.accessDenied, { why: `${appPassword} may not be changed` });
  const realm = realmOf(engine, snapshot, found.entry.dnKey) ?? engine.realms.default;
  return { realm, found, stored: appPasswordsIn(attributesOf(engine.schema, found.entry)) };
}

class SaltChanged extends Error {}

/** Hashes with the salt that all of a person have. When that is another by the time the hash is made, it is made again. */
async function keep(call: Call, dn: string, one: Omit<StoredAppPassword, 'hash'>, secret: Uint8Array): Promise<void> {
  const { engine } = call;
  for (let tries = 1; ; tries++) {
    const { realm, stored } = writable(call, engine.store.snapshot(), dn);
    const hash = await engine.hasher.hashInto(
      secret,
      stored.map((each) => each.hash),
      hashCost(realm),
    );
    try {
      await change(call, dn, { change: 'create', ones: [one] }, (now) => {
        checkRoom(now.realm, now.stored);
        if (now.stored.some((each) => saltOf(each.hash) !== saltOf(hash))) throw new SaltChanged();
        return [...now.stored, { ...one, hash }];
      });
      return;
    } catch (error) {
      if (!(error instanceof SaltChanged)) throw error;
      if (tries >= saltsMax) throw refuse(errors.contended);
    }
  }
}

interface Told {
  readonly change: 'create' | 'revoke';
  readonly ones: readonly Pick<StoredAppPassword, 'id' | 'name'>[];
}

/** Others are told first, and what did not come about is taken back: a service that is killed in between may have told of nothing, and kept nothing to itself. */
async function change(call: Call, dn: string, told: Told, decide: (now: Writable) => readonly StoredAppPassword[]): Promise<void> {
  const { engine, asker } = call;
  const { realm, found } = writable(call, engine.store.snapshot(), dn);
  const by = asker.identity.uuid === found.entry.uuid ? 'user' : 'admin';
  const handles: string[] = [];
  try {
    for (const { id, name } of told.ones) {
      const detail = { credential_type: 'app-password', change_type: told.change, friendly_name: name, id, initiating_entity: by };
      const event = { realm: realm.id, kind: 'credential-change', subject: found.entry.uuid, detail, atMs: engine.clock.nowMs() } as const;
      handles.push(await engine.outbox.put(event));
    }
    await commit(engine, (look) => {
      const snapshot = look();
      const now = writable(call, snapshot, dn);
      const attributes = new Map(attributesOf(engine.schema, now.found.entry));
      setAppPasswords(attributes, decide(now), printStoredAppPassword);
      return changedEntry(engine, snapshot, now.found.entry, attributes, { touched, by: writerName(engine, asker.identity) });
    });
  } catch (error) {
    await Promise.allSettled(handles.map((handle) => engine.outbox.takeBack(realm.id, handle)));
    throw error;
  }
}
