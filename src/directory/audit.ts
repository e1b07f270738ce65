import type { ErrorRow, Refusal } from '#catalogue';
import { type Message, parseDn, type Request } from '#ldap';
import { normalizeDn } from '#schema';
import { authzIdOf } from './authz-id.ts';
import { door } from './controls/door.ts';
import type { Controls } from './controls/kind.ts';
import { proxiedAuthorization } from './controls/proxied-authorization.ts';
import { sessionText, sessionTracking } from './controls/session-tracking.ts';
import { transaction } from './controls/transaction.ts';
import type { Engine } from './engine.ts';
import { errors } from './errors.ts';
import type { Connection, Identity } from './types.ts';
import { VerificationRefused } from './verification.ts';

/** Of whom an extended operation is, where it is not of who asks, and what it is. */
export interface About {
  readonly action: string;
  /** The DN. */
  readonly subject: string;
  readonly what: string;
}

/** What the audit trail says of a request, gathered while it is performed. */
export interface AuditNotes {
  readonly engine: Engine;
  readonly connection: Connection;
  readonly message: Message<Request>;
  /** Who acts, once that is known. */
  acting?: Identity;
  /** What an extended operation wrote. */
  wrote?: string;
  about?: About;
  /** Whom a bind by SASL is about, once that is known. */
  subject?: string;
  /** With what somebody has bound, where it is not with their own password. */
  by?: string;
  /** Tells of a bind that was let in by what is known of it. */
  again?: (correlationId: string) => void;
  /** Those that count, once that is known. */
  controls?: Controls;
  /** Part of a transaction, and nothing of it done yet. */
  queued?: boolean;
}

const actions: Readonly<Record<Request['kind'], string>> = {
  bindRequest: 'ldap.bind',
  unbindRequest: 'ldap.unbind',
  searchRequest: 'ldap.search',
  modifyRequest: 'ldap.modify',
  addRequest: 'ldap.add',
  delRequest: 'ldap.delete',
  modifyDNRequest: 'ldap.modifyDN',
  compareRequest: 'ldap.compare',
  abandonRequest: 'ldap.abandon',
  extendedRequest: 'ldap.extended',
};

/** Binds and writes leave a row; reads do not. */
export function tellOfSuccess(notes: AuditNotes): void {
  if (notes.queued === true) return;
  const { op } = notes.message;
  if (notes.again !== undefined) {
    notes.again(correlationOf(notes));
    return;
  }
  switch (op.kind) {
    case 'bindRequest':
    case 'addRequest':
    case 'delRequest':
    case 'modifyRequest':
    case 'modifyDNRequest':
      notes.engine.audit.record({ ...common(notes), outcome: 'success', summary: summaryOf(op) + byOf(notes) + sessionOf(notes) });
      return;
    case 'extendedRequest':
      if (notes.wrote !== undefined)
        notes.engine.audit.record({ ...common(notes), outcome: 'success', summary: notes.wrote + sessionOf(notes) });
      return;
    case 'searchRequest':
    case 'compareRequest':
    case 'unbindRequest':
    case 'abandonRequest':
      return;
  }
}

/** Every refusal leaves a row. `cause` is what was thrown: for a defect the operators see where. */
export function tellOfRefusal(notes: AuditNotes, refusal: Refusal, cause: unknown): void {
  const row = common(notes);
  const summary = notes.about?.what ?? summaryOf(notes.message.op);
  if (refusal.row.code === errors.internal.code) {
    notes.engine.audit.record({
      ...row,
      outcome: 'failed',
      error: refusal.row,
      summary: `${summary}: ${whereOf(cause)}${sessionOf(notes)}`,
    });
    return;
  }
  const why =
    refusal.says === '' || refusal.row.says === 'invalid credentials' || refusal instanceof VerificationRefused
      ? refusal.row.means
      : refusal.says;
  notes.engine.audit.record({ ...row, outcome: 'refused', error: refusal.row, summary: `${summary}: ${why}${sessionOf(notes)}` });
}

/** A stored hash that could not be used: the refusal beside it says only that the password was not right. */
export function tellOfFault(notes: AuditNotes, fault: ErrorRow): void {
  notes.engine.audit.record({
    ...common(notes),
    outcome: 'failed',
    error: fault,
    summary: `${summaryOf(notes.message.op)}: ${fault.means}${sessionOf(notes)}`,
  });
}

/** A right password whose hash was another system's. */
export function tellOfRenewal(notes: AuditNotes, dn: string, scheme: string): void {
  const summary = `the password of ${dn} is kept as {SCRYPT} from now on, no longer as ${scheme}`;
  notes.engine.audit.record({ ...common(notes), action: 'directory.renewHash', outcome: 'success', summary: summary + sessionOf(notes) });
}

function common({ engine, connection, message, acting, subject, about }: AuditNotes) {
  const outer = outerDoor(connection, message);
  const { op } = message;
  const identity = acting ?? connection.identity;
  return {
    realm: realmOfRequest(engine, about?.subject ?? targetOf(op), identity),
    door: outer?.door ?? connection.door,
    subject: about?.subject ?? (op.kind === 'bindRequest' ? (subject ?? op.name) : nameOf(identity)),
    action: about?.action ?? actions[op.kind],
    correlationId: correlationOf({ connection, message }),
    address: outer?.address ?? connection.address,
  };
}

function correlationOf({ connection, message }: Pick<AuditNotes, 'connection' | 'message'>): string {
  return `${connection.id}:${message.messageId}`;
}

function nameOf(identity: Identity): string {
  return identity.strength === 'anonymous' ? '' : authzIdOf(identity).replace(/^dn:/, '');
}

/** The realm of the entry that a request is about; else of who asks; else the default one. */
function realmOfRequest({ schema, realms, store }: Engine, target: string | undefined, { dn }: Identity): string {
  const here = realms.in(store.snapshot());
  if (here.all.length === 1) return here.default.id;
  for (const named of [target, dn]) {
    const parsed = named === undefined ? undefined : parseDn(named);
    const key = parsed && normalizeDn(schema, parsed);
    const realm = key && here.owning(key);
    if (realm !== undefined) return realm.id;
  }
  return here.default.id;
}

function targetOf(op: Request): string | undefined {
  switch (op.kind) {
    case 'bindRequest':
      return op.name;
    case 'searchRequest':
      return op.baseObject;
    case 'modifyRequest':
      return op.object;
    case 'addRequest':
    case 'delRequest':
    case 'modifyDNRequest':
    case 'compareRequest':
      return op.entry;
    case 'extendedRequest':
    case 'unbindRequest':
    case 'abandonRequest':
      return undefined;
  }
}

function byOf({ by }: AuditNotes): string {
  return by === undefined ? '' : ` ${by}`;
}

/** For whom a client says that it acts; nothing of what it says is proved. */
function sessionOf({ controls, connection, acting }: AuditNotes): string {
  const session = controls?.of(sessionTracking);
  const said = session === undefined ? '' : sessionText(session);
  // The web layer acts for people all the time; of others it is worth a word whose doing it was.
  const { identity } = connection;
  const mayDiffer = controls?.has(proxiedAuthorization) === true || controls?.has(transaction) === true;
  const isProxied = acting !== undefined && acting !== identity && mayDiffer;
  const asked = isProxied && identity.strength !== 'webLayer' ? `; asked by ${authzIdOf(identity)}` : '';
  return said === '' ? asked : `${asked}; session ${said}`;
}

/** The web layer names the browser's door and address. A control that cannot be read was refused already: then it is the socket's own. */
function outerDoor(connection: Connection, { controls }: Message<Request>) {
  const control = connection.trusted ? controls.find(({ oid }) => oid === door.oid) : undefined;
  try {
    return control === undefined ? undefined : door.read(control);
  } catch {
    return undefined;
  }
}

/** Names entries and attributes, never values: these may be secrets. */
function summaryOf(op: Request): string {
  switch (op.kind) {
    case 'bindRequest':
      return `bind${op.authentication.kind === 'sasl' ? ' by SASL' : op.name === '' ? '' : ` as ${op.name}`}`;
    case 'searchRequest':
      return `search below ${op.baseObject === '' ? 'the root' : op.baseObject}`;
    case 'addRequest':
      return `add ${op.entry}`;
    case 'delRequest':
      return `delete ${op.entry}`;
    case 'modifyRequest':
      return `modify ${op.object}: ${op.changes.map(({ operation, attribute }) => `${operation} ${attribute.description}`).join(', ')}`;
    case 'modifyDNRequest':
      return `rename ${op.entry} to ${op.newRdn}${op.newSuperior === undefined ? '' : ` below ${op.newSuperior}`}`;
    case 'compareRequest':
      return `compare ${op.description} of ${op.entry}`;
    case 'extendedRequest':
      return `extended operation ${op.oid}`;
    case 'unbindRequest':
      return 'unbind';
    case 'abandonRequest':
      return 'abandon';
  }
}

/** A defect's name and the place it came from. Its message stays out: it may repeat what it stumbled over. */
function whereOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'a defect';
  const frames = (cause.stack ?? '').split('\n').filter((line) => line.trim().startsWith('at '));
  return `${cause.name} ${frames
    .slice(0, 3)
    .map((line) => line.trim())
    .join(', ')}`;
}
