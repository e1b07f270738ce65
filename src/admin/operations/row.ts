import type { z } from 'zod';
import type { ExampleRow } from '#catalogue';
import type { Actor, SessionOf } from '#client';
import type { Visit } from '#sessions';
import type { WebRealm } from '#web';
import type { OperationDeps } from './deps.ts';

export type Scope = 'admin:read' | 'admin:write';

/** Who an operation is done for: the directory judges what they may. */
export interface Caller {
  readonly kind: 'person' | 'application';
  readonly dn: string;
  readonly entryUuid: string;
  /** How strong their session, or their token, is towards the rules of access. */
  readonly session: SessionOf;
}

/** One call of an operation. */
export interface Call {
  readonly realm: WebRealm;
  readonly caller: Caller;
  /** The directory under the caller's authority. Nothing here reaches it otherwise. */
  readonly actor: Actor;
  readonly visit: Visit;
  /** Of this service as the caller sees it, without a slash at its end: `https://id.example.com`. */
  readonly origin: string;
  /** What the caller has read last of what they change (`entryCSN`); a change of anything newer is refused (RFC 9110 §13.1.1). */
  readonly ifMatch?: string;
  /** What is sent beside the members, for a row that takes a body of its own. */
  readonly body?: AsyncIterable<Uint8Array>;
  readonly deps: OperationDeps;
}

/** How the console shows an operation. */
export interface ConsoleForm {
  /** The page on which it stands: `users`, `users/person`. */
  readonly on: string;
  readonly title: string;
  /** On the button. */
  readonly verb: string;
  /** What will happen, for an operation that asks before it is done; members of the input stand in braces. */
  readonly danger?: string;
}

/** What a command needs beside what the row says of the operation. */
export interface Terminal {
  /** A member of the output that is a list, and which members of its things a table shows: what tells them apart first. */
  readonly list?: { readonly of: string; readonly columns: readonly string[] };
  readonly examples: readonly ExampleRow[];
}

/** A stream in place of members: sent as it is made. */
export interface Streamed {
  readonly stream: AsyncIterable<Uint8Array>;
}

/**
 * One row of the table of operations. The management API, the console and the commands are faces of it; its documentation is generated from it.
 *
 * Members of `input` that the path names come from there; of the others, those of GET and DELETE from the query, those of the other methods from the
 * body, but for `query`.
 */
export interface OperationRow<Input extends z.ZodObject, Output extends z.ZodObject> {
  /** `users.disable`: never changed, since clients are generated from it. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** A path of a realm: `/admin-api/users/:id`. */
  readonly path: `/admin-api/${string}`;
  readonly scope: Scope;
  /** In one line: "disable a person: every door refuses them". */
  readonly summary: string;
  /** More about it, for its documentation. */
  readonly more?: string;
  /** Strict: unknown members are refused. */
  readonly input: Input;
  /** Members of the answer beside `ok`. */
  readonly output: Output;
  /** Names of members that stand in the query though there is a body. */
  readonly query?: readonly string[];
  /** 201 for what makes something, which then takes an `Idempotency-Key`. 200 when absent. */
  readonly status?: 201;
  /** Of what makes something: the path of a realm at which it is read. Below its own path, by its id, when absent. */
  readonly location?: (output: Readonly<Record<string, unknown>>) => string;
  /** True for what is told once: the answer to the same `Idempotency-Key` does not say it again. */
  readonly once?: true;
  /** True for a change that a lost update would spoil: it takes `If-Match`. */
  readonly editable?: true;
  /** Members by the attributes that hold them (in lower case), and by `dn` the one that names the entry: at them the directory's refusals are told. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Sent beside the members, as octets of this type, at most as many as a setting says. */
  readonly takes?: { readonly type: string; readonly octetsMax: 'adminApi.ldifOctetsMax' };
  /** Sent in place of the members, as octets of this type: a file with this extension. */
  readonly gives?: { readonly type: string; readonly extension: string };
  /** For the audit row; members of the input stand in braces: `{user} disabled`. Never a secret. */
  readonly audit: string;
  /** Only where it is true of what the service has. Always, when absent. */
  readonly offered?: (deps: OperationDeps) => boolean;
  readonly console?: ConsoleForm;
  /** The words of `atrium` that do the same: `person disable`. */
  readonly command: string;
  /** For a command that is made of this row; absent where the command has a row of its own, which does more than this. */
  readonly terminal?: Terminal;
  /** Octets of a body; `http.bodyOctetsMax` when absent. */
  readonly bodyOctetsMax?: number;
  /**
   * @throws ClientRefusal   as the directory refuses it
   * @throws Refusal         a row of this room
   * @throws Unfit           field by field
   */
  run(call: Call, input: z.output<Input>): Promise<z.input<Output> | Streamed>;
}

/** A row whose shapes are known to itself alone. */
export type Operation = OperationRow<z.ZodObject, z.ZodObject>;

/** A row, with the types of its shapes held against what it does. */
export function operation<Input extends z.ZodObject, Output extends z.ZodObject>(row: OperationRow<Input, Output>): Operation {
  return row as unknown as Operation;
}
