import { refuse } from '#catalogue';
import { type HashesBrought, isStoredPassword, readStoredPassword, storedPassword } from '#credentials';
import type { Control } from '#ldap';
import { describe } from '#schema';
import type { BulkResult, Change, CommitResult, EntryRecord, Expectation, Snapshot, StoredEntry } from '#store';
import type { Rights } from './access/rights.ts';
import type { Call } from './call.ts';
import { relax } from './controls/relax.ts';
import { type Engine, hashCost } from './engine.ts';
import { errors } from './errors.ts';
import { recoveryCodeKey } from './holders.ts';
import { checkPassword } from './password-rules.ts';
import { checkPolicies } from './policy-entries.ts';
import type { Name } from './realm.ts';
import { withRealms } from './realm-entries/rules.ts';
import { realmOf } from './realms.ts';
import { storedRecoveryCodes } from './recovery.ts';
import { isOutside, uniqueInTurn, withUniqueness } from './relations/unique.ts';
import { csnOfChange, stamped } from './stamped.ts';
import type { Identity } from './types.ts';
import { type Verifiers, verifiersOf } from './verifiers.ts';

/** How often a write is decided anew when others changed what it had read. */
const attemptsMax = 200;
/** How often a long decision may pause: one that lost so often against others is made in one turn. */
const pausedAttemptsMax = 3;

/** What a write wants of the store. */
export interface Decision {
  readonly expected: readonly Expectation[];
  readonly changes: readonly Change[];
  /** The entry that the request is about. */
  readonly target: string;
  /** The entry in whose line to wait when others are faster; by default the target. */
  readonly line?: string | undefined;
  /** The target, as it was read. */
  readonly before?: StoredEntry;
  /** Octets that the target has besides, where its change is an `amend`. */
  readonly listedOctets?: number;
  /** An entry with all values of its lists, where an `amend` changes these. */
  readonly whole?: (uuid: string) => EntryRecord | undefined;
  /** Part by part, over an overlay: nothing is to be held against the snapshot any more. */
  readonly checked?: true;
  /** Keys of the types that a change of one entry, which keeps its name, may have given other values; nothing for any other decision. */
  readonly touched?: ReadonlySet<string>;
  /** Controls of the answer, when it is known which CSNs the changes were given. */
  readonly answers?: (csns: readonly string[]) => readonly Control[];
}

/** The directory as it is now. What it gave is good until the next pause. */
export type Look = () => Snapshot;

/** Reads and decides, in one turn of the loop or with a pause after each part. Asked again when somebody else was faster. */
export type Decide = (look: Look) => Decision | Generator<undefined, Decision>;

/**
 * Reads, decides, commits; and again from the start when the commit finds that what was read is no longer so. Resolves when it is on disk.
 *
 * Those who change the same entry at the same time do it one behind the other: were each to try until it wins, all but one would try in vain each time.
 *
 * @returns the controls of the answer
 * @throws Refusal of `decide`; `contended` (LDAP busy) when others are always faster, `entryTooLarge` (LDAP adminLimitExceeded)
 */
export async function commit(engine: Engine, decide: Decide): Promise<readonly Control[]> {
  const { lines } = engine;
  const first = await attempt(engine, decide, { pauses: true, unless: (entry) => lines.isBusy(entry) });
  if (first.controls !== undefined) return first.controls;
  const { entry } = first;
  return entry === undefined ? await commitAnew(engine, decide) : await lines.wait(entry, () => commitAnew(engine, decide));
}

async function commitAnew(engine: Engine, decide: Decide): Promise<readonly Control[]> {
  for (let at = 0; at < attemptsMax; at++) {
    const { controls } = await attempt(engine, decide, { pauses: at < pausedAttemptsMax });
    if (controls !== undefined) return controls;
  }
  throw refuse(errors.contended);
}

interface Attempt {
  /** The entry in whose line to try again; nothing for one that makes entries: it shares their superior with others, and disturbs nobody. */
  readonly entry: string | undefined;
  /** Of the answer, when it is done. */
  readonly controls: readonly Control[] | undefined;
}

/**
 * Between the last look of a decision and its commit nobody else gets a turn: CSNs ascend as the commits do. What must be unique is judged by the state of
 * the decision: by a newer one what others did meanwhile would be refused, where it is a reason to decide again.
 */
async function attempt(
  engine: Engine,
  decide: Decide,
  { pauses, unless }: { readonly pauses: boolean; readonly unless?: (entry: string) => boolean },
): Promise<Attempt> {
  // One state for all that is looked at in one turn: in a thread beside the one that writes, to ask for another would end this one.
  let state: Snapshot | undefined;
  const look: Look = () => {
    state ??= engine.store.snapshot();
    return state;
  };
  const paused = () => {
    state = undefined;
  };
  const made = decide(look);
  if (isDecision(made) && made.changes.length <= uniqueInTurn) {
    return await committed(engine, made.checked === true ? made : checked(engine, look(), made), unless);
  }
  const steps = checkedInSteps(engine, look, made);
  if (!pauses) return await committed(engine, atOnce(steps), unless);
  return await inTurns(engine, steps, paused, (decision) => committed(engine, decision, unless));
}

async function committed(engine: Engine, decision: Decision, unless?: (entry: string) => boolean): Promise<Attempt> {
  const entry = changedBy(decision);
  if (entry !== undefined && unless?.(entry) === true) return { entry, controls: undefined };
  const result = await submit(engine, decision);
  if (result.kind === 'conflict') return { entry, controls: undefined };
  return { entry, controls: decision.answers?.(result.csns ?? decision.changes.map(csnOfChange)) ?? [] };
}

/**
 * Hands a decision to the store, if the schema that it was made by is in force: one that is about to change is waited for.
 *
 * @throws Refusal `schemaMoved` (51), upon which a request is done again from its beginning
 */
export function submit(engine: Engine, { expected, changes }: Pick<Decision, 'expected' | 'changes'>): Promise<CommitResult> {
  return inForce(engine, () => engine.store.commit(expected, changes));
}

/** The same for very many new entries: whoever comes to write meanwhile goes first. */
export function submitBulk(engine: Engine, { expected, changes }: Pick<Decision, 'expected' | 'changes'>): Promise<BulkResult> {
  return inForce(engine, () => engine.store.bulk(expected, changes));
}

function inForce<T>({ live, schema }: Engine, commit: () => Promise<T>): Promise<T> {
  if (live.isOpen(schema)) return commit();
  return live.opened().then(() => {
    if (!live.isOpen(schema)) throw refuse(errors.schemaMoved);
    return commit();
  });
}

/** Others were given CSNs in the pauses: those of a commit ascend, and come behind theirs. */
async function inTurns<T>(
  { csn }: Pick<Engine, 'csn'>,
  steps: Generator<undefined, Decision>,
  paused: () => void,
  then: (decision: Decision) => Promise<T>,
): Promise<T> {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = steps.next();
    if (done === true) return await then(pauses === 0 ? value : { ...value, changes: stamped(value.changes, csn) });
    await new Promise<void>((resolve) => setImmediate(resolve));
    paused();
  }
}

/** Makes a decision without a pause. */
export function atOnce(made: ReturnType<Decide>): Decision {
  if (isDecision(made)) return made;
  for (;;) {
    const step = made.next();
    if (step.done === true) return step.value;
  }
}

/** A decision as a part of one that is made with pauses. */
export function* inSteps(made: ReturnType<Decide>): Generator<undefined, Decision> {
  return isDecision(made) ? made : yield* made;
}

export function isDecision(made: ReturnType<Decide>): made is Decision {
  return 'changes' in made;
}

/**
 * Holds what a write makes to what must be unique, and every entry to its limit: step by step, somebody could else make one of any size.
 *
 * @throws Refusal `notUnique` (19), `entryTooLarge` (11)
 */
export function checked(engine: Engine, snapshot: Snapshot, decision: Decision): Decision {
  checkOctets(engine, decision);
  const unique = isOutside(engine, snapshot, decision) ? decision : atOnce(withUniqueness(engine, () => snapshot, decision));
  checkPolicies(engine, snapshot, unique);
  return withRealms(engine, snapshot, unique);
}

function* checkedInSteps(engine: Engine, look: Look, made: ReturnType<Decide>): Generator<undefined, Decision> {
  const decision = yield* inSteps(made);
  if (decision.checked === true) return decision;
  checkOctets(engine, decision);
  const unique = yield* withUniqueness(engine, look, decision);
  checkPolicies(engine, look(), unique);
  return { ...withRealms(engine, look(), unique), checked: true };
}

function checkOctets({ settings }: Pick<Engine, 'settings'>, { changes, target, listedOctets = 0 }: Decision): void {
  for (const change of changes) {
    if (change.kind === 'delete') continue;
    const { uuid, user, operational, secret } = change.entry;
    const listed = uuid === target ? listedOctets : 0;
    if (user.length + operational.length + secret.length + listed > settings['ldap.entryOctetsMax']) throw refuse(errors.entryTooLarge);
  }
}

/** The entry that a write found and changes. */
function changedBy({ expected, target, line = target }: Decision): string | undefined {
  return expected.some((each) => each.kind === 'unchanged' && each.uuid === line) ? line : undefined;
}

/** Whom a change is put down to: `creatorsName` and `modifiersName`. */
export function writerName(engine: { readonly realms: Pick<Engine['realms'], 'default'> }, identity: Identity): string {
  if (identity.dn !== undefined) return identity.dn;
  // The operators' socket acts as the service's owner: the built-in administrator is who the directory knows for that.
  return identity.strength === 'operatorsSocket' ? engine.realms.default.administrator.text : '';
}

/** The attribute of passwords, whose value is kept as a hash. */
export const passwordKey = 'userpassword';

/** Whether values of a type are kept as hashes. */
export function isHashed(key: string): boolean {
  return key === passwordKey || key === recoveryCodeKey;
}

/** Secrets that a request brings, made ready to be stored before the write is decided: hashing takes long and must not hold a snapshot. */
export interface Prepared {
  /** What is stored of each value. */
  readonly stored: ReadonlyMap<Uint8Array, Uint8Array>;
  readonly verifiers: Verifiers;
}

/** What of hashes somebody may bring: any of recovery codes who manages the entry, and of passwords as `bringing` says. */
export interface Brought {
  readonly mayManage: boolean;
  readonly bringing: HashesBrought;
}

/**
 * Who manages an entry brings a hash of a password by saying so, with the relax control. The operators' socket brings what an import does: a realm that is applied
 * from a file has its people's hashes.
 */
export function broughtBy({ asker, controls }: Pick<Call, 'asker' | 'controls'>, { mayManage }: Pick<Rights, 'mayManage'>): Brought {
  const byOperator = asker.identity.strength === 'operatorsSocket';
  return { mayManage, bringing: !mayManage ? 'none' : byOperator ? 'any' : controls.has(relax) ? 'sound' : 'none' };
}

/** @throws Refusal `hashNotAccepted` (19), `valueRefused` (19), `hashQueueFull` (51) */
export async function prepareHashes(
  engine: Engine,
  { mayManage, bringing }: Brought,
  { key }: Pick<Name, 'key'>,
  given: readonly { readonly description: string; readonly values: readonly Uint8Array[] }[],
): Promise<Prepared> {
  const stored = new Map<Uint8Array, Uint8Array>();
  const verifiers = new Map<Uint8Array, readonly Uint8Array[]>();
  for (const { description, values } of given) {
    const type = describe(engine.schema, description)?.type.key;
    if (type === undefined || !isHashed(type) || values.length === 0) continue;
    const realm = realmOf(engine, engine.store.snapshot(), key) ?? engine.realms.default;
    if (type === recoveryCodeKey) {
      for (const [code, hash] of await storedRecoveryCodes(engine, realm, values, mayManage)) stored.set(code, hash);
      continue;
    }
    const value = solePassword(values);
    if (readStoredPassword(engine.hasher, value, bringing) === undefined) checkPassword(engine, realm, value);
    const hash = await storedPassword(engine.hasher, hashCost(realm), value, bringing);
    stored.set(value, hash);
    // One that came as a hash already is stored as it is.
    if (hash !== value) verifiers.set(hash, await verifiersOf(engine, value, realm));
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
