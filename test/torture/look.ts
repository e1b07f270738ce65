import type { Request } from '#ldap';
import type { Lane } from './lane.ts';
import { type Slot, type State, settledBefore, textOf } from './model.ts';

/**
 * Looks at a slot by a search while a change of it may be on its way. What the search shows has happened: from its answer on, no failure may
 * undo it, though the change itself was not answered yet. And it shows a state from before or after a change, never one between.
 *
 * @returns what is wrong, if something is
 */
export async function look(lane: Lane, slot: Slot): Promise<string | undefined> {
  const from = Math.max(slot.steps.length - 1, 0);
  const before = settledBefore(slot, from);
  const dn = (before ?? slot.steps[from]?.after)?.dn;
  if (dn === undefined) return undefined;
  const { id, answer } = lane.send(searchOf(dn));
  const given = await answer;
  if (given === undefined) return undefined;
  if (given.code !== 0 && given.code !== 32) return `a search for ${dn} was answered ${given.code} (${given.diagnostic})`;
  const [entry] = given.entries;
  const shown = textOf(entry === undefined ? undefined : slot.part(entry));
  const at = (state: State) => textOf(state?.dn === dn ? state : undefined);
  if (shown === at(before)) return undefined;
  // The first change after which it may look like this: that much is certain. Not one that was refused, of which nothing may ever be seen.
  const done = slot.steps.slice(from).find((step) => (step.code ?? 0) === 0 && shown === at(step.after));
  if (done === undefined) return `a search shows ${slot.name} as it never was:\n${shown}`;
  done.shownBy.push(id);
  return undefined;
}

function searchOf(baseObject: string): Request {
  return {
    kind: 'searchRequest',
    baseObject,
    scope: 'base',
    derefAliases: 'never',
    sizeLimit: 0,
    timeLimitS: 0,
    typesOnly: false,
    filter: { kind: 'present', description: 'objectClass' },
    attributes: ['*'],
  };
}
