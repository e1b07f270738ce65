import { Refusal, refuse } from '#catalogue';
import { ClientRefusal } from '#client';
import type { Mechanism, Next } from '#policy';
import { type Begun, type Parked, sessionsErrors } from '#sessions';
import { fillText, type Reply, sessionCookie, type WebRealm, type WebRequest, webErrors } from '#web';
import { visitOf } from './answers.ts';
import { errors } from './errors.ts';
import type { FrameDeps } from './frame.ts';
import type { Known } from './password.ts';

/** Begins the session and lets the browser go back; `undefined` when the person may have none by now. */
export async function finish(
  deps: FrameDeps,
  request: WebRequest,
  id: string,
  parked: Parked,
  { amr, acr, mechanisms }: Next & { readonly step: 'done' },
  person: Known | undefined,
): Promise<Reply | undefined> {
  const { realm } = request;
  if (person !== undefined && !(await mayBeThere(deps, request, person))) return undefined;
  const begun = await unlessRefused(() =>
    deps.sessions.begin(realm.id, request.cookies(sessionCookie), person, { amr, acr, mechanisms, door: 'web' }, visitOf(request)),
  );
  if (begun === undefined) return undefined;
  if (person !== undefined && (await isBarredNow(deps, realm, person))) {
    await deps.sessions.end(realm.id, [begun.handle], visitOf(request));
    return undefined;
  }
  if (person !== undefined) {
    await noteSignIn(deps, request, person, mechanisms);
    await deps.risk.remember(realm.id, person.entryUuid, request.address);
  }
  return goBack(deps, request, id, parked, begun);
}

/**
 * Whether rules of access let anybody sign in as the person from where the browser is: a password was shown by a bind, which they are about, and a key or a mail
 * was not. The directory has it in the audit trail where they do not.
 */
async function mayBeThere({ verify }: FrameDeps, { address, secure }: WebRequest, { dn }: Known): Promise<boolean> {
  const judged = await verify({ dn, secret: { kind: 'holder' }, door: 'signin', address, isProtected: secure });
  return judged.kind === 'accepted';
}

/** Whose account was disabled or deleted meanwhile: what ended with it was ended before this session was there, or ends it later. */
async function isBarredNow({ registry }: FrameDeps, realm: WebRealm, { entryUuid }: Known): Promise<boolean> {
  return registry.isBarred(realm, entryUuid);
}

/** The entry remembers what the session will have forgotten. What cannot be written is told to operators, and is no reason to keep anybody out. */
async function noteSignIn(
  { registry, clock, audit }: FrameDeps,
  request: WebRequest,
  person: Known,
  [first, second]: readonly Mechanism[],
): Promise<void> {
  if (second === undefined && first !== 'security-key') return;
  try {
    await registry.note(person, second === undefined ? { kind: 'passwordless', atMs: clock.nowMs() } : { kind: 'secondFactor' });
  } catch (thrown) {
    if (!(thrown instanceof ClientRefusal)) throw thrown;
    const [error, subject] = [errors.signInNotNoted, person.dn];
    const summary = fillText(error.means, { why: thrown.message });
    audit.record({ realm: request.realm.id, subject, action: 'signin.note', outcome: 'failed', error, summary, ...visitOf(request) });
  }
}

/** Lets the browser go back with a session of somebody who did not sign in. */
export async function goAnonymously(deps: FrameDeps, request: WebRequest, id: string, parked: Parked): Promise<Reply> {
  const { realm } = request;
  return goBack(deps, request, id, parked, await deps.sessions.beginAnonymous(realm.id, request.cookies(sessionCookie), visitOf(request)));
}

async function goBack(
  { sessions, realmNow }: FrameDeps,
  request: WebRequest,
  id: string,
  parked: Parked,
  { handle, session }: Pick<Begun, 'handle' | 'session'>,
): Promise<Reply> {
  const { realm } = request;
  // A removal that began meanwhile has ended the sessions it found. This one was not there yet, or is looked at only now: one of the two ends it.
  if ((await realmNow(realm))?.removing !== false) {
    await sessions.end(realm.id, [handle], visitOf(request));
    throw refuse(webErrors.realmRemoved);
  }
  if (parked.marks) await sessions.markAnswered(session, parked.target, parked.about);
  await sessions.takeParked(realm.id, id);
  return { kind: 'redirect', status: 303, to: parked.target, cookies: [{ name: sessionCookie, value: handle, path: '/' }] };
}

/** An account disabled or deleted between its factors and its session is answered like a wrong password; the audit trail has the reason. */
async function unlessRefused<T>(begin: () => Promise<T>): Promise<T | undefined> {
  try {
    return await begin();
  } catch (thrown) {
    if (thrown instanceof Refusal && (thrown.row === sessionsErrors.noEntry || thrown.row === sessionsErrors.disabled)) return undefined;
    throw thrown;
  }
}
