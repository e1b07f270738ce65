import { text, utf8 } from '#base';
import { type ErrorRow, refuse } from '#catalogue';
import { credentialsErrors, isAloneTooLittle } from '#credentials';
import { decodeBer, encodeBer, type Modification } from '#ldap';
import type { StoredEntry } from '#store';
import { askerOf } from '../access/asker.ts';
import type { Rights } from '../access/rights.ts';
import { accountOf, checkProtected, signingIn } from '../account.ts';
import { counted } from '../attempts.ts';
import type { Call } from '../call.ts';
import { circumstancesOf } from '../doors.ts';
import { type Engine, hashCost } from '../engine.ts';
import { errors } from '../errors.ts';
import { type Found, find } from '../lookup.ts';
import { entryOfId, realmOfId } from '../named.ts';
import { write } from '../operations/write.ts';
import { generatedPassword } from '../password-rules.ts';
import { hasExpired } from '../password-times.ts';
import type { Realm } from '../realm.ts';
import { attributesOf } from '../record.ts';
import { done } from '../result.ts';
import { passwordKey } from '../write.ts';
import type { ExtendedKind } from './kind.ts';

/** PasswdModifyRequestValue (RFC 3062 §2). */
interface PasswordRequest {
  readonly user: string | undefined;
  readonly old: Uint8Array | undefined;
  readonly fresh: Uint8Array | undefined;
}

const tags = { user: 0x80, old: 0x81, fresh: 0x82, generated: 0x80 } as const;

/**
 * Password Modify (RFC 3062): of whom one may write, and one's own for who brings the old one. Without a new one the directory makes one and
 * says it. What is stored comes about as by a modify, and is judged as there.
 */
export const passwordModify: ExtendedKind = {
  oid: '1.3.6.1.4.1.4203.1.11.1',
  name: 'Password Modify',
  async perform(call, value, tell) {
    const { engine, asker } = call;
    // As slapd: who is nobody has no password, and who knows one can bind.
    if (asker.identity.strength === 'anonymous') throw refuse(errors.passwordByNobody);
    const request = readRequest(value);
    const name = nameFor(call, request.user);
    const snapshot = engine.store.snapshot();
    const realm = realmOfId(engine, snapshot, name, 'dn');
    checkProtected(call, realm);
    const found = find(engine, asker, snapshot, name);
    const proved = await prove(call, realm, found, request.old);
    const generated = request.fresh === undefined ? generatedPassword(engine, engine.store.snapshot(), realm) : undefined;
    const fresh = request.fresh ?? utf8(generated ?? '');

    const change = (operation: 'add' | 'delete' | 'replace', description: string, ...values: Uint8Array[]): Modification => ({
      operation,
      attribute: { description, values },
    });
    // Named by its hash: a password that somebody else has set meanwhile is not the one that was proved.
    const setting =
      proved.hash === undefined
        ? [change('replace', 'userPassword', fresh)]
        : [change('delete', 'userPassword', proved.hash), change('add', 'userPassword', fresh)];
    // Who must change their password has done so with this, whatever gave them the right to; to take the mark away by itself takes more.
    const isOwn = asker.identity.uuid === found.entry.uuid;
    const isDue = isOwn && mustChange(engine, realm, found.entry);
    if (isDue && (await isSame(call, realm, found.entry, fresh))) throw refuse(errors.passwordSame);
    const changes = isDue ? [...setting, change('replace', 'pwdReset')] : setting;
    const permit = proved.byOwner || isDue ? () => undefined : undefined;
    await write(call, { kind: 'modifyRequest', object: found.entry.dn, changes }, permit);
    tell(`set the password of ${found.entry.dn}`);
    if (generated === undefined) return { kind: 'extendedResponse', result: done };
    const answer = encodeBer((ber) => ber.sequence(() => ber.string(generated, tags.generated)));
    return { kind: 'extendedResponse', result: done, value: answer };
  },
};

/** @throws Refusal `passwordMalformed` (2) */
function readRequest(value: Uint8Array | undefined): PasswordRequest {
  if (value === undefined) return { user: undefined, old: undefined, fresh: undefined };
  const request = decodeBer(value, (ber) =>
    ber.sequence(() => ({
      user: ber.tag === tags.user ? ber.string(tags.user) : undefined,
      old: ber.tag === tags.old ? ber.octets(tags.old) : undefined,
      fresh: ber.tag === tags.fresh ? ber.octets(tags.fresh) : undefined,
    })),
  );
  if (request === undefined) throw refuse(errors.passwordMalformed);
  return request;
}

/** The name of whose password it is: a DN, `dn:` and one, `u:` and a uid; one's own without any. @throws Refusal `entryAbsent` (32) */
function nameFor({ engine, asker }: Call, user: string | undefined): string {
  const own = asker.identity.dn;
  if (user === undefined || user === '') {
    if (own === undefined) throw refuse(errors.entryAbsent);
    return own;
  }
  if (!/^u:/i.test(user)) return user.replace(/^dn:/i, '');
  const snapshot = engine.store.snapshot();
  const entry = entryOfId(engine, snapshot, user);
  // Where a uid that one may not see stands is not told either.
  if (entry === undefined || !asker.rightsAt(entry, snapshot).visible) throw refuse(errors.entryAbsent);
  return entry.dn;
}

interface Proved {
  /** The stored hash of the password that was proved. */
  readonly hash: Uint8Array | undefined;
  /** True where nothing but the old password gives the right. */
  readonly byOwner: boolean;
}

/** @throws Refusal `passwordFixed` (50), `oldPasswordMissing` (50), `attemptsLimited` (53), `oldPasswordRefused` (53), `hashQueueFull` (51) */
async function prove(call: Call, realm: Realm, { entry, rights }: Found, old: Uint8Array | undefined): Promise<Proved> {
  const { engine } = call;
  const type = engine.schema.attributeType(passwordKey);
  const mayWrite = type !== undefined && rights.mayWrite(type);
  if (!mayWrite && !(type !== undefined && rightsOfProved(call, entry)?.mayWrite(type))) throw refuse(errors.passwordFixed);
  if (old === undefined) {
    if (!mayWrite) throw refuse(errors.oldPasswordMissing);
    return { hash: undefined, byOwner: false };
  }
  const hash = attributesOf(engine.schema, entry).get(passwordKey)?.values[0];
  const circumstances = circumstancesOf(call, realm);
  const account = signingIn(call, engine.store.snapshot(), realm, entry, circumstances);
  return await counted(call, { realm, dn: entry.dn }, async () => {
    const { matches } = await engine.hasher.verify(old, hash && text(hash), hashCost(realm));
    // Told like a wrong one: where nothing else can be asked for, nobody finds out whether it is right.
    if (matches && isAloneTooLittle(account, circumstances)) throw refuse(oldPasswordAlone);
    if (!matches || hash === undefined || (!mayWrite && account.bar !== undefined)) throw refuse(errors.oldPasswordRefused);
    return { hash, byOwner: !mayWrite };
  });
}

const { code, means } = credentialsErrors.passwordAlone;
const oldPasswordAlone: ErrorRow = { ...errors.oldPasswordRefused, code, means };
/** Asked after a pause: what was read of the directory before it is of the past. */
function mustChange(engine: Engine, realm: Realm, entry: StoredEntry): boolean {
  return accountOf(entry, engine.clock.nowMs()).mustChange || hasExpired(engine, engine.store.snapshot(), realm, entry);
}

/** Whether a password is the one that is stored: that is no change. */
async function isSame({ engine }: Call, realm: Realm, entry: StoredEntry, password: Uint8Array): Promise<boolean> {
  const hash = attributesOf(engine.schema, entry).get(passwordKey)?.values[0];
  return hash !== undefined && (await engine.hasher.verify(password, text(hash), hashCost(realm))).matches;
}

/** What one may do with their own entry once they have proved its password: for this request that is a session that has just begun. */
function rightsOfProved({ engine, asker, connection }: Call, entry: StoredEntry): Rights | undefined {
  const { identity } = asker;
  if (identity.uuid !== entry.uuid) return undefined;
  const session = { factors: 1, ...identity.session, authenticatedMs: engine.clock.nowMs() };
  const snapshot = engine.store.snapshot();
  return askerOf(engine, { ...identity, session }, connection, snapshot).rightsAt(entry, snapshot);
}
