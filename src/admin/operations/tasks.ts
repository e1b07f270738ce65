import { z } from 'zod';
import { uuid4 } from '#base';
import { refuse } from '#catalogue';
import { attributesOf, type ClientEntry, equals } from '#client';
import { errors } from '../errors.ts';
import { readAgain } from './entry-edit.ts';
import { nextMember, pageMembers, pageOf } from './paging.ts';
import { type Call, type Operation, operation } from './row.ts';

/** Where tasks are: their entries stand in the default realm, and whoever manages that gives them. */
function placeOf({ deps }: Pick<Call, 'deps'>): string {
  return `cn=tasks,${deps.realms.standing.suffix}`;
}

const attributes = [
  'cn',
  'stsTaskKind',
  'stsTaskState',
  'stsTaskPercent',
  'stsTaskFile',
  'stsTaskResult',
  'stsTaskMessage',
  'createTimestamp',
];
const taskShape = z.strictObject({
  name: z.string(),
  kind: z.string(),
  asked: z.string().describe('When: GeneralizedTime.'),
  state: z.string().describe('waiting, checking, running, undoing, done, failed or interrupted'),
  percent: z.int().min(0).max(100),
  file: z.string().optional().describe('Within the folder `exchange` of the data folder.'),
  result: z.string().optional(),
  messages: z.array(z.string()),
});

const backUp = operation({
  name: 'backup.create',
  method: 'POST',
  path: '/admin-api/backup',
  scope: 'admin:write',
  summary: 'copy all that the directory holds into a new file of the folder `exchange`, for atrium restore',
  more: 'It is done beside the service: `tasks.list` says how far it is. The key-encryption key is not in the file, and must be kept elsewhere.',
  status: 201,
  input: z.strictObject({
    file: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,100}$/, 'is letters, digits, dots, dashes and underlines')
      .optional()
      .describe('Its name; absent: one is chosen.'),
  }),
  output: z.strictObject({ task: taskShape }),
  audit: 'a backup asked for',
  console: { on: 'ldif', title: 'Back up', verb: 'Back up' },
  command: 'backup',
  run: async (call, { file }) => {
    const name = `backup-${uuid4(call.deps.chance)}`;
    const dn = `cn=${name},${placeOf(call)}`;
    const stsTaskFile = file ?? `${name}.sqlite`;
    await call.actor.add(dn, attributesOf({ objectClass: 'stsTask', cn: name, stsTaskKind: 'backup', stsTaskFile }));
    return { task: taskOf(await readAgain(call, dn, attributes, { word: 'task' })) };
  },
});

const list = operation({
  name: 'tasks.list',
  method: 'GET',
  path: '/admin-api/tasks',
  scope: 'admin:read',
  summary: 'list imports, exports and backups that were asked for, and how far they are, the newest of a page first',
  input: z.strictObject({ ...pageMembers }),
  output: z.strictObject({ tasks: z.array(taskShape), ...nextMember }),
  audit: 'tasks listed',
  command: 'task list',
  terminal: {
    list: { of: 'tasks', columns: ['name', 'kind', 'asked', 'state', 'percent', 'file', 'result'] },
    examples: [{ line: 'atrium task list' }],
  },
  run: async (call, page) => {
    const search = { base: placeOf(call), scope: 'one', filter: equals('objectClass', 'stsTask'), attributes } as const;
    const { entries, ...next } = await pageOf(call, search, page);
    const tasks = entries.map(taskOf).toSorted((one, other) => other.asked.localeCompare(one.asked));
    return { tasks, ...next };
  },
});

const read = operation({
  name: 'tasks.read',
  method: 'GET',
  path: '/admin-api/tasks/:task',
  scope: 'admin:read',
  summary: 'show how far an import, an export or a backup is',
  input: z.strictObject({
    task: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,200}$/, 'is no name of a task')
      .describe('Its name.'),
  }),
  output: z.strictObject({ task: taskShape }),
  audit: 'task {task} read',
  command: 'task show',
  terminal: { examples: [{ line: 'atrium task show nothing-like-it', does: 'which is not there', status: 3 }] },
  run: async (call, { task }) => {
    const entry = await call.actor.read(`cn=${task},${placeOf(call)}`, attributes);
    if (entry === undefined) throw refuse(errors.absent, { what: 'task', field: 'task' });
    return { task: taskOf(entry) };
  },
});

export const taskRows: readonly Operation[] = [backUp, list, read];

function taskOf(entry: ClientEntry): z.input<typeof taskShape> {
  const [file, result] = [entry.one('stsTaskFile'), entry.one('stsTaskResult')];
  return {
    name: entry.one('cn') ?? '',
    kind: entry.one('stsTaskKind') ?? '',
    asked: entry.one('createTimestamp') ?? '',
    state: entry.one('stsTaskState') ?? 'waiting',
    percent: Number(entry.one('stsTaskPercent') ?? 0),
    ...(file === undefined ? {} : { file }),
    ...(result === undefined ? {} : { result }),
    messages: entry.all('stsTaskMessage').toSorted(),
  };
}
