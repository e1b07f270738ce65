import { startTestAtrium, type TestAtrium, type TestOptions } from '../support/atrium.ts';
import { type Lane, openLane } from '../torture/lane.ts';

/** Connections of a running service, told apart by the thread that serves them. */
export interface Connected {
  readonly lane: Lane;
  /** What the ids of its thread's connections begin with. */
  readonly thread: string;
}

const connectionsMax = 200;

/** A whole Atrium with threads that serve LDAP beside the main one. */
export function startWithWorkers(count: number, { settings = {}, ...options }: TestOptions = {}): Promise<TestAtrium> {
  // The row of a bind says which thread served it: each has one.
  const own = { STS_LDAP_WORKERS: String(count), STS_SECURITY_REPEATED_BINDS_ROW_S: '0' };
  return startTestAtrium({ ...options, settings: { ...own, ...settings } });
}

export function portOf({ addresses }: TestAtrium): number {
  return Number(new URL(addresses.ldap ?? '').port);
}

/** Connects as the administrator until so many threads serve so many connections each: the system chooses who gets which. */
export async function connectToEach(atrium: TestAtrium, threads: number, each: number): Promise<Connected[]> {
  const kept = new Map<string, Lane[]>();
  for (let tries = 0; tries < connectionsMax; tries++) {
    const { lane, thread } = await connect(atrium);
    const same = kept.get(thread) ?? [];
    if (same.length < each) kept.set(thread, [...same, lane]);
    else lane.close();
    if (kept.size === threads && [...kept.values()].every(({ length }) => length === each)) {
      return [...kept].flatMap(([name, lanes]) => lanes.map((one) => ({ lane: one, thread: name })));
    }
  }
  throw new Error(`after ${connectionsMax} connections only ${kept.size} threads have served one`);
}

/** Connects as the administrator; the audit row of the bind names the thread. */
export async function connect(atrium: TestAtrium): Promise<Connected> {
  const before = binds(atrium).length;
  const lane = await openLane(portOf(atrium), atrium.adminDn, atrium.adminPassword);
  while (binds(atrium).length === before) await new Promise((resolve) => setImmediate(resolve));
  const thread =
    binds(atrium)
      .at(-1)
      ?.correlationId.replace(/-\d+:\d+$/, '') ?? '';
  return { lane, thread };
}

function binds({ audit }: TestAtrium) {
  return audit.filter(({ action, door }) => action === 'ldap.bind' && door === 'ldap');
}
