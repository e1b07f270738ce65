import { refuse } from '#catalogue';
import { isStoredPassword, storedPassword } from '#credentials';
import { type AttributeType, checkUserModifiable, describe } from '#schema';
import type { Change, CommitResult, Expectation, Snapshot, StoredEntry } from '#store';
import type { Call } from './call.ts';
import { type Engine, hashCost } from './engine.ts';
import { errors } from './errors.ts';
import { withUniqueness } from './relations/unique.ts';
import type { Identity } from './types.ts';
import { type Verifiers, verifiersOf } from './verifiers.ts';

/** How often a write is decided anew when others changed what it had read. */
const attemptsMax = 200;

/** What a write wants of the store. */
export interface Decision {
  readonly expected: readonly Expectation[];
  readonly changes: readonly Change[];
  /** The one entry that is changed, as it was read. */
  readonly before?: StoredEntry;
  /** Octets that the entry of an `amend` has besides. */
  readonly listedOctets?: number;
}

/**
 * Reads, decides, commits; and again from the start when the commit finds that what was read is no longer so. Resolves when it is on disk.
 *
 * Those who change the same entry at the same time do it one behind the other: were each to try until it wins, all but one would try in vain each time.
 *
 * @throws Refusal of `decide`; `contended` (LDAP busy) when others are always faster, `entryTooLarge` (LDAP adminLimitExceeded)
 */
export async function commit(engine: Engine, decide: (snapshot: Snapshot) => Decision): Promise<void> {
  const { lines } = engine;
  const decision = decided(engine, decide);
  const entry = changedBy(decision);
  if (entry === undefined || !lines.isBusy(entry)) {
    const { kind } = await submit(engine, decision);
    if (kind === 'committed') return;
  }
  if (entry === undefined) await commitAnew(engine, decide);
  else await lines.wait(entry, () => commitAnew(engine, decide));
}

async function commitAnew(engine: Engine, decide: (snapshot: Snapshot) => Decision): Promise<void> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const { kind } = await submit(engine, decided(engine, decide));
    if (kind === 'committed') return;
  }
  throw refuse(errors.contended);
}

/**
 * Hands a decision to the store, if the schema that it was made by is in force: one that is about to change is waited for.
 *
 * @throws Refusal `schemaMoved` (51), upon which a request is done again from its beginning
 */
export function submit({ live, schema, store }: Engine, { expected, changes }: Decision): Promise<CommitResult> {
  if (live.isOpen(schema)) return store.commit(expected, changes);
  return live.opened().then(() => {
    if (!live.isOpen(schema)) throw refuse(errors.schemaMoved);
    return store.commit(expected, changes);
  });
}

/** Decides, and holds every entry to its limit: step by step, somebody could else make one of any size. */
function decided(engine: Engine, decide: (snapshot: Snapshot) => Decision): Decision {
  const { store, settings } = engine;
  const snapshot = store.snapshot();
  const decision = withUniqueness(engine, snapshot, decide(snapshot));
  for (const change of decision.changes) {
    if (change.kind === 'delete') continue;
    const { user, operational, secret } = change.entry;
    const listed = decision.listedOctets ?? 0;
    if (user.length + operational.length + secret.length + listed > settings['ldap.entryOctetsMax']) throw refuse(errors.entryTooLarge);
  }
  return decision;
}

/** The entry that a write found and changes; nothing for one that makes entries: it shares their superior with others, and disturbs nobody. */
function changedBy({ expected, changes }: Decision): string | undefined {
  const [change] = changes;
  const uuid = change?.kind === 'delete' ? change.uuid : change?.entry.uuid;
  return expected.some((each) => each.kind === 'unchanged' && each.uuid === uuid) ? uuid : undefined;
}

/** Whom a change is put down to: `creatorsName` and `modifiersName`. */
export function writerName(engine: Pick<Engine, 'realm'>, identity: Identity): string {
  if (identity.dn !== undefined) return identity.dn;
  // The operators' socket acts as the service's owner: the built-in administrator is who the directory knows for that.
  return identity.strength === 'operatorsSocket' ? engine.realm.administrator.text : '';
}

/**
 * Whether clients may set values of a type.
 *
 * @throws Refusal for types that only the directory writes (19), and for sealed ones, which cannot be sealed yet and are never stored open
 */
export function checkSettable(type: AttributeType): void {
  checkUserModifiable(type);
  if (type.sealed) throw refuse(errors.valueRefused, { attribute: type.name, why: 'sealed attributes cannot be written in this version' });
}

/** The attribute whose values are kept as hashes. */
export const passwordKey = 'userpassword';

/** Passwords that a request brings, made ready to be stored before the write is decided: hashing takes long and must not hold a snapshot. */
export interface Prepared {
  /** What is stored of each value. */
  readonly stored: ReadonlyMap<Uint8Array, Uint8Array>;
  readonly verifiers: Verifiers;
}

/** @throws Refusal `hashNotAccepted` (19), `hashQueueFull` (51) */
export async function preparePasswords(
  call: Pick<Call, 'engine' | 'asker'>,
  given: readonly { readonly description: string; readonly values: readonly Uint8Array[] }[],
): Promise<Prepared> {
  const { engine, asker } = call;
  const stored = new Map<Uint8Array, Uint8Array>();
  const verifiers = new Map<Uint8Array, readonly Uint8Array[]>();
  for (const { description, values } of given) {
    if (describe(engine.schema, description)?.type.key !== passwordKey) continue;
    if (values.length === 0) continue;
    const value = solePassword(values);
    const hash = await storedPassword(engine.hasher, hashCost(engine), value, asker.who === 'administrator');
    stored.set(value, hash);
    // One that came as a hash already is stored as it is.
    if (hash !== value) verifiers.set(hash, await verifiersOf(engine, value));
  }
  return { stored, verifiers };
}

/** @throws Refusal `valueRefused` (19) */
export function solePassword(values: readonly Uint8Array[]): Uint8Array {
  const [value, ...others] = values;
  // With more than one the work of judging a password would tell how many there are.
  if (others.length > 0) throw refuse(errors.valueRefused, { attribute: 'userPassword', why: 'it has one value at most' });
  if (value === undefined || value.length === 0) throw refuse(errors.valueRefused, { attribute: 'userPassword', why: 'it is empty' });
  return value;
}

/** True when a value that a modify wants gone is the stored password. */
export function namesPassword(engine: Engine, value: Uint8Array, stored: Uint8Array): Promise<boolean> {
  return isStoredPassword(engine.hasher, hashCost(engine), value, stored);
}
