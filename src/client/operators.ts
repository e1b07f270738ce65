import { type Control, formatDn, type Modification, type PartialAttribute, parseDn, type Request, resultCodes } from '#ldap';
import { type Actor, actorOf, type SearchOptions, searchRequest } from './actor.ts';
import { type ClientEntry, entryOf } from './entry.ts';
import type { Link } from './link.ts';
import { ClientRefusal } from './refusal.ts';

/** A connection over the operators' socket. */
export interface OperatorsClient extends AsyncDisposable {
  /** Reads and writes one by one, as the operators' socket may. */
  readonly actor: Actor;
  /**
   * Entries one by one, as they come. The directory is not read faster than they are taken; leaving the loop abandons the search.
   *
   * @throws ClientRefusal when the search ends with another result than success
   */
  search(options: SearchOptions, controls?: readonly Control[]): AsyncGenerator<ClientEntry, void, undefined>;
  /**
   * Sends many changes without waiting for each, save that a change waits for others on the same entry, its superior or what is below it.
   *
   * @param windowMax  how many may be without an answer
   * @param controls  that go with each of them
   */
  pipeline(windowMax: number, controls?: readonly Control[]): Pipeline;
  /**
   * An extended operation (RFC 4511 §4.12).
   *
   * @returns the value of its answer
   * @throws ClientRefusal
   */
  extended(oid: string, value: Uint8Array): Promise<Uint8Array | undefined>;
  close(): void;
}

/** Changes on their way. */
export interface Pipeline {
  /**
   * Sends an add as soon as there is room in the window, and resolves then.
   *
   * @param answered  called with the directory's refusal, or without one when it is done
   */
  add(dn: string, attributes: readonly PartialAttribute[], answered: (refusal: ClientRefusal | undefined) => void): Promise<void>;
  modify(dn: string, changes: readonly Modification[], answered: (refusal: ClientRefusal | undefined) => void): Promise<void>;
  delete(dn: string, answered: (refusal: ClientRefusal | undefined) => void): Promise<void>;
  /** Waits for nobody: a name that others are to be found by is theirs to wait for. */
  rename(dn: string, to: NewName, answered: (refusal: ClientRefusal | undefined) => void): Promise<void>;
  /** Resolves when everything is answered. @throws Refusal STS-CORE-9100 or 9101 when the connection ended before */
  drain(): Promise<void>;
}

export interface NewName {
  readonly newRdn: string;
  readonly deleteOldRdn: boolean;
  readonly newSuperior?: string;
}

export interface OperatorsOptions {
  readonly socketPath: string;
  /** Milliseconds to wait for an answer, and in a search for the next entry. */
  readonly timeoutMs?: number;
  readonly connectTimeoutMs?: number;
}

const timeoutStandingMs = 60_000;
const connectTimeoutStandingMs = 5000;
const answerOctetsMax = 2_147_483_647;
/** maxInt (RFC 4511 §4.1.1). */
const sizeLimitMax = 2_147_483_647;
/** Entries read ahead of who takes them; at this many the connection is read no further. */
const aheadMax = 256;

/**
 * Connects to the operators' socket and takes on the identity that whoever may open it has (SASL EXTERNAL, RFC 4422 appendix A).
 *
 * @throws Refusal STS-CORE-9100 when there is no directory behind the socket
 * @throws ClientRefusal when it does not take the bind
 */
export async function connectOperators({
  socketPath,
  timeoutMs = timeoutStandingMs,
  connectTimeoutMs = connectTimeoutStandingMs,
}: OperatorsOptions): Promise<OperatorsClient> {
  // Late: who finds no service to talk to need not load a library for it.
  const { Link } = await import('./link.ts');
  const link = await Link.open({ socketPath, connectTimeoutMs, answerOctetsMax });
  try {
    const { op } = await link.perform(
      {
        kind: 'bindRequest',
        version: 3,
        name: '',
        authentication: { kind: 'sasl', mechanism: 'EXTERNAL', credentials: new Uint8Array(0) },
      },
      [],
      { timeoutMs },
    );
    if (op.result.code !== resultCodes.success) throw new ClientRefusal(op.result);
  } catch (error) {
    link.close();
    throw error;
  }
  const close = () => link.close();
  return {
    actor: actorOf(
      'self',
      (op, controls, options) => link.perform(op, controls, { timeoutMs, ...options }),
      () => sizeLimitMax,
    ),
    search: (options, controls = []) => stream(link, searchRequest(options), controls, timeoutMs),
    pipeline: (windowMax, controls = []) => pipelineOver(link, windowMax, timeoutMs, controls),
    extended: async (oid, value) => {
      const { op } = await link.perform({ kind: 'extendedRequest', oid, value }, [], { timeoutMs });
      if (op.kind !== 'extendedResponse' || op.result.code !== resultCodes.success) throw new ClientRefusal(op.result);
      return op.value;
    },
    close,
    [Symbol.asyncDispose]: async () => close(),
  };
}

async function* stream(
  link: Link,
  request: Request,
  controls: readonly Control[],
  timeoutMs: number,
): AsyncGenerator<ClientEntry, void, undefined> {
  const ahead: ClientEntry[] = [];
  const leave = new AbortController();
  let paused = false;
  let over = false;
  let arrived = Promise.withResolvers<void>();
  const done = link
    .perform(request, controls, {
      timeoutMs,
      signal: leave.signal,
      onPart: ({ op }) => {
        if (op.kind !== 'searchResultEntry') return;
        ahead.push(entryOf(op.object, op.attributes));
        if (ahead.length >= aheadMax && !paused) {
          paused = true;
          link.pause();
        }
        arrived.resolve();
      },
    })
    .finally(() => {
      over = true;
      arrived.resolve();
    });
  // Whoever leaves the loop early never looks at how it ended.
  done.catch(() => undefined);

  try {
    for (;;) {
      // Taken in whole runs: a queue of many entries is not moved up for each of them.
      for (const entry of ahead.splice(0)) yield entry;
      if (paused) {
        paused = false;
        link.resume();
      }
      if (ahead.length > 0) continue;
      if (over) break;
      await arrived.promise;
      arrived = Promise.withResolvers<void>();
    }
    const { op } = await done;
    if (op.result.code !== resultCodes.success) throw new ClientRefusal(op.result);
  } finally {
    if (paused) link.resume();
    if (!over) leave.abort(new Error('the search was left'));
  }
}

function pipelineOver(link: Link, windowMax: number, timeoutMs: number, controls: readonly Control[]): Pipeline {
  let underWay = 0;
  let failed: unknown;
  let changed = Promise.withResolvers<void>();
  const near = new Map<string, number>();

  const send = async (dn: string, op: Request, answered: (refusal: ClientRefusal | undefined) => void) => {
    const names = namesOf(dn);
    // RFC 4511 §3.1: a server may work on several requests at one time. A change waits for those on its own entry, its superior and what is
    // directly below.
    while ((underWay >= windowMax || blocked(near, names)) && failed === undefined) await changed.promise;
    if (failed !== undefined) throw failed;
    underWay++;
    note(near, names, 1);
    link
      .perform(op, controls, { timeoutMs })
      .then(({ op: { result } }) => answered(result.code === resultCodes.success ? undefined : new ClientRefusal(result)))
      .catch((error: unknown) => {
        failed ??= error;
      })
      .finally(() => {
        underWay--;
        note(near, names, -1);
        changed.resolve();
        changed = Promise.withResolvers<void>();
      });
  };
  return {
    add: (dn, attributes, answered) => send(dn, { kind: 'addRequest', entry: dn, attributes }, answered),
    modify: (dn, changes, answered) => send(dn, { kind: 'modifyRequest', object: dn, changes }, answered),
    delete: (dn, answered) => send(dn, { kind: 'delRequest', entry: dn }, answered),
    rename: (dn, to, answered) => send(dn, { kind: 'modifyDNRequest', entry: dn, ...to }, answered),
    drain: async () => {
      while (underWay > 0) await changed.promise;
      if (failed !== undefined) throw failed;
    },
  };
}

interface Names {
  readonly own: string;
  readonly superior: string;
}

/** Two spellings of one name may differ here; then the directory's own refusal is what the caller gets. */
function namesOf(dn: string): Names {
  const parsed = parseDn(dn);
  if (parsed === undefined) return { own: dn, superior: '' };
  return { own: formatDn(parsed).toLowerCase(), superior: formatDn(parsed.slice(1)).toLowerCase() };
}

function blocked(near: ReadonlyMap<string, number>, { own, superior }: Names): boolean {
  return near.has(`=${own}`) || near.has(`=${superior}`) || near.has(`>${own}`);
}

/** Counts what is under way: `=` at an entry itself, `>` below it. */
function note(near: Map<string, number>, { own, superior }: Names, by: 1 | -1): void {
  for (const key of [`=${own}`, `>${superior}`]) {
    const count = (near.get(key) ?? 0) + by;
    if (count === 0) near.delete(key);
    else near.set(key, count);
  }
}
