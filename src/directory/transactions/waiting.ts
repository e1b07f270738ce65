import { equalBytes, utf8 } from '#base';
import { refuse, type SettingValues } from '#catalogue';
import type { Control, Modification, PartialAttribute } from '#ldap';
import type { AuditNotes } from '../audit.ts';
import type { Call } from '../call.ts';
import { errors } from '../errors.ts';
import type { WriteRequest } from '../operations/write.ts';
import type { settings as rows } from '../settings.ts';
import type { Connection, Identity } from '../types.ts';

/** One update of a transaction, as it waits for the end of it. */
export interface Queued {
  readonly messageId: number;
  readonly op: WriteRequest;
  readonly controls: Call['controls'];
  readonly notes: AuditNotes;
}

/** What a connection has said of its transaction (RFC 5805 §3.3). */
export interface Transaction {
  readonly identifier: Uint8Array;
  /** Under whose authority all of it is done. */
  readonly identity: Identity;
  readonly updates: readonly Queued[];
  readonly share: number;
}

/** The transactions that connections of this thread have begun: one for each, as with slapd. */
export interface Transactions {
  /**
   * @param share  of the room of all transactions, how much this one may find taken when it adds an update
   * @throws Refusal `transactionsTooMany` (51)
   */
  begin(connection: Connection, identity: Identity, share?: number): Transaction;
  /** The transaction of that identifier. @throws Refusal `transactionUnknown` (53) */
  of(connection: Connection, identifier: Uint8Array): Transaction;
  /**
   * Adds an update that rests on no octets but its own (`ownMessage`).
   *
   * @throws Refusal `transactionTooLarge` (11), after which there is no such transaction any more
   */
  add(connection: Connection, update: Queued): void;
  /** Lets one that was forgotten wait again, for its end to be asked for anew. */
  putBack(connection: Connection, transaction: Transaction): void;
  /** Nothing of what the connection's transaction has waits any more. */
  forget(connection: Connection): void;
}

interface Open extends Transaction {
  readonly updates: Queued[];
  octets: number;
}

/** What an update takes beside its octets. */
const updateOctets = 512;

/** @param settings  read each time: they may change while the service runs */
export function createTransactions(settings: Pick<SettingValues<typeof rows>, SettingName>): Transactions {
  const open = new Map<Connection, Open>();
  let begun = 0;
  let octetsAll = 0;

  const forget = (connection: Connection) => {
    octetsAll -= open.get(connection)?.octets ?? 0;
    open.delete(connection);
  };

  return {
    begin(connection, identity, share = 1) {
      if (open.has(connection)) throw refuse(errors.transactionsTooMany);
      const transaction: Open = { identifier: utf8(String(++begun)), identity, updates: [], octets: 0, share };
      open.set(connection, transaction);
      return transaction;
    },
    of(connection, identifier) {
      const transaction = open.get(connection);
      if (transaction === undefined || !equalBytes(transaction.identifier, identifier)) throw refuse(errors.transactionUnknown);
      return transaction;
    },
    add(connection, update) {
      const transaction = open.get(connection);
      if (transaction === undefined) throw refuse(errors.transactionUnknown);
      const octets = octetsOf(update);
      const isLarge =
        transaction.updates.length >= settings['ldap.transactionUpdatesMax'] ||
        transaction.octets + octets > settings['ldap.transactionMib'] * 2 ** 20 ||
        octetsAll + octets > settings['ldap.transactionsMib'] * 2 ** 20 * transaction.share;
      if (isLarge) {
        forget(connection);
        throw refuse(errors.transactionTooLarge);
      }
      transaction.updates.push(update);
      transaction.octets += octets;
      octetsAll += octets;
    },
    putBack(connection, { updates, ...rest }) {
      // Meanwhile the connection may have begun another, which gives way.
      forget(connection);
      const octets = updates.reduce((sum, update) => sum + octetsOf(update), 0);
      open.set(connection, { ...rest, updates: [...updates], octets });
      octetsAll += octets;
    },
    forget,
  };
}

type SettingName = 'ldap.transactionUpdatesMax' | 'ldap.transactionMib' | 'ldap.transactionsMib';

/** What the value of a control may grow to once it is read: a filter of many short items, above all. */
const readFactor = 32;

function octetsOf({ op, controls }: Queued): number {
  const ofControls = controls.counted.reduce((sum, { oid, value }) => sum + oid.length + 64 + (value?.length ?? 0) * readFactor, 0);
  return octetsOfRequest(op) + ofControls + updateOctets;
}

function octetsOfRequest(op: WriteRequest): number {
  const ofAttributes = (attributes: readonly PartialAttribute[]) =>
    attributes.reduce(
      (sum, { description, values }) => sum + description.length + values.reduce((all, { length }) => all + length + 64, 64),
      0,
    );
  switch (op.kind) {
    case 'addRequest':
      return op.entry.length + ofAttributes(op.attributes);
    case 'modifyRequest':
      return op.object.length + ofAttributes(op.changes.map(({ attribute }) => attribute));
    case 'delRequest':
      return op.entry.length;
    case 'modifyDNRequest':
      return op.entry.length + op.newRdn.length + (op.newSuperior?.length ?? 0);
  }
}

/** A message as it may wait: its values are views of what was read from the socket, all of which they would keep; of its controls it needs those that count. */
export function ownMessage(messageId: number, op: WriteRequest, counted: readonly Control[]) {
  const controls = counted.map((control) => (control.value === undefined ? control : { ...control, value: new Uint8Array(control.value) }));
  return { messageId, op: ownRequest(op), controls };
}

function ownRequest(op: WriteRequest): WriteRequest {
  const own = ({ description, values }: PartialAttribute) => ({ description, values: values.map((value) => new Uint8Array(value)) });
  if (op.kind === 'addRequest') return { ...op, attributes: op.attributes.map(own) };
  if (op.kind !== 'modifyRequest') return op;
  return { ...op, changes: op.changes.map(({ operation, attribute }): Modification => ({ operation, attribute: own(attribute) })) };
}
