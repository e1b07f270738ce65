import { fillText, type WebRealm } from '#web';
import { figure } from './parts.ts';
import type { ConsoleDeps } from './run.ts';

/** Deeds whose thing can be restored, and the page on which it is. */
const pages: Readonly<Record<string, string>> = {
  'users.delete': 'Deleted people',
  'groups.delete': 'Deleted groups',
  'applications.delete': 'Deleted applications',
};

const texts = {
  kept: 'For {days} it can be undone: Restore, on the page “{page}”. Of more than {max} deleted ones, those deleted first go earlier.',
  lost: 'It cannot be undone: this realm keeps nothing of what is deleted (directory.tombstoneDays is 0).',
} as const;

/** Whether what a deed deletes can be restored, for how long, and where; nothing of a deed that deletes no person, group or application. */
export function keptWords({ operating }: Pick<ConsoleDeps, 'operating'>, { id }: Pick<WebRealm, 'id'>, deed: string): string | undefined {
  const page = pages[deed];
  if (page === undefined) return undefined;
  const settings = operating.settingsOf(id);
  const [days, max] = [Number(settings['directory.tombstoneDays']), Number(settings['directory.tombstonesMax'])];
  if (days === 0 || max === 0) return texts.lost;
  return fillText(texts.kept, { page, days: days === 1 ? '1 day' : `${figure(days)} days`, max: figure(max) });
}
