import { notice, type Piece, type WebRequest } from '#web';
import { keptWords } from './kept.ts';
import type { ConsoleDeps } from './run.ts';
import { texts } from './texts.ts';

/** In place of a deed, where a sign-in leads for which another tab waits. */
export const signedIn = 'sign-in';

/** The one line that says what was done, above the page to which it leads. */
export function flash(deps: Pick<ConsoleDeps, 'operations' | 'operating'>, { query, realm }: WebRequest): Piece {
  const done = query.get('done') ?? '';
  // Who has cancelled it has not.
  if (done === signedIn && !query.has('authn_error')) return notice('good', 'done', texts.signedIn);
  const row = deps.operations.get(done);
  if (row === undefined) return undefined;
  const undo = undoOf[row.name] ?? keptWords(deps, realm, row.name);
  return notice('good', 'done', `${texts.done}: ${row.console?.title ?? row.summary}.${undo === undefined ? '' : ` ${undo}`}`);
}

/** How something is undone, where it can be. */
const undoOf: Readonly<Record<string, string>> = {
  'users.disable': 'Enable undoes it; what they were signed in with stays ended.',
  'users.enable': 'Disable undoes it.',
};
