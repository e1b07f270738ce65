import { type ClientEntry, equals } from '#client';
import { barOf, validityAttributes, validityOf } from '#holdings';
import { html, pathIn, type WebRealm } from '#web';
import type { Kind } from './listing.ts';
import { state } from './parts.ts';
import { peopleTexts as texts } from './people-texts.ts';

/** People, as their list has them. */
export const people: Kind = {
  below: 'ou=people',
  isOne: equals('objectClass', 'person'),
  path: '/admin/users',
  words: ['uid', 'cn', 'displayName', 'mail'],
  attributes: ['uid', 'cn', 'displayName', 'mail', 'title', 'entryUUID', ...validityAttributes],
  title: texts.title,
  filterHint: texts.filterHint,
  empty: texts.empty,
  columns: ({ realm }, nowMs) => [
    { head: texts.userName, of: (entry) => thingLink(realm, '/admin/users', entry, 'uid') },
    { head: texts.name, of: (entry) => entry.one('displayName') ?? entry.one('cn') },
    { head: texts.mail, of: (entry) => entry.one('mail') },
    { head: texts.role, of: (entry) => entry.one('title') },
    { head: texts.state, of: (entry) => stateOf(entry, nowMs) },
  ],
  add: ['users.create', texts.add],
  api: '/admin-api/users',
  command: ['person', 'list'],
};

/** A thing by its name, which is the link to its page. */
export function thingLink(realm: WebRealm, path: string, entry: ClientEntry, namedBy: string) {
  return html`<a class="way" href="${pathIn(realm, `${path}/${entry.one('entryUUID') ?? ''}`)}">${entry.one(namedBy) ?? entry.dn}</a>`;
}

/** Whether a door lets them in. */
export function stateOf(entry: ClientEntry, nowMs: number) {
  const bar = barOf(
    validityOf((name) => entry.one(name)),
    nowMs,
  );
  return bar === undefined ? state('good', texts.states.enabled) : state(bar === 'disabled' ? 'bad' : 'careful', texts.states[bar]);
}
