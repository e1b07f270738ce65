import { text, utf8, uuid4 } from '#base';
import { makeSigningKey, readSigningKey, type SigningAlgorithm, type SigningKey, signingAlgorithms } from '#keys';
import type { Change, Expectation, Snapshot, StoredEntry } from '#store';
import { generalizedTime } from '../csn.ts';
import type { Engine } from '../engine.ts';
import { changedEntry } from '../entry-change.ts';
import { privateKeyKey } from '../holders.ts';
import { importLive } from '../import/live.ts';
import { momentOf } from '../password-times.ts';
import { type Name, nameBelow, type Realm } from '../realm.ts';
import { type Attributes, attributesOf, recordOf, stampNew } from '../record.ts';
import { isOf, textsOf } from '../said.ts';
import { sealAll } from '../sealing.ts';
import { commit, type Decision } from '../write.ts';
import { type KeyState, keyStates } from './state.ts';

/**
 * Keys by which tokens of a realm are signed: entries below `ou=signingKeys`, made and rotated here. The private half is sealed as every sealed value, and
 * opened for the web layer alone. Of an algorithm one key is current, and the next is published before it signs, so that whoever keeps keys knows it in time.
 *
 * @see docs/decisions/0021-applications-and-keys.md
 */

/** A key as its entry has it. */
export interface KeptKey {
  readonly entry: StoredEntry;
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly state: KeyState;
  readonly publicJwk: string;
  /** As it is stored; a key that signs no more has none. */
  readonly sealed: Uint8Array | undefined;
  readonly untilMs: number | undefined;
  /** Of one that signs. */
  readonly sinceMs: number | undefined;
}

/** More entries than a realm ever has of its own making. */
const keysMax = 500;
const dayMs = 86_400_000;

/** The entry that a realm's keys stand below. */
export function keysPlace({ schema }: Pick<Engine, 'schema'>, { suffix }: Pick<Realm, 'suffix'>): Name {
  return nameBelow(schema, suffix, ['ou', 'signingKeys']);
}

/** The keys of a realm, the newest first. What is no key is left out. */
export function keysIn(engine: Engine, snapshot: Snapshot, realm: Realm): readonly KeptKey[] {
  const top = snapshot.byDnKey(keysPlace(engine, realm).key);
  if (top === undefined) return [];
  return snapshot
    .children(top.uuid, 0, keysMax)
    .flatMap((id) => keyOf(engine, snapshot.byId(id)) ?? [])
    .toReversed();
}

function keyOf({ schema }: Pick<Engine, 'schema'>, entry: StoredEntry | undefined): KeptKey | undefined {
  if (entry === undefined) return undefined;
  const attributes = attributesOf(schema, entry);
  if (!isOf(schema, attributes, 'stsSigningKey')) return undefined;
  const one = (key: string) => textsOf(attributes)(key)[0];
  const [kid, publicJwk] = [one('stskeyid'), one('stspublickey')];
  const algorithm = signingAlgorithms.find((each) => each === one('stskeyalgorithm'));
  const state = keyStates.find((each) => each === one('stskeystate')?.toLowerCase());
  if (kid === undefined || publicJwk === undefined || algorithm === undefined || state === undefined) return undefined;
  const moment = (key: string) => momentOf(attributes.get(key)?.values[0]);
  const sealed = attributes.get(privateKeyKey)?.values[0];
  return { entry, kid, algorithm, state, publicJwk, sealed, untilMs: moment('stskeyuntil'), sinceMs: moment('stskeysince') };
}

/** The private half; `undefined` for a key that has none any more, and where no key-encryption key at hand opens it. */
export function openedKey({ sealer }: Pick<Engine, 'sealer'>, { entry, sealed, algorithm }: KeptKey): string | undefined {
  const opened = sealed && sealer.open(entry.uuid, privateKeyKey, sealed);
  const jwk = opened && text(opened.value);
  return jwk === undefined ? undefined : readSigningKey(jwk, algorithm)?.privateJwk;
}

/**
 * Makes what a realm lacks of some algorithms: a current key and the next. Of two who need one at once, in whichever thread, one makes it.
 *
 * @returns the identifiers of what was made
 * @throws Refusal `kekMissing` (53) in a realm that is in product mode without a key-encryption key
 */
export async function makeMissing(engine: Engine, realm: Realm, algorithms: readonly SigningAlgorithm[]): Promise<readonly string[]> {
  const lacking = (snapshot: Snapshot) => {
    const keys = keysIn(engine, snapshot, realm);
    const has = (algorithm: SigningAlgorithm, state: KeyState) => keys.some((key) => key.algorithm === algorithm && key.state === state);
    return algorithms.flatMap((algorithm) =>
      (['current', 'next'] as const).flatMap((state) => (has(algorithm, state) ? [] : [{ algorithm, state }])),
    );
  };
  const wanted = lacking(engine.store.snapshot());
  if (wanted.length === 0) return [];
  await makePlace(engine, realm);
  // Made before it is decided who makes it: that takes long, and may be for nothing.
  const pairs = await Promise.all(wanted.map(async (each) => ({ ...each, key: await makeSigningKey(each.algorithm) })));
  let made: readonly string[] = [];
  await commit(engine, (look) => {
    const snapshot = look();
    const still = lacking(snapshot);
    const due = pairs.filter((pair) => still.some((each) => each.algorithm === pair.algorithm && each.state === pair.state));
    made = due.map(({ key }) => key.kid);
    return changesOf(engine, snapshot, realm, { made: due, moved: [] }, undefined);
  });
  return made;
}

export interface Rotation {
  /** All that there are, without one. */
  readonly algorithm?: SigningAlgorithm | undefined;
  /** What signed and what was to sign may be in other hands: it is taken back, and published no more. */
  readonly isEmergency: boolean;
  /** Who rotates; nobody, where the directory does so by itself. */
  readonly by: string | undefined;
}

export interface Rotated {
  readonly algorithm: SigningAlgorithm;
  /** What signs now. */
  readonly kid: string;
  readonly previous: string | undefined;
}

/**
 * Rotates the keys of a realm: the next one signs, the one that signed is published for `keys.signingPublishedDays`, and another next one is made.
 *
 * @throws Refusal `kekMissing` (53)
 */
export async function rotateKeys(engine: Engine, realm: Realm, { algorithm, isEmergency, by }: Rotation): Promise<readonly Rotated[]> {
  const before = keysIn(engine, engine.store.snapshot(), realm);
  const algorithms =
    algorithm === undefined ? signingAlgorithms.filter((each) => before.some((key) => key.algorithm === each)) : [algorithm];
  await makePlace(engine, realm);
  const pairs = await Promise.all(
    algorithms.map(async (each) => ({ algorithm: each, keys: [await makeSigningKey(each), await makeSigningKey(each)] as const })),
  );
  let rotated: Rotated[] = [];
  await commit(engine, (look) => {
    const snapshot = look();
    const keys = keysIn(engine, snapshot, realm);
    const nowMs = engine.clock.nowMs();
    const untilMs = nowMs + realm.settings['keys.signingPublishedDays'] * dayMs;
    const moved: Moved[] = [];
    const made: Made[] = [];
    rotated = [];
    for (const { algorithm: each, keys: fresh } of pairs) {
      const own = keys.filter((key) => key.algorithm === each);
      const [current, next] = (['current', 'next'] as const).map((state) => own.find((key) => key.state === state));
      const signs = isEmergency ? undefined : next;
      for (const key of own) {
        const isLive = key.state === 'current' || key.state === 'next';
        if (isEmergency && key.state !== 'revoked') moved.push({ key, state: 'revoked' });
        else if (!isEmergency && isLive) moved.push(key === signs ? { key, state: 'current' } : { key, state: 'previous', untilMs });
        else if (key.state === 'previous' && (key.untilMs ?? 0) <= nowMs) moved.push({ key, state: 'gone' });
      }
      if (signs === undefined) made.push({ key: fresh[0], state: 'current' });
      made.push({ key: fresh[1], state: 'next' });
      rotated.push({ algorithm: each, kid: signs?.kid ?? fresh[0].kid, previous: current?.kid });
    }
    return changesOf(engine, snapshot, realm, { made, moved }, by);
  });
  return rotated;
}

interface Made {
  readonly key: SigningKey;
  readonly state: 'current' | 'next';
}

/** `gone`: its entry is deleted. */
interface Moved {
  readonly key: KeptKey;
  readonly state: 'current' | 'previous' | 'revoked' | 'gone';
  readonly untilMs?: number;
}

/** One commit; the entry above goes with it, so that of two that were decided from the same state one is decided again. */
function changesOf(
  engine: Engine,
  snapshot: Snapshot,
  realm: Realm,
  { made, moved }: { readonly made: readonly Made[]; readonly moved: readonly Moved[] },
  by: string | undefined,
): Decision {
  const top = snapshot.byDnKey(keysPlace(engine, realm).key);
  if (top === undefined) throw new Error('the entry above the signing keys is gone');
  if (made.length === 0 && moved.length === 0) return { target: top.uuid, expected: [], changes: [] };
  const above = changedEntry(engine, snapshot, top, new Map(attributesOf(engine.schema, top)), { touched: none });
  const expected: Expectation[] = [...above.expected];
  const changes: Change[] = [...above.changes];
  for (const { key, state, untilMs } of moved) {
    if (state === 'gone') {
      expected.push({ kind: 'unchanged', uuid: key.entry.uuid, csn: key.entry.csn });
      changes.push({ kind: 'delete', uuid: key.entry.uuid, csn: engine.csn.next() });
      continue;
    }
    const decision = changedEntry(engine, snapshot, key.entry, movedAttributes(engine, key, state, untilMs), { by, touched: none });
    expected.push(...decision.expected);
    changes.push(...decision.changes);
  }
  for (const each of made) {
    const name = nameBelow(engine.schema, keysPlace(engine, realm), ['stsKeyId', each.key.kid]);
    expected.push({ kind: 'absent', dnKey: name.key });
    changes.push(newKey(engine, realm, top, name, each, by));
  }
  return { target: top.uuid, expected, changes };
}

const none: ReadonlySet<string> = new Set();

function movedAttributes({ schema, clock }: Engine, { entry }: KeptKey, state: string, untilMs: number | undefined): Attributes {
  const attributes = new Map(attributesOf(schema, entry));
  attributes.set('stskeystate', { description: 'stsKeyState', values: [utf8(state)] });
  if (untilMs !== undefined) attributes.set('stskeyuntil', { description: 'stsKeyUntil', values: [utf8(generalizedTime(untilMs))] });
  if (state === 'current') attributes.set('stskeysince', { description: 'stsKeySince', values: [utf8(generalizedTime(clock.nowMs()))] });
  // What signs no more needs no private half, and what nobody has nobody can take.
  if (state !== 'current') attributes.delete(privateKeyKey);
  return attributes;
}

function newKey(engine: Engine, realm: Realm, top: StoredEntry, name: Name, { key, state }: Made, by: string | undefined): Change {
  const { schema, chance, clock } = engine;
  const attributes: Attributes = new Map();
  const set = (description: string, ...values: string[]) =>
    attributes.set(description.toLowerCase(), { description, values: values.map(utf8) });
  set('objectClass', 'top', 'stsSigningKey');
  set('stsKeyId', key.kid);
  set('stsKeyAlgorithm', key.algorithm);
  set('stsKeyState', state);
  set('stsPublicKey', key.publicJwk);
  set('stsPrivateKey', key.privateJwk);
  if (state === 'current') set('stsKeySince', generalizedTime(clock.nowMs()));
  const uuid = uuid4(chance);
  const csn = engine.csn.next();
  stampNew(schema, attributes, uuid, { csn, nowMs: clock.nowMs(), by: by ?? '' });
  sealAll(engine, realm, uuid, attributes);
  return { kind: 'put', entry: recordOf(schema, { uuid, parent: top.uuid, name, csn }, attributes) };
}

/** Realms of before there were keys have no place for them. */
async function makePlace(engine: Engine, realm: Realm): Promise<void> {
  const place = keysPlace(engine, realm);
  if (engine.store.snapshot().byDnKey(place.key) !== undefined) return;
  const attributes = [
    { description: 'objectClass', values: ['top', 'organizationalUnit'].map(utf8) },
    { description: 'ou', values: [utf8('signingKeys')] },
    { description: 'description', values: [utf8('Keys by which tokens are signed; made and rotated by the directory')] },
  ];
  try {
    await importLive(engine, [{ kind: 'content', line: 0, dn: place.text, attributes }]);
  } catch (error) {
    // Somebody else has made it meanwhile.
    if (engine.store.snapshot().byDnKey(place.key) === undefined) throw error;
  }
}
