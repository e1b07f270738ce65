import { allOf, type ClientEntry, equals } from '#client';
import {
  type AppPassword,
  appPasswordAttributes,
  appPasswordsOf,
  factorAttributes,
  type Holdings,
  holdingsOf,
  type SecurityKey,
  validityAttributes,
} from '#holdings';
import type { Session } from '#sessions';
import {
  facts,
  fillText,
  type Handler,
  html,
  notice,
  type Piece,
  readTime,
  type SafeHtml,
  type ThingRow,
  things,
  timeHtml,
  type WebRequest,
} from '#web';
import { errors } from '../errors.ts';
import { deedLink } from './acts.ts';
import { flash } from './flash.ts';
import { consolePage, type Drawn } from './frame.ts';
import { type Admin, nameOf } from './gate.ts';
import { absent, crumbs, hrefOf, section } from './parts.ts';
import { stateOf } from './people.ts';
import { peopleTexts as texts } from './people-texts.ts';
import type { ConsoleDeps } from './run.ts';
import { atriumCommand, curlCommand, searchCommand, terminal } from './terminal.ts';
import { whySection } from './why.ts';

const shown = ['displayName', 'cn', 'mail', 'telephoneNumber', 'mobile', 'title', 'ou', 'departmentNumber', 'employeeNumber', 'manager'];
const attributes = [
  ...shown,
  ...[
    'uid',
    'entryUUID',
    'createTimestamp',
    'modifyTimestamp',
    'memberOf',
    'stsHasPassword',
    'pwdReset',
    'pwdChangedTime',
    'stsPasswordExpires',
  ],
  ...validityAttributes,
  ...factorAttributes,
  ...appPasswordAttributes,
];
const sessionsMax = 20;
const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A person's page: who they are, how they sign in, where they are signed in, their groups, and all that can be done with them. */
export function createPersonHandler(deps: ConsoleDeps): Handler {
  return consolePage(deps, { needs: 'read' }, async (request, admin) => {
    const entry = await entryOf(admin, request);
    if (entry === undefined) return absent(errors.thingAbsent);
    const id = entry.one('entryUUID') ?? '';
    const sessions = await deps.sessions.list(request.realm.id, id, sessionsMax + 1);
    const why = await whySection(deps, request, admin, id);
    return personPage(deps, request, admin, { entry, id, sessions, why });
  });
}

async function entryOf({ actor }: Admin, { params, realm }: WebRequest): Promise<ClientEntry | undefined> {
  const id = params['id'] ?? '';
  if (!uuidForm.test(id)) return undefined;
  const filter = allOf(equals('objectClass', 'person'), equals('entryUUID', id.toLowerCase()));
  return (await actor.search({ base: `ou=people,${realm.suffix}`, scope: 'sub', filter, attributes, sizeLimit: 1 })).entries[0];
}

interface Shown {
  readonly entry: ClientEntry;
  readonly id: string;
  readonly sessions: readonly Session[];
  readonly why: Piece;
}

function personPage(deps: ConsoleDeps, request: WebRequest, admin: Admin, { entry, id, sessions, why }: Shown): Drawn {
  const { realm } = request;
  const { nowMs } = admin;
  const uid = entry.one('uid') ?? entry.dn;
  const holdings = holdingsOf(entry);
  const deed = (name: string, more: Readonly<Record<string, string>> = {}, verb?: string) =>
    deedLink(deps, request, admin, { name, given: { user: id, ...more }, thing: uid, back: `/admin/users/${id}` }, verb);
  return {
    title: uid,
    json: { dn: entry.dn, id, uid, holdings, sessions: sessions.map(({ sid, createdMs, lastUsedMs }) => ({ sid, createdMs, lastUsedMs })) },
    main: html`${crumbs(realm, [['/admin/users', texts.title]])}<h1>${entry.one('displayName') ?? entry.one('cn') ?? uid}</h1>${flash(deps, request)}
${section('account', texts.account, facts(accountRows(request, entry, nowMs)), html`<p class="ways"><a href="${hrefOf(realm, '/admin/directory', { dn: entry.dn })}">${texts.directory}</a></p>`)}
${section('factors', texts.factors, holdings.mfaRequired && notice('careful', 'required', texts.required), things(factorRows(entry, holdings, deed, nowMs)))}
${section('app-passwords', texts.appPasswords, appPasswordList(appPasswordsOf(entry), deed, nowMs), deed('users.create-app-password'))}
${section('sessions', texts.sessions, sessionList(sessions.slice(0, sessionsMax), deed, nowMs), sessions.length > sessionsMax && html`<p class="quiet">${texts.moreSessions}</p>`)}
${section('groups', texts.groups, groupList(request, entry))}
${why}
${section('acts', texts.acts, html`<div class="acts">${deedsOf(deps, entry).map((name) => deed(name))}</div>`)}
${terminal([
  searchCommand(admin, { base: entry.dn, scope: 'base', filter: '(objectClass=*)', attributes: ['*', '+'] }),
  curlCommand(request, 'GET', `/admin-api/users/${id}`),
  atriumCommand(request, 'person', 'show', uid),
])}`,
  };
}

/** What stands beside what it is about, and what is about somebody who is gone. */
const besides: ReadonlySet<string> = new Set([
  ...['users.create-app-password', 'users.revoke-app-password', 'users.restore', 'users.why'],
  ...['users.clear-key', 'users.clear-totp', 'users.clear-backup-codes', 'users.change'],
]);

/** The other operations about one person, as they are: nobody is disabled twice. */
function deedsOf({ operations }: ConsoleDeps, entry: ClientEntry): readonly string[] {
  const isDisabled = entry.has('pwdAccountLockedTime');
  const isPointless = (name: string) => name === (isDisabled ? 'users.disable' : 'users.enable');
  return [...operations.values()]
    .filter(({ scope, input, console }) => scope === 'admin:write' && 'user' in input.shape && console?.on.startsWith('users') === true)
    .map(({ name }) => name)
    .filter((name) => !besides.has(name) && !isPointless(name));
}

function accountRows({ realm }: WebRequest, entry: ClientEntry, nowMs: number): readonly (readonly [string, Piece])[] {
  const rows = shown.flatMap((name): (readonly [string, Piece])[] => {
    const values = entry.all(name);
    return values.length === 0 ? [] : [[labels[name] ?? name, name === 'manager' ? values.map(nameOf).join(', ') : values.join(', ')]];
  });
  const time = (name: string): Piece => {
    const ms = readTime(entry.one(name));
    return ms === undefined ? undefined : timeHtml(ms, nowMs);
  };
  return [
    [texts.state, stateOf(entry, nowMs)],
    [texts.userName, entry.one('uid')],
    ...rows,
    [texts.id, html`<code>${entry.one('entryUUID')}</code>`],
    [texts.dn, html`<a href="${hrefOf(realm, '/admin/directory', { dn: entry.dn })}"><code>${entry.dn}</code></a>`],
    [texts.created, time('createTimestamp')],
    [texts.modified, time('modifyTimestamp')],
  ];
}

const labels: Readonly<Record<string, string>> = {
  displayName: 'Shown as',
  cn: 'Name',
  mail: 'Mail',
  telephoneNumber: 'Telephone',
  mobile: 'Mobile',
  title: 'Role',
  ou: 'Department',
  departmentNumber: 'Department number',
  employeeNumber: 'Employee number',
  manager: 'Manager',
};

type DeedOf = (name: string, more?: Readonly<Record<string, string>>, verb?: string) => Piece;

function factorRows(
  entry: ClientEntry,
  { keys, app, recoveryCodesLeft, email }: Holdings,
  deed: DeedOf,
  nowMs: number,
): readonly ThingRow[] {
  const has = entry.one('stsHasPassword')?.toUpperCase() === 'TRUE';
  const [changedMs, expiresMs] = [readTime(entry.one('pwdChangedTime')), readTime(entry.one('stsPasswordExpires'))];
  const mustChange = entry.one('pwdReset')?.toUpperCase() === 'TRUE';
  const rows: ThingRow[] = [
    {
      name: texts.password,
      lines: [
        html`${has ? texts.passwordSet : texts.passwordNone}${changedMs !== undefined && html`, ${texts.changed} ${timeHtml(changedMs, nowMs)}`}${expiresMs !== undefined && html`, ${texts.expires} ${timeHtml(expiresMs, nowMs)}`}`,
        ...(mustChange ? [texts.passwordMustChange] : []),
      ],
    },
    ...keys.map(
      (key): ThingRow => ({
        name: key.name,
        lines: keyLines(key, nowMs),
        action: orNothing(deed('users.clear-key', { key: key.id })),
      }),
    ),
  ];
  if (app !== undefined) {
    const lastMs = app.lastStep === undefined ? undefined : Math.min(nowMs, app.lastStep * app.period * 1000);
    rows.push({ name: texts.app, lines: [lived(app.addedMs, lastMs, nowMs)], action: orNothing(deed('users.clear-totp')) });
  }
  if (recoveryCodesLeft !== undefined)
    rows.push({
      name: texts.codes,
      lines: [fillText(texts.codesLeft, { count: recoveryCodesLeft })],
      action: orNothing(deed('users.clear-backup-codes')),
    });
  if (email?.optedIn === true && email.verified) rows.push({ name: texts.email, lines: [email.address] });
  return rows;
}

function orNothing(action: Piece): Piece {
  return action ?? html``;
}

function keyLines({ role, attestation, addedMs, lastUsedMs, backedUp }: SecurityKey, nowMs: number): readonly Piece[] {
  const proved = fillText(texts.attestations[attestation.proved], { why: attestation.why ?? '' });
  return [
    role === 'mfa' ? texts.keyMfa : texts.keyPrimary,
    `${attestation.model ?? attestation.format}: ${proved}${backedUp ? `; ${texts.backedUp}` : ''}`,
    lived(addedMs, lastUsedMs, nowMs),
  ];
}

function lived(addedMs: number, lastUsedMs: number | undefined, nowMs: number): SafeHtml {
  return html`${texts.added} ${timeHtml(addedMs, nowMs)}, ${lastUsedMs === undefined ? texts.never : html`${texts.lastUsed} ${timeHtml(lastUsedMs, nowMs)}`}`;
}

function appPasswordList(all: readonly AppPassword[], deed: DeedOf, nowMs: number): Piece {
  if (all.length === 0) return html`<p>${texts.noAppPasswords}</p>`;
  return things(
    all.map(({ id, name, scopes, addedMs, lastUsedMs, expiresMs }) => ({
      name,
      lines: [
        scopes.join(', '),
        html`${lived(addedMs, lastUsedMs, nowMs)}${expiresMs !== undefined && html`, ${texts.expires} ${timeHtml(expiresMs, nowMs)}`}`,
      ],
      action: orNothing(deed('users.revoke-app-password', { id })),
    })),
  );
}

function sessionList(sessions: readonly Session[], deed: DeedOf, nowMs: number): Piece {
  if (sessions.length === 0) return html`<p>${texts.noSessions}</p>`;
  return things(
    sessions.map(({ sid, events, createdMs, lastUsedMs }) => {
      const last = events.at(-1);
      return {
        name: fillText(texts.sessionFrom, { address: last?.address ?? '', ways: (last?.mechanisms ?? last?.amr ?? []).join(', ') }),
        lines: [html`${texts.sessionSince} ${timeHtml(createdMs, nowMs)}, ${texts.sessionUsed} ${timeHtml(lastUsedMs, nowMs)}`],
        action: orNothing(deed('sessions.end', { sid })),
      };
    }),
  );
}

function groupList({ realm }: WebRequest, entry: ClientEntry): Piece {
  const all = entry.all('memberOf');
  if (all.length === 0) return html`<p>${texts.noGroups}</p>`;
  return html`<ul class="plain">${all.map((dn) => html`<li><a class="way" href="${hrefOf(realm, '/admin/groups/at', { dn })}">${nameOf(dn)}</a></li>`)}</ul>`;
}
