import { Readable } from 'node:stream';
import { utf8 } from '#base';
import type { Sessions } from '#sessions';
import type { WebRequest } from '#web';
import type { OperationDeps } from '../operations/deps.ts';
import { type Performed, perform } from '../operations/perform.ts';
import type { Call, Operation } from '../operations/row.ts';
import type { Admin, GateDeps } from './gate.ts';

/** What the pages of the console rest on. */
export interface ConsoleDeps extends GateDeps {
  readonly sessions: Pick<Sessions, 'find' | 'park' | 'endAll' | 'list'>;
  readonly operating: OperationDeps;
  /** The operations that there are here, by name. */
  readonly operations: ReadonlyMap<string, Operation>;
}

/** The operations that are offered, by name. */
export function offeredOf(table: readonly Operation[], deps: OperationDeps): ReadonlyMap<string, Operation> {
  return new Map(table.filter(({ offered }) => offered?.(deps) ?? true).map((row) => [row.name, row]));
}

/** Whether somebody may have an operation done by the console: Admin Read sees, Admin Write changes. */
export function mayRun({ role }: Pick<Admin, 'role'>, { scope }: Operation): boolean {
  return scope === 'admin:read' || role === 'write';
}

/**
 * Has an operation done in the name of who is before the console: the same row as the management API's, under the session's authority.
 *
 * @param input  members as JSON has them
 * @param more   what is sent beside them, for an operation that takes it; what of it was read before it is changed
 */
export function run(
  deps: ConsoleDeps,
  row: Operation,
  request: WebRequest,
  admin: Admin,
  input: Readonly<Record<string, unknown>>,
  { body, ifMatch }: { readonly body?: string | undefined; readonly ifMatch?: string } = {},
): Promise<Performed> {
  const sent = { ...(body === undefined ? {} : { body: Readable.from([utf8(body)]) }), ...(ifMatch === undefined ? {} : { ifMatch }) };
  return perform(row, { ...callOf(deps, request, admin), ...sent }, input);
}

/** A call of an operation in the name of who is before the console. */
export function callOf({ operating }: ConsoleDeps, { realm, origin }: WebRequest, { acting, actor, person, visit }: Admin): Call {
  const caller = { kind: 'person', dn: acting.dn, entryUuid: person.entryUuid, session: acting.session } as const;
  return { realm, origin, caller, actor, visit, deps: operating };
}

/** What an operation that only reads answers; `undefined` where it is not there or was refused. */
export async function outputOf(
  deps: ConsoleDeps,
  name: string,
  request: WebRequest,
  admin: Admin,
  input: Readonly<Record<string, unknown>> = {},
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const row = deps.operations.get(name);
  if (row === undefined || !mayRun(admin, row)) return undefined;
  const performed = await run(deps, row, request, admin, input);
  return performed.kind === 'done' ? performed.output : undefined;
}
