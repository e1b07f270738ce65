import { allOf, type ClientEntry, equals } from '#client';
import { validityAttributes } from '#holdings';
import { issuerOf } from '#oauth';
import { facts, type Handler, html, type Piece, type WebRequest } from '#web';
import { errors } from '../errors.ts';
import { deedLink } from './acts.ts';
import { applicationTexts as texts } from './application-texts.ts';
import { connectionsOf } from './connect.ts';
import { flash } from './flash.ts';
import { consolePage, type Drawn } from './frame.ts';
import type { Admin } from './gate.ts';
import type { Kind } from './listing.ts';
import { absent, crumbs, hrefOf, section } from './parts.ts';
import { stateOf, thingLink } from './people.ts';
import type { ConsoleDeps } from './run.ts';
import { curlCommand, searchCommand, terminal } from './terminal.ts';

/** Applications, as their list has them. */
export const applications: Kind = {
  below: 'ou=applications',
  isOne: equals('objectClass', 'stsApplication'),
  path: '/admin/applications',
  words: ['cn', 'description', 'stsClientId'],
  attributes: ['cn', 'description', 'stsClientId', 'entryUUID', ...validityAttributes],
  title: texts.title,
  filterHint: texts.filterHint,
  empty: texts.empty,
  columns: ({ realm }, nowMs) => [
    { head: texts.name, of: (entry) => thingLink(realm, '/admin/applications', entry, 'cn') },
    { head: texts.description, of: (entry) => entry.one('description') },
    { head: texts.clientId, of: (entry) => entry.has('stsClientId') && html`<code>${entry.one('stsClientId')}</code>` },
    { head: texts.state, of: (entry) => stateOf(entry, nowMs) },
  ],
  add: ['applications.create', texts.add],
  api: '/admin-api/applications',
};

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An application's page: what it may do, how to connect it, and what can be done with it. */
export function createApplicationHandler(deps: ConsoleDeps): Handler {
  return consolePage(deps, { needs: 'read' }, async (request, admin) => {
    const { params, realm } = request;
    const id = params['id'] ?? '';
    const filter = allOf(applications.isOne, equals('entryUUID', id.toLowerCase()));
    const search = {
      base: `ou=applications,${realm.suffix}`,
      scope: 'sub',
      filter,
      attributes: ['*', 'entryUUID', ...validityAttributes],
      sizeLimit: 1,
    } as const;
    const entry = uuidForm.test(id) ? (await admin.actor.search(search)).entries[0] : undefined;
    return entry === undefined ? absent(errors.thingAbsent) : applicationPage(deps, request, admin, entry);
  });
}

function applicationPage(deps: ConsoleDeps, request: WebRequest, admin: Admin, entry: ClientEntry): Drawn {
  const { realm } = request;
  const id = entry.one('entryUUID') ?? '';
  const name = entry.one('cn') ?? entry.dn;
  const rows = [...deps.operations.values()].filter(
    ({ name: each, scope, input }) =>
      each.startsWith('applications.') &&
      scope === 'admin:write' &&
      'application' in input.shape &&
      !['applications.change', 'applications.restore'].includes(each),
  );
  const deeds = rows.map((row) =>
    deedLink(deps, request, admin, {
      name: row.name,
      given: { application: id },
      thing: name,
      back: row.method === 'DELETE' ? applications.path : `/admin/applications/${id}`,
    }),
  );
  const isPublic = entry.one('stsTokenEndpointAuthMethod') === 'none';
  return {
    title: name,
    json: {
      dn: entry.dn,
      id,
      attributes: Object.fromEntries(entry.attributes.map(({ description }) => [description, entry.all(description)])),
    },
    main: html`${crumbs(realm, [['/admin/applications', texts.title]])}<h1>${name}</h1>${flash(deps, request)}
${section(
  'about',
  texts.about,
  facts([
    [texts.state, stateOf(entry, admin.nowMs)],
    [texts.description, entry.one('description')],
    [texts.url, entry.one('stsApplicationUrl')],
    ['entryUUID', html`<code>${id}</code>`],
    ['DN', html`<code>${entry.dn}</code>`],
  ]),
  html`<p class="ways"><a href="${hrefOf(realm, '/admin/directory', { dn: entry.dn })}">${texts.directory}</a>${admin.role === 'write' && html`<a href="${hrefOf(realm, '/admin/directory/edit', { dn: entry.dn })}">${texts.edit}</a>`}</p>`,
)}
${section('client', texts.client, entry.has('stsClientId') ? facts(clientRows(entry)) : html`<p>${texts.noClient}</p>`)}
${entry.has('stsClientId') && section('connect', texts.connect, html`<p>${isPublic ? texts.connectPublic : texts.connectWords}</p>`, connectionsOf({ entry, issuers: issuersOf(request, entry), managed: `${request.origin}${realm.prefix}/admin-api` }))}
${deeds.some((each) => each !== undefined) && section('acts', texts.acts, html`<div class="acts">${deeds}</div>`)}
${terminal([searchCommand(admin, { base: entry.dn, scope: 'base', filter: '(objectClass=*)' }), curlCommand(request, 'GET', `/admin-api/applications/${id}`)])}`,
  };
}

/** The authorization servers that an application may use: those that it names, or its realm's own. */
function issuersOf({ realm, origin }: WebRequest, entry: ClientEntry): readonly string[] {
  const named = entry.all('stsServer');
  return (named.length === 0 ? [''] : named).map((server) => issuerOf(realm, origin, server).url);
}

function clientRows(entry: ClientEntry): readonly (readonly [string, Piece])[] {
  const rows = Object.entries(texts.labels).flatMap(([attribute, label]): (readonly [string, Piece])[] => {
    const values = entry.all(attribute);
    return values.length === 0
      ? []
      : [[label, values.length === 1 ? values[0] : html`<ul>${values.map((value) => html`<li>${value}</li>`)}</ul>`]];
  });
  return [[texts.clientId, html`<code>${entry.one('stsClientId')}</code>`], ...rows];
}
