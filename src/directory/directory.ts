import { Refusal, refuse } from '#catalogue';
import { credentialsErrors } from '#credentials';
import { type Message, parseDn, type Request, type Response, resultCodes } from '#ldap';
import { normalizeDn } from '#schema';
import type { Snapshot } from '#store';
import { askerOf } from './access/asker.ts';
import { anonymous, refuseDisabled } from './account.ts';
import { type AuditNotes, tellOfFault, tellOfRefusal, tellOfRenewal, tellOfSuccess } from './audit.ts';
import type { Call } from './call.ts';
import { noControls } from './controls/kind.ts';
import { answerPasswordPolicy } from './controls/password-policy.ts';
import { recognizedControls } from './controls/table.ts';
import { transaction } from './controls/transaction.ts';
import { type Engine, newestEngine } from './engine.ts';
import { errors } from './errors.ts';
import { refusedUpdate } from './extended/end-transaction.ts';
import { showSecret } from './extended/show-secret.ts';
import { extended } from './extended/table.ts';
import { bind } from './operations/bind.ts';
import { compare } from './operations/compare.ts';
import { write } from './operations/write.ts';
import { actingIdentity } from './proxied.ts';
import type { Realms } from './realms.ts';
import { done, responseTo, resultOf } from './result.ts';
import { search } from './search/search.ts';
import type { SettledBind } from './settled.ts';
import { searchOrFollow } from './sync/search-or-follow.ts';
import { enqueue } from './transactions/enqueue.ts';
import { UpdateRefused } from './transactions/settle.ts';
import type { Connection, Directory, Identity, Reply } from './types.ts';
import { VerificationRefused } from './verification.ts';

/** The engine behind the LDAP interface: takes each request to its operation, and its outcome to the client and the audit trail. */
export function createDirectory(opened: Engine): Directory {
  let engine = opened;
  const perform = (connection: Connection, message: Message<Request>, reply: Reply, attempts: number): void | Promise<void> => {
    engine = newestEngine(engine);
    // In a thread beside the one that writes, too, a request goes by the settings of its beginning.
    const snapshot = engine.store.snapshot();
    engine.realms.in(snapshot);
    const notes: AuditNotes = { engine, connection, message };
    try {
      const outcome = operate(snapshot, connection, message, reply, notes);
      if (!(outcome instanceof Promise)) return finish(notes, reply, outcome);
      return outcome.then(
        (response) => finish(notes, reply, response),
        // Nothing was committed and nothing sent: all of it is done again, by the schema that is in force now.
        (error: unknown) =>
          isMoved(error) && attempts > 1 ? perform(connection, message, reply, attempts - 1) : fail(notes, reply, error),
      );
    } catch (error) {
      return fail(notes, reply, error);
    }
  };
  return {
    perform: (connection, message, reply) => perform(connection, message, reply, schemasMax),
    forget: (connection) => engine.transactions.forget(connection),
  };
}

/** Schemas that a write is decided by, one after the other, until it is answered that they change too fast. */
const schemasMax = 10;

function isMoved(error: unknown): boolean {
  return error instanceof Refusal && error.row.code === errors.schemaMoved.code;
}

type Outcome = Response | undefined;
type BindRequest = Request & { readonly kind: 'bindRequest' };

/**
 * One line for each operation.
 *
 * @param snapshot  one for all that is asked before anything is waited for: each is asked anew whether it still holds, which is a tenth of a small search
 */
function operate(
  snapshot: Snapshot,
  connection: Connection,
  message: Message<Request>,
  reply: Reply,
  notes: AuditNotes,
): Outcome | Promise<Outcome> {
  const { engine } = notes;
  const { op } = message;
  // RFC 4511 §4.3, §4.11: these have no answer. The listener ends what they end.
  if (op.kind === 'unbindRequest' || op.kind === 'abandonRequest') return undefined;
  refuseUnproved(connection, op);
  // RFC 4511 §4.2.1, RFC 4513 §4: whatever a bind is refused for, a control that is not known included, nobody is bound any more.
  if (op.kind === 'bindRequest') {
    connection.identity = anonymous;
    // RFC 5805 §3.5: without notice.
    engine.transactions.forget(connection);
  }
  const going = connection.exchange;
  if (going !== undefined) {
    connection.exchange = undefined;
    if (op.kind !== 'bindRequest') throw refuse(errors.saslGoing);
  }
  if (op.kind !== 'bindRequest') refuseEnded(engine, connection, snapshot);
  const controls = recognizedControls(connection, op.kind, message.controls);
  const identity = actingIdentity(engine, connection, controls);
  const call: Call = { engine, connection, reply, controls, asker: askerOf(engine, identity, connection, snapshot) };
  notes.acting = identity;
  notes.controls = controls;
  const answer = (result: Parameters<typeof responseTo>[1]) => responseTo(op, result);

  switch (op.kind) {
    case 'bindRequest':
      return bindAgain(call, op, notes, snapshot, () => bindAnew(call, op, going, notes));
    case 'searchRequest': {
      const result = message.controls.length === 0 ? search(call, op, undefined, snapshot) : searchOrFollow(call, op);
      return result instanceof Promise ? result.then(answer) : answer(result);
    }
    case 'compareRequest':
      return compare(call, op).then(answer);
    case 'addRequest':
    case 'delRequest':
    case 'modifyRequest':
    case 'modifyDNRequest':
      if (controls.has(transaction)) return answer(enqueue(call, op, notes));
      return write(call, op).then(answer);
    case 'extendedRequest':
      return extended(
        call,
        op,
        (summary) => {
          notes.wrote = summary;
        },
        (about) => {
          notes.about = about;
        },
      );
  }
}

/** Lets in by what was judged a short while ago, where that stands; else it is judged anew. */
function bindAgain(
  { engine, connection, controls }: Call,
  op: BindRequest,
  notes: AuditNotes,
  snapshot: Snapshot,
  anew: () => Promise<Response>,
): Outcome | Promise<Outcome> {
  const { name, authentication, version } = op;
  if (controls !== noControls || version !== 3 || authentication.kind !== 'simple') return anew();
  const { password } = authentication;
  const settled = engine.settled.find(engine, snapshot, connection, name, password);
  if (settled === undefined) return anew();
  const admit = ({ identity, again }: SettledBind): Response => {
    // One of its own: what was begun before a bind is nobody's after it.
    connection.identity = { ...identity };
    notes.again = again;
    return boundAgain;
  };
  const isFull = engine.attempts.isFull(settled.attempt);
  if (!(isFull instanceof Promise)) return isFull ? anew() : admit(settled);
  // Asked of the main thread: what was judged is looked at once more when it has answered.
  return isFull.then((is) => {
    const still = is ? undefined : engine.settled.find(engine, engine.store.snapshot(), connection, name, password);
    return still === undefined ? anew() : admit(still);
  });
}

const boundAgain: Response = { kind: 'bindResponse', result: done };

async function bindAnew(call: Call, op: BindRequest, going: object | undefined, notes: AuditNotes): Promise<Response> {
  const response = await bind(call, op, going, {
    fault: (row) => tellOfFault(notes, row),
    renewed: (entry, scheme) => tellOfRenewal(notes, entry.dn, scheme),
    by: (words) => {
      notes.by = words;
    },
    subject: (name) => {
      notes.subject = name;
    },
  });
  refuseBarredSince(call.engine, call.connection);
  return response;
}

/**
 * Who is bound as somebody as whom nobody can bind any more is told so, once, and is nobody from then on.
 *
 * @throws Refusal `realmRemoving`, `accountDisabled` (53)
 */
function refuseEnded(engine: Engine, connection: Connection, snapshot: Snapshot): void {
  const { identity } = connection;
  if (identity.uuid === undefined && identity.dn === undefined) return;
  try {
    if (isRemoved(engine, identity, snapshot)) throw refuse(errors.realmRemoving);
    refuseDisabled(identity, snapshot, engine.clock);
  } catch (error) {
    connection.identity = anonymous;
    engine.transactions.forget(connection);
    throw error;
  }
}

/**
 * Whose account was disabled while their password was judged is not let in by it: the connections that end with an account were ended before this one was
 * theirs, or it is theirs now and ends with them.
 *
 * @throws Refusal `accountDisabled` (49)
 */
function refuseBarredSince(engine: Engine, connection: Connection): void {
  try {
    refuseDisabled(connection.identity, engine.store.snapshot(), engine.clock);
  } catch {
    connection.identity = anonymous;
    throw refuse(credentialsErrors.accountDisabled);
  }
}

/** Whether somebody is bound to whom nobody can bind any more. */
function isRemoved({ realms, schema }: Engine, identity: Identity, snapshot: Snapshot): boolean {
  const here = realms.in(snapshot);
  if (here.all.length === 1 || identity.dn === undefined) return false;
  const known = removed.get(identity);
  if (known?.realms === here) return known.is;
  const dn = parseDn(identity.dn);
  const key = dn && normalizeDn(schema, dn);
  const is = key !== undefined && here.owning(key)?.state === 'removing';
  removed.set(identity, { realms: here, is });
  return is;
}

/** An identity is made at bind and lasts as long as it is bound. */
const removed = new WeakMap<Identity, { readonly realms: Realms; readonly is: boolean }>();

/** The web layer's socket is nobody else's: before its secret was shown it does nothing. */
function refuseUnproved(connection: Connection, op: Request): void {
  if (connection.door !== 'web' || connection.trusted) return;
  if (op.kind === 'extendedRequest' && op.oid === showSecret.oid) return;
  throw refuse(errors.webLayerUnproved);
}

function finish(notes: AuditNotes, reply: Reply, response: Outcome): void {
  if (response === undefined) return;
  // What was done was done, though nobody waits for its answer any more.
  if (response.kind !== 'bindResponse' || response.result.code === resultCodes.success) {
    tellOfSuccess(notes);
    if (notes.queued !== true) answerPasswordPolicy(notes.controls, notes.message.op);
  }
  // RFC 4511 §4.11: an abandoned operation is not answered.
  if (!reply.ended) reply.send(response, notes.controls?.answers);
}

/** A refusal is answered by its row. Anything else is a defect: the client learns nothing of it, the operators all. */
function fail(notes: AuditNotes, reply: Reply, error: unknown): void | Promise<void> {
  // What an abandoned operation throws because it was abandoned is no defect; a refusal it met before is one to tell of.
  if (reply.ended && !(error instanceof Refusal)) return;
  const refusal = error instanceof Refusal ? error : refuse(errors.internal);
  tellOfRefusal(notes, refusal, error);
  answerPasswordPolicy(notes.controls, notes.message.op, refusal);
  if (reply.ended) return;
  const value = answerOf(error);
  const response = responseTo(notes.message.op, resultOf(refusal), value);
  if (response === undefined) return;
  // A refusal, too, may rest on what is not on disk yet.
  const { store } = notes.engine;
  const wait = error instanceof Refusal ? store.durable(store.snapshot().number) : undefined;
  if (wait === undefined) return reply.send(response, notes.controls?.answers);
  return wait.then(() => reply.send(response, notes.controls?.answers));
}

/** What the answer of an extended operation says of its refusal, beside the result. */
function answerOf(error: unknown): Uint8Array | undefined {
  if (error instanceof UpdateRefused) return refusedUpdate(error.messageId);
  return error instanceof VerificationRefused ? error.value : undefined;
}
