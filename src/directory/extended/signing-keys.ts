import { refuse } from '#catalogue';
import { type SigningAlgorithm, signingAlgorithms } from '#keys';
import { type BerReader, decodeBer, encodeBer } from '#ldap';
import { refuseRemoved } from '../account.ts';
import type { Call } from '../call.ts';
import { errors } from '../errors.ts';
import { nameOf, type Realm } from '../realm.ts';
import { realmOf } from '../realms.ts';
import { done } from '../result.ts';
import { keysIn, makeMissing, openedKey, rotateKeys } from '../signing/keys.ts';
import { writerName } from '../write.ts';
import type { ExtendedKind } from './kind.ts';

const tags = { private: 0x80, until: 0x81, algorithm: 0x80, emergency: 0x81, previous: 0x80 } as const;
const dayMs = 86_400_000;
/** What confirms an emergency rotation. */
const emergencyWord = 'compromised';

/**
 * Opens the keys by which tokens of a realm are signed, and makes what it lacks of the algorithms that are asked for. On the web layer's socket alone: what it
 * answers is the one secret of the directory that ever leaves it, since the web layer signs.
 *
 * Request: SEQUENCE { suffix OCTET STRING, SEQUENCE OF algorithm OCTET STRING }. Answer: SEQUENCE OF SEQUENCE { kid, algorithm, state, public OCTET STRING,
 * private [0] OCTET STRING OPTIONAL, until [1] OCTET STRING OPTIONAL (milliseconds since 1970, in digits) }, the newest first. Both halves are JSON (RFC 7517).
 * A key that signs whose private half is absent does not open under the key-encryption keys at hand.
 *
 * @throws Refusal `keysMalformed` (2), `entryAbsent` (32) for what is no realm, `realmRemoving` (53), `kekMissing` (53)
 */
export const openSigningKeys: ExtendedKind = {
  oid: '2.25.83716444157178576224225129172109131643.6.100',
  name: 'open signing keys',
  offered: ({ trusted }) => trusted,
  async perform(call, value, tell, about) {
    const asked = value && decodeBer(value, (ber) => ber.sequence(() => ({ suffix: ber.string(), algorithms: algorithmsIn(ber) })));
    if (asked === undefined) throw refuse(errors.keysMalformed);
    const { engine } = call;
    about({ action: 'keys.open', subject: asked.suffix, what: `signing keys of ${asked.suffix}` });
    const realm = realmNamed(call, asked.suffix);
    const made = await makeMissing(engine, realm, asked.algorithms);
    if (made.length > 0) tell(`made the signing keys ${made.join(', ')} of ${asked.suffix}`);
    const due = dueOf(call, realm);
    for (const algorithm of due) await rotateKeys(engine, realm, { algorithm, isEmergency: false, by: undefined });
    if (due.length > 0) tell(`rotated the signing keys of ${asked.suffix} by their age: ${due.join(', ')}`);
    const keys = keysIn(engine, engine.store.snapshot(), realm);
    const answer = encodeBer((ber) =>
      ber.sequence(() => {
        for (const key of keys) {
          const jwk = openedKey(engine, key);
          ber.sequence(() => {
            for (const each of [key.kid, key.algorithm, key.state, key.publicJwk]) ber.string(each);
            if (jwk !== undefined) ber.string(jwk, tags.private);
            if (key.untilMs !== undefined) ber.string(String(key.untilMs), tags.until);
          });
        }
      }),
    );
    return { kind: 'extendedResponse', result: done, value: answer };
  },
};

/**
 * Rotates the keys by which tokens of a realm are signed, for who manages it: the next one signs from now on, and the one that signed is published for
 * `keys.signingPublishedDays`. In an emergency the keys may be in other hands: what was made so far is taken back, and what it has signed is worth nothing.
 *
 * Request: SEQUENCE { suffix OCTET STRING, algorithm [0] OCTET STRING OPTIONAL, emergency [1] OCTET STRING OPTIONAL (`compromised`) }; without an algorithm all
 * that the realm has. Answer: SEQUENCE OF SEQUENCE { algorithm, kid OCTET STRING, previous [0] OCTET STRING OPTIONAL }: what signs now, and what did.
 *
 * @throws Refusal `keysMalformed` (2), `accessDenied` (50), `entryAbsent` (32) for what is no realm, `emergencyUnconfirmed` (53), `kekMissing` (53)
 */
export const rotateSigningKeys: ExtendedKind = {
  oid: '2.25.83716444157178576224225129172109131643.6.101',
  name: 'rotate signing keys',
  async perform(call, value, tell, about) {
    const asked =
      value &&
      decodeBer(value, (ber) =>
        ber.sequence(() => ({
          suffix: ber.string(),
          algorithm: ber.tag === tags.algorithm ? algorithmOf(ber.string(tags.algorithm)) : undefined,
          emergency: ber.tag === tags.emergency ? ber.string(tags.emergency) : undefined,
        })),
      );
    if (asked === undefined) throw refuse(errors.keysMalformed);
    const { suffix, algorithm, emergency } = asked;
    const { engine, asker } = call;
    about({
      action: 'keys.rotate',
      subject: suffix,
      what: `${emergency === undefined ? '' : 'emergency '}rotation of the signing keys of ${suffix}`,
    });
    const name = nameOf(engine.schema, suffix);
    if (!asker.rightsOnName(name.key, engine.store.snapshot()).mayManage)
      throw refuse(errors.accessDenied, { why: 'signing keys are rotated by who manages the realm' });
    if (emergency !== undefined && emergency !== emergencyWord) throw refuse(errors.emergencyUnconfirmed);
    const realm = realmNamed(call, suffix);
    const isEmergency = emergency !== undefined;
    const rotated = await rotateKeys(engine, realm, { algorithm, isEmergency, by: writerName(engine, asker.identity) });
    const words = rotated.map(
      (each) => `${each.algorithm} by ${each.kid}${each.previous === undefined ? '' : `, no more by ${each.previous}`}`,
    );
    tell(`${isEmergency ? 'in an emergency ' : ''}rotated the signing keys of ${suffix}: ${words.join('; ') || 'there are none'}`);
    const answer = encodeBer((ber) =>
      ber.sequence(() => {
        for (const each of rotated) {
          ber.sequence(() => {
            ber.string(each.algorithm);
            ber.string(each.kid);
            if (each.previous !== undefined) ber.string(each.previous, tags.previous);
          });
        }
      }),
    );
    return { kind: 'extendedResponse', result: done, value: answer };
  },
};

function algorithmsIn(ber: BerReader): readonly SigningAlgorithm[] {
  return ber.sequence(() => {
    const algorithms = new Set<SigningAlgorithm>();
    while (ber.more) algorithms.add(algorithmOf(ber.string()));
    return [...algorithms];
  });
}

/** @throws Refusal `keysMalformed` (2) */
function algorithmOf(word: string): SigningAlgorithm {
  const algorithm = signingAlgorithms.find((each) => each === word);
  if (algorithm === undefined) throw refuse(errors.keysMalformed);
  return algorithm;
}

/** The realm of a suffix, and of no name below it. */
function realmNamed({ engine }: Call, suffix: string): Realm {
  const { key } = nameOf(engine.schema, suffix);
  const realm = realmOf(engine, engine.store.snapshot(), key);
  if (realm === undefined || realm.suffix.key.length !== key.length) throw refuse(errors.entryAbsent);
  refuseRemoved(realm);
  return realm;
}

/** Algorithms whose key has signed for long enough, and can be rotated: the next one has been published by then. */
function dueOf({ engine }: Call, realm: Realm): readonly SigningAlgorithm[] {
  const days = realm.settings['keys.signingMaxAgeDays'];
  const nowMs = engine.clock.nowMs();
  if (days === 0) return [];
  return keysIn(engine, engine.store.snapshot(), realm).flatMap(({ state, sinceMs, algorithm }) =>
    state === 'current' && sinceMs !== undefined && nowMs - sinceMs >= days * dayMs ? [algorithm] : [],
  );
}
