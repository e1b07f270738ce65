import { text } from '#base';
import { type Actor, allOf, anyOf, type ClientEntry, equals } from '#client';
import { facts, fillText, type Handler, html, notice, type Piece, type WebRequest } from '#web';
import { errors } from '../errors.ts';
import { deedLink } from './acts.ts';
import { flash } from './flash.ts';
import { consolePage, type Drawn } from './frame.ts';
import { type Admin, nameOf } from './gate.ts';
import { groupTexts as texts } from './group-texts.ts';
import type { Kind } from './listing.ts';
import { absent, crumbs, figure, hrefOf, pager, section, table } from './parts.ts';
import { thingLink } from './people.ts';
import type { ConsoleDeps } from './run.ts';
import { atriumCommand, curlCommand, searchCommand, terminal } from './terminal.ts';

const classes = ['groupOfNames', 'groupOfUniqueNames', 'groupOfURLs'] as const;

/** Groups, as their list has them. */
export const groups: Kind = {
  below: 'ou=groups',
  isOne: anyOf(...classes.map((name) => equals('objectClass', name))),
  path: '/admin/groups',
  words: ['cn', 'description'],
  attributes: ['cn', 'description', 'stsRole', 'objectClass', 'entryUUID'],
  title: texts.title,
  filterHint: texts.filterHint,
  empty: texts.empty,
  columns: ({ realm }) => [
    { head: texts.name, of: (entry) => thingLink(realm, '/admin/groups', entry, 'cn') },
    { head: texts.description, of: (entry) => entry.one('description') },
    { head: texts.role, of: (entry) => entry.all('stsRole').join(', ') },
    { head: texts.kind, of: kindOf },
  ],
  add: ['groups.create', texts.add],
  api: '/admin-api/groups',
  command: ['group', 'list'],
};

function kindOf(entry: ClientEntry): string | undefined {
  const has = entry.all('objectClass').map((name) => name.toLowerCase());
  const found = classes.toReversed().find((name) => has.includes(name.toLowerCase()));
  return found && texts.kinds[found];
}

const membersMax = 100;
const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A group's page. Under `/at` it is looked for by its name, and found under its entryUUID. */
export function createGroupHandler(deps: ConsoleDeps): Handler {
  return consolePage(deps, { needs: 'read' }, async (request, admin) => {
    const { params, query, realm } = request;
    const id = params['id'] ?? '';
    const isThis =
      id === 'at' ? equals('entryDN', query.get('dn') ?? '') : uuidForm.test(id) ? equals('entryUUID', id.toLowerCase()) : undefined;
    const entry = isThis && (await groupOf(admin.actor, realm.suffix, isThis));
    if (entry === undefined) return absent(errors.thingAbsent);
    const found = entry.one('entryUUID') ?? '';
    if (id === 'at') return { kind: 'redirect', status: 303, to: `/admin/groups/${found}` };
    const from = Math.max(1, Number.parseInt(query.get('from') ?? '1', 10) || 1);
    return groupPage(deps, request, admin, { entry, id: found, from });
  });
}

async function groupOf(actor: Actor, suffix: string, isThis: ReturnType<typeof equals>): Promise<ClientEntry | undefined> {
  const attributes = ['*', 'entryUUID', 'memberOf'];
  return (await actor.search({ base: suffix, scope: 'sub', filter: allOf(groups.isOne, isThis), attributes, sizeLimit: 1 })).entries[0];
}

/** The texts are made when they are asked for. */
function jsonOf(dn: string, id: string, values: readonly Uint8Array[]) {
  return {
    dn,
    id,
    get members() {
      return textsOf(values);
    },
  };
}

function textsOf(values: readonly Uint8Array[]): readonly string[] {
  return values.flatMap((value) => text(value) ?? []);
}

function groupPage(
  deps: ConsoleDeps,
  request: WebRequest,
  admin: Admin,
  { entry, id, from }: { entry: ClientEntry; id: string; from: number },
): Drawn {
  const { realm } = request;
  const name = entry.one('cn') ?? entry.dn;
  // There may be very many: those alone become texts that are shown.
  const members = [...entry.octets('member'), ...entry.octets('uniqueMember')];
  const shown = textsOf(members.slice(from - 1, from - 1 + membersMax));
  const deed = (operation: string, more: Readonly<Record<string, string>> = {}): Piece =>
    deedLink(deps, request, admin, { name: operation, given: { group: id, ...more }, thing: name, back: `/admin/groups/${id}` });
  const deeds = [...deps.operations.values()].filter(
    ({ name: each, scope, input }) =>
      each.startsWith('groups.') && scope === 'admin:write' && 'group' in input.shape && each !== 'groups.restore',
  );
  const roles = entry.all('stsRole');
  const next = from - 1 + shown.length < members.length ? { from: String(from + membersMax) } : undefined;
  return {
    title: name,
    json: jsonOf(entry.dn, id, members),
    main: html`${crumbs(realm, [['/admin/groups', texts.title]])}<h1>${name}</h1>${flash(deps, request)}
${roles.length > 0 && notice('careful', 'role', fillText(texts.roleHint, { role: roles.join(', ') }))}
${section(
  'about',
  texts.about,
  facts([
    [texts.description, entry.all('description').join(' ')],
    [texts.kind, kindOf(entry)],
    [texts.in, entry.all('memberOf').map(nameOf).join(', ')],
    ...entry.all('memberURL').map((url): readonly [string, Piece] => ['memberURL', html`<code>${url}</code>`]),
    ['entryUUID', html`<code>${id}</code>`],
    ['DN', html`<code>${entry.dn}</code>`],
  ]),
  html`<p class="ways"><a href="${hrefOf(realm, '/admin/directory', { dn: entry.dn })}">${texts.directory}</a></p>`,
)}
${section(
  'members',
  `${texts.members} (${figure(members.length)})`,
  members.length === 0
    ? html`<p>${texts.noMembers}</p>`
    : table(texts.members, shown, [
        { head: texts.memberName, of: (dn) => html`<a class="way" href="${hrefOf(realm, '/admin/directory', { dn })}">${nameOf(dn)}</a>` },
        { head: 'DN', of: (dn) => html`<code>${dn}</code>` },
      ]),
  members.length > membersMax &&
    pager({
      realm,
      path: `/admin/groups/${id}`,
      query: {},
      from,
      shown: shown.length,
      count: { of: members.length, isAtLeast: false },
      next,
    }),
)}
${deeds.length > 0 && section('acts', texts.acts, html`<div class="acts">${deeds.map((row) => deed(row.name))}</div>`)}
${terminal([
  searchCommand(admin, { base: entry.dn, scope: 'base', filter: '(objectClass=*)' }),
  curlCommand(request, 'GET', `/admin-api/groups/${id}`),
  atriumCommand(request, 'group', 'show', name),
])}`,
  };
}
