import { utf8 } from '#base';
import { Refusal, refuse } from '#catalogue';
import { credentialsErrors } from '#credentials';
import { encodeBer, formatDn, resultCodes } from '#ldap';
import type { AttemptBy, Limited, Outcome, Turns } from '#state';
import type { Snapshot, StoredEntry } from '#store';
import type { Call } from './call.ts';
import { door } from './controls/door.ts';
import type { Engine } from './engine.ts';
import { errors } from './errors.ts';
import { personName } from './named.ts';
import type { Realm } from './realm.ts';

/** Where nobody counts: a directory without the state that a service shares. */
export const uncounted: Turns = {
  isFull: () => false,
  enter: async () => ({ kind: 'admitted', end: async () => undefined }),
};

/** Whose secret is tried: a DN that an entry has, or that one would have. */
export interface Tried {
  readonly realm: Pick<Realm, 'id'>;
  readonly dn: string;
}

/**
 * Judges a secret as one attempt to prove who somebody is: counted before it is judged, taken back when it was right. By whichever door it comes, unknown
 * names included; in whichever thread.
 *
 * @param judge  resolves when the secret was right; throws the refusal when it was not
 * @throws Refusal `attemptsLimited` (53) before anything is judged, the right secret too; what `judge` throws
 * @see docs/decisions/0012-failures.md
 */
export async function counted<T>(call: Call, tried: Tried, judge: () => Promise<T>): Promise<T> {
  const { engine, controls } = call;
  const outer = controls.of(door);
  const turn = await engine.attempts.enter(attemptOf(call, tried));
  if (turn.kind === 'limited') {
    // Words are for people; the web layer is told the number, and which limit it was.
    if (outer !== undefined) controls.answer({ oid: door.oid, critical: false, value: limitValue(turn) });
    const what = turn.of === 'identity' ? 'for this name' : 'from this address';
    throw refuse(errors.attemptsLimited, { what, wait: turn.waitS === 1 ? '1 second' : `${turn.waitS} seconds` });
  }
  let outcome: Outcome = 'failed';
  try {
    const value = await judge();
    outcome = 'succeeded';
    return value;
  } catch (error) {
    if (error instanceof Refusal && unjudged.has(error.row.sees.ldap)) outcome = 'unjudged';
    if (error instanceof Refusal && error.row.code === rightAllTheSame) outcome = 'succeeded';
    throw error;
  } finally {
    await turn.end(outcome);
  }
}

/** SEQUENCE { wait INTEGER, ofAddress BOOLEAN DEFAULT FALSE } in DER: seconds, and whether it is the address' limit rather than the name's. */
function limitValue({ waitS, of }: Limited): Uint8Array {
  return encodeBer((ber) =>
    ber.sequence(() => {
      ber.number(waitS);
      if (of === 'address') ber.boolean(true);
    }),
  );
}

/** Whether an attempt would be refused at this moment, without making one. */
export function isLimited(call: Call, tried: Tried): boolean | Promise<boolean> {
  return call.engine.attempts.isFull(attemptOf(call, tried));
}

/** What is counted of an attempt: whose name is tried, and from where. */
export function attemptOf({ asker, controls }: Call, { realm, dn }: Tried): AttemptBy {
  return { realm: realm.id, identity: dn, address: controls.of(door)?.address ?? asker.origin.address };
}

/**
 * The password was right, and has to be changed first: a program that goes on trying keeps nobody from the page that changes it. That is no oracle: whoever has
 * the password is told so by the control of password policies.
 */
const rightAllTheSame: string = credentialsErrors.passwordToChange.code;

/** Too many hashes waiting, or a disk that is full: nobody has learned whether the secret is right. */
const unjudged: ReadonlySet<number | undefined> = new Set([resultCodes.busy, resultCodes.unavailable]);

/**
 * The DN under which attempts at an identity text are counted: the entry's, or that which the entry would have if there were one.
 *
 * @param id  `dn:` and a name, `u:` and a uid, or a uid alone
 */
export function dnTriedOf(engine: Engine, snapshot: Snapshot, entry: StoredEntry | undefined, id: string): string {
  if (entry !== undefined) return entry.dn;
  if (/^dn:/i.test(id)) return id.slice('dn:'.length);
  const { realm, uid } = personName(engine, snapshot, id.replace(/^u:/i, ''));
  return formatDn([[{ type: 'uid', value: utf8(uid) }], ...realm.people.dn]);
}
