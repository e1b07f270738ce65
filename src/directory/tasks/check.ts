import { equalBytes, text } from '#base';
import { refuse } from '#catalogue';
import { parentKey } from '#schema';
import type { Snapshot } from '#store';
import type { Call } from '../call.ts';
import { errors } from '../errors.ts';
import type { Name } from '../realm.ts';
import type { Attributes } from '../record.ts';
import { taskListName } from './list.ts';

/** What may be done, and the options that each takes. */
export const taskKinds: Readonly<Record<string, readonly string[]>> = {
  import: ['dry-run', 'continue', 'strict', 'drop'],
  export: ['operational', 'secrets'],
  backup: [],
};

/** A name within a folder: no path, nothing hidden, nothing that another system could take for one. */
const fileName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

export function isTaskFile(name: string): boolean {
  return fileName.test(name);
}

const fixed = ['ststaskkind', 'ststaskrealm', 'ststaskfile', 'ststaskoption'];

export function isTask(attributes: Attributes): boolean {
  return textsOf(attributes, 'objectclass').some((name) => name.toLowerCase() === 'ststask');
}

/**
 * Holds a new task to what a task may be: it stands below cn=tasks, is given by who manages the default realm, and names a file that cannot be outside of
 * the folder.
 *
 * @throws Refusal `accessDenied` (50), `taskUnfit` (19), `tasksTooMany` (11)
 */
export function checkTask(call: Call, name: Name, attributes: Attributes, snapshot: Snapshot): void {
  const list = taskListName(call.engine);
  const isBelow = equalBytes(parentKey(name.key) ?? name.key, list.key);
  if (!isTask(attributes)) {
    if (isBelow) throw refuse(errors.taskUnfit, { attribute: 'objectClass', why: 'only tasks stand here' });
    return;
  }
  const suffix = snapshot.byDnKey(call.engine.realms.default.suffix.key);
  if (suffix === undefined || !call.asker.rightsAt(suffix, snapshot).mayManage)
    throw refuse(errors.accessDenied, { why: 'tasks are given by who manages the default realm' });
  if (!isBelow) throw refuse(errors.taskUnfit, { attribute: 'objectClass', why: `a task stands directly below ${list.text}` });
  const kind = textsOf(attributes, 'ststaskkind')[0]?.toLowerCase() ?? '';
  const options = Object.hasOwn(taskKinds, kind) ? taskKinds[kind] : undefined;
  if (options === undefined)
    throw refuse(errors.taskUnfit, { attribute: 'stsTaskKind', why: `it is one of ${Object.keys(taskKinds).join(', ')}` });
  const file = textsOf(attributes, 'ststaskfile')[0] ?? '';
  if (!fileName.test(file)) {
    const why = 'it is a name within the folder: letters, digits, dots, hyphens and underscores, the first no dot';
    throw refuse(errors.taskUnfit, { attribute: 'stsTaskFile', why });
  }
  for (const option of textsOf(attributes, 'ststaskoption')) {
    if (options.includes(option.toLowerCase())) continue;
    throw refuse(errors.taskUnfit, { attribute: 'stsTaskOption', why: `${kind} takes ${options.join(', ') || 'none'}` });
  }
  const { 'tasks.waitingMax': waiting, 'tasks.keptMax': kept } = call.engine.settings;
  const there = snapshot.byDnKey(list.key);
  if (there !== undefined && !snapshot.hasFewerChildren(there.uuid, waiting + kept))
    throw refuse(errors.tasksTooMany, { max: waiting + kept });
}

/** @throws Refusal `taskFixed` (53) for a change of what a task is to do */
export function checkTaskStays(before: Attributes, after: Attributes): void {
  if (!isTask(before)) return;
  for (const key of fixed) if (before.get(key) !== after.get(key)) throw refuse(errors.taskFixed);
}

function textsOf(attributes: Attributes, key: string): string[] {
  return (attributes.get(key)?.values ?? []).map((value) => text(value) ?? '');
}
