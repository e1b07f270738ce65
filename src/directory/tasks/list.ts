import { equalBytes, text, utf8 } from '#base';
import type { LdifContent } from '#ldap';
import { isWithin, parentKey } from '#schema';
import type { Change, Expectation, StoredEntry } from '#store';
import { type Engine, newestEngine } from '../engine.ts';
import { importLive } from '../import/live.ts';
import { type Name, nameOf } from '../realm.ts';
import { type Attributes, attributesOf, recordOf, stampChanged } from '../record.ts';
import { stamped } from '../stamped.ts';
import { submit, submitBulk } from '../write.ts';

export type TaskState = 'waiting' | 'checking' | 'running' | 'undoing' | 'done' | 'failed' | 'interrupted';

/** A task as its entry says it. */
export interface Task {
  readonly uuid: string;
  readonly dn: string;
  readonly kind: string;
  readonly realm: string;
  readonly file: string;
  readonly options: readonly string[];
  readonly state: TaskState;
  /** How far an import has come, for who goes on with it. */
  readonly place: string | undefined;
  readonly messages: readonly string[];
  /** Who gave it, and when, as its entry says. */
  readonly by: string;
  readonly created: string;
  readonly ended: string | undefined;
}

/** What is written to a task's entry; what is absent stays as it is. */
export interface TaskProgress {
  readonly state?: TaskState;
  readonly done?: number;
  readonly percent?: number;
  /** All of them, in place of those that there are. */
  readonly messages?: readonly string[];
  readonly result?: string;
  readonly place?: string;
  readonly started?: string;
  readonly ended?: string;
}

/** Other changes that are written in the same commit, or none of them. */
export interface Along {
  readonly expected: readonly Expectation[];
  readonly changes: readonly Change[];
  /** Whether they are very many new entries: whoever comes to write meanwhile goes first. */
  readonly bulk?: boolean;
}

/** `gone` when somebody has deleted the task, `gaveWay` when others came to write first; otherwise the expectation of what goes along that does not hold. */
export type TaskUpdated = 'written' | 'gone' | 'gaveWay' | Expectation;

/** The tasks of the directory, for the thread that writes. */
export interface TaskList {
  /** In the order in which they were given. */
  all(): Task[];
  find(uuid: string): Task | undefined;
  update(uuid: string, progress: TaskProgress, along?: Along): Promise<TaskUpdated>;
  remove(uuid: string): Promise<void>;
  /** Calls when a task came, went or was changed, with those that went as they were. @returns ends it */
  watch(listener: (gone: readonly Task[]) => void): () => void;
}

const listsMax = 10_000;

export function taskListName({ schema, realms }: Pick<Engine, 'schema' | 'realms'>): Name {
  return nameOf(schema, `cn=tasks,${realms.default.suffix.text}`);
}

/** Opens the list, and makes it where there is none yet. */
export async function openTaskList(opened: Engine): Promise<TaskList> {
  const list = taskListName(opened);
  if (opened.store.snapshot().byDnKey(list.key) === undefined) await importLive(opened, [listRecord(list)]);
  const { store } = opened;
  return {
    all: () => {
      const snapshot = store.snapshot();
      const parent = snapshot.byDnKey(list.key);
      const ids = parent === undefined ? [] : snapshot.children(parent.uuid, 0, listsMax);
      return ids.flatMap((id) => taskOf(newestEngine(opened), snapshot.byId(id)) ?? []);
    },
    find: (uuid) => taskOf(newestEngine(opened), store.snapshot().byUuid(uuid)),
    update: (uuid, progress, along) => update(opened, uuid, progress, along),
    async remove(uuid) {
      const entry = store.snapshot().byUuid(uuid);
      if (entry === undefined) return;
      const engine = newestEngine(opened);
      const expected: Expectation[] = [{ kind: 'unchanged', uuid, csn: entry.csn }];
      await submit(engine, { expected, changes: [{ kind: 'delete', uuid, csn: engine.csn.next() }] });
    },
    watch: (listener) =>
      store.watch((changes) => {
        const isTask = ({ dnKey }: { readonly dnKey: Uint8Array }) => isWithin(dnKey, list.key);
        if (!changes.some(({ change, before }) => (before && isTask(before)) || (change.kind !== 'delete' && isTask(change.entry)))) return;
        const engine = newestEngine(opened);
        listener(changes.flatMap(({ change, before }) => (change.kind === 'delete' ? (taskOf(engine, before) ?? []) : [])));
      }),
  };
}

/** The entry that tasks stand below. */
export function listRecord({ text: dn }: Pick<Name, 'text'>): LdifContent {
  const values = (...texts: string[]) => texts.map(utf8);
  return {
    ...{ kind: 'content', line: 0, dn },
    attributes: [
      { description: 'objectClass', values: values('top', 'stsTaskList') },
      { description: 'cn', values: values('tasks') },
      { description: 'description', values: values('Imports, exports and backups: what an administrator has the directory do') },
    ],
  };
}

function taskOf(engine: Engine, entry: StoredEntry | undefined): Task | undefined {
  if (entry === undefined || !equalBytes(parentKey(entry.dnKey) ?? entry.dnKey, taskListName(engine).key)) return undefined;
  const attributes = attributesOf(engine.schema, entry);
  const all = (key: string) => (attributes.get(key)?.values ?? []).map((value) => text(value) ?? '');
  const one = (key: string) => all(key)[0];
  const [kind, file] = [one('ststaskkind'), one('ststaskfile')];
  if (kind === undefined || file === undefined) return undefined;
  return {
    uuid: entry.uuid,
    dn: entry.dn,
    kind: kind.toLowerCase(),
    realm: (one('ststaskrealm') ?? 'default').toLowerCase(),
    file,
    options: all('ststaskoption').map((option) => option.toLowerCase()),
    state: (one('ststaskstate') ?? 'waiting') as TaskState,
    place: one('ststaskplace'),
    messages: all('ststaskmessage'),
    by: one('creatorsname') ?? '',
    created: one('createtimestamp') ?? '',
    ended: one('ststaskended'),
  };
}

/** Others may change the description meanwhile: then it is read and written again. */
const attemptsMax = 20;

async function update(opened: Engine, uuid: string, progress: TaskProgress, along?: Along): Promise<TaskUpdated> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const engine = newestEngine(opened);
    const entry = engine.store.snapshot().byUuid(uuid);
    if (entry === undefined) return 'gone';
    const attributes = attributesOf(engine.schema, entry);
    write(attributes, progress);
    const csn = engine.csn.next();
    stampChanged(attributes, { csn, nowMs: engine.clock.nowMs(), by: '' });
    const place = { uuid, parent: entry.parent, name: { ...nameOf(engine.schema, entry.dn), text: entry.dn }, csn };
    const own: Change = { kind: 'put', entry: recordOf(engine.schema, place, attributes) };
    // CSNs ascend as commits do, whenever the entries that go along were made.
    const changes = stamped([...(along?.changes ?? []), own], engine.csn);
    const expected: Expectation[] = [{ kind: 'unchanged', uuid, csn: entry.csn }, ...(along?.expected ?? [])];
    const result = await (along?.bulk === true ? submitBulk : submit)(engine, { expected, changes });
    if (result.kind === 'committed') return 'written';
    if (result.kind === 'gaveWay') return 'gaveWay';
    const { failed } = result;
    if (failed.kind !== 'unchanged' || failed.uuid !== uuid) return failed;
  }
  throw new Error(`the entry of a task is changed again and again: ${uuid}`);
}

function write(attributes: Attributes, progress: TaskProgress): void {
  const set = (description: string, values: readonly string[] | undefined) => {
    if (values === undefined) return;
    if (values.length === 0) attributes.delete(description.toLowerCase());
    else attributes.set(description.toLowerCase(), { description, values: values.map(utf8) });
  };
  const one = (value: string | number | undefined) => (value === undefined ? undefined : [String(value)]);
  set('stsTaskState', one(progress.state));
  set('stsTaskDone', one(progress.done));
  set('stsTaskPercent', one(progress.percent));
  set('stsTaskMessage', progress.messages);
  set('stsTaskResult', one(progress.result));
  set('stsTaskPlace', one(progress.place));
  set('stsTaskStarted', one(progress.started));
  set('stsTaskEnded', one(progress.ended));
}
