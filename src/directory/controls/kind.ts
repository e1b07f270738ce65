import { refuse } from '#catalogue';
import { type BerReader, type Control, decodeBer, type Request } from '#ldap';
import { errors } from '../errors.ts';
import type { Connection } from '../types.ts';

export type Operation = Request['kind'];

/** One control that requests may carry (RFC 4511 §4.1.11): a row of `table.ts`, and the reader of its value. */
export interface ControlKind<T> {
  readonly oid: string;
  /** What the RFC calls it. */
  readonly name: string;
  readonly operations: readonly Operation[];
  /** Where it counts and is listed; everywhere when it does not say. */
  readonly offered?: (connection: Connection) => boolean;
  /** @throws Refusal `controlMalformed` (LDAP 2) */
  read(control: Control): T;
}

/** The controls of one request that count, and those of its final answer. */
export interface Controls {
  /** What the request says by a control; `undefined` when it does not carry it. */
  of<T>(kind: ControlKind<T>): T | undefined;
  has(kind: ControlKind<unknown>): boolean;
  /** Those that count, as they came. */
  readonly counted: readonly Control[];
  /** Sends a control along with the final answer, whatever that will be. */
  answer(control: Control): void;
  /** What `answer` was given. */
  readonly answers: readonly Control[];
}

/** For a request without controls, as most are. */
export const noControls: Controls = {
  of: () => undefined,
  has: () => false,
  counted: [],
  answer: () => {
    throw new Error('a request without controls is answered without');
  },
  answers: [],
};

/** A value may be as large as its message; nothing that a control has to say is, and some of them are read into many small parts. */
const valueOctetsMax = 1_048_576;

/** @throws Refusal `controlMalformed` for a value that is not just what `read` reads, and for one that is larger than any has to be */
export function readControl<T>(control: Control, read: (ber: BerReader) => T): T {
  if (control.value !== undefined && control.value.length > valueOctetsMax) throw malformed(control);
  const value = control.value === undefined ? undefined : decodeBer(control.value, (ber) => ({ read: read(ber) }));
  if (value === undefined) throw malformed(control);
  return value.read;
}

/** Of a control that has no value. @throws Refusal `controlMalformed` for one that brings a value */
export function readMark(control: Control): true {
  if (control.value !== undefined && control.value.length > 0) throw malformed(control);
  return true;
}

/** The refusal (2) of a control whose value or combination is not what its document says. */
export function malformed({ oid }: Control) {
  return refuse(errors.controlMalformed, { oid });
}
