import { Refusal } from '#catalogue';
import { type Actor, allOf, anyOf, ClientRefusal, equals, present } from '#client';
import { appPasswordAttributes, appPasswordsOf, factorAttributes, holdingsOf } from '#holdings';
import { type Filter, resultCodes } from '#ldap';
import { html, type SafeHtml, type WebRealm, type WebRequest } from '#web';
import { applicationsPlace } from '../operations/applications.ts';
import { findOne, type Place, peoplePlace } from '../operations/entries-found.ts';
import { groupsPlace } from '../operations/groups.ts';
import type { Operation } from '../operations/row.ts';
import { Unfit } from '../operations/unfit.ts';
import { connectionsOf } from '../operations/users-connections.ts';
import { consequenceTexts as texts } from './consequence-texts.ts';
import type { Admin } from './gate.ts';
import { figure } from './parts.ts';
import type { ConsoleDeps } from './run.ts';

/** How much of something ends with a deed. */
interface Count {
  readonly of: keyof typeof texts & CountedName;
  readonly count: number;
  /** There are more than were counted. */
  readonly isAtLeast?: boolean;
}

type CountedName = {
  readonly [Name in keyof typeof texts]: (typeof texts)[Name] extends readonly [string, string] ? Name : never;
}[keyof typeof texts];

interface About {
  readonly deps: ConsoleDeps;
  readonly realm: WebRealm;
  readonly actor: Actor;
  readonly given: Readonly<Record<string, string>>;
}

/** What is counted up to: beyond it, that there are more. */
const countedMax = 1000;
const setsMax = 100;

const counters: Readonly<Record<string, (about: About) => Promise<readonly Count[]>>> = {
  'users.disable': async (about) => {
    const { uuid, entry } = await personOf(about);
    return [
      ...[await sessionsOf(about, uuid), await setsOf(about, { entryUuid: uuid }), await connected(about, entry.dn)],
      countOf('appPassword', appPasswordsOf(entry).length),
    ];
  },
  'users.end-sessions': async (about) => {
    const { uuid } = await personOf(about);
    // What was asked for with offline_access outlives the session (OpenID Connect Core §11).
    return [await sessionsOf(about, uuid), await setsOf(about, { entryUuid: uuid }, ({ scope }) => !isOffline(scope))];
  },
  'sessions.end': async (about) => {
    const { uuid } = await personOf(about);
    const { sid } = about.given;
    return [await setsOf(about, { entryUuid: uuid }, ({ sessionId, scope }) => sessionId === sid && !isOffline(scope))];
  },
  'users.delete': async (about) => {
    const { uuid, entry } = await personOf(about);
    const { keys, app, recoveryCodesLeft } = holdingsOf(entry);
    return [
      ...[await sessionsOf(about, uuid), await setsOf(about, { entryUuid: uuid }), await connected(about, entry.dn)],
      countOf('appPassword', appPasswordsOf(entry).length),
      ...[countOf('key', keys.length), countOf('app', app === undefined ? 0 : 1), countOf('codes', recoveryCodesLeft ?? 0)],
      await namedBy(about, entry.dn, 'leaves'),
    ];
  },
  'users.issue-password-reset': async (about) => {
    const { uuid, entry } = await personOf(about);
    return [await sessionsOf(about, uuid), await setsOf(about, { entryUuid: uuid }), await connected(about, entry.dn)];
  },
  'users.set-password': async (about) => [await setsOf(about, { entryUuid: (await personOf(about)).uuid })],
  'users.clear-key': async (about) => {
    const { keys, app } = holdingsOf((await personOf(about)).entry);
    const gone = keys.filter(({ id }) => about.given['key'] === undefined || id === about.given['key']);
    const left = keys.filter((key) => key.role === 'mfa' && !gone.includes(key)).length + (app === undefined ? 0 : 1);
    return [countOf('key', gone.length), countOf('left', left)];
  },
  'users.clear-totp': async (about) => {
    const { keys, app } = holdingsOf((await personOf(about)).entry);
    return [countOf('app', app === undefined ? 0 : 1), countOf('left', keys.filter(({ role }) => role === 'mfa').length)];
  },
  'users.clear-backup-codes': async (about) => [countOf('codes', holdingsOf((await personOf(about)).entry).recoveryCodesLeft ?? 0)],
  'users.revoke-app-password': async (about) => {
    const { entry } = await personOf(about);
    const gone = appPasswordsOf(entry).filter(({ id }) => about.given['id'] === undefined || id === about.given['id']);
    const ids = gone.map(({ id }) => id);
    return [countOf('appPassword', gone.length), await connected(about, entry.dn, ids)];
  },
  'groups.delete': async (about) => {
    const { entry } = await oneOf(about, groupsPlace, 'group', ['member', 'uniqueMember']);
    const members = new Set([...entry.all('member'), ...entry.all('uniqueMember')]);
    const guarded = await searched(about, 'ou=applications', equals('stsAllowedGroup', entry.dn));
    return [countOf('member', members.size), { of: 'guards', ...guarded }, await namedBy(about, entry.dn, 'names')];
  },
  'applications.delete': async (about) => {
    const { entry } = await oneOf(about, applicationsPlace, 'application', ['stsClientId', ...appPasswordAttributes]);
    const clientId = entry.one('stsClientId');
    const sets = clientId === undefined ? [] : [await setsOf(about, { clientId })];
    return [...sets, countOf('appPassword', appPasswordsOf(entry).length), await namedBy(about, entry.dn, 'names')];
  },
  'entries.delete': async (about) => {
    const dn = about.given['dn'] ?? about.realm.suffix;
    const below = await searched(about, undefined, present('objectClass'), dn, 'children');
    const isPerson = (await searched(about, undefined, peoplePlace.isOne, dn, 'base')).count > 0;
    return [{ of: 'below', ...below }, ...(isPerson ? [await connected(about, dn)] : []), await namedBy(about, dn, 'names')];
  },
  'tokens.revoke': async (about) => {
    const found = await about.deps.operating.tokens?.open(about.realm, about.given['setKey'] ?? '');
    return [countOf('token', found?.set?.revocableCount ?? 0)];
  },
  'realms.remove': async (about) => {
    const { deps, given, realm } = about;
    // Realms are removed in the default one; no other learns anything of them.
    const meant = realm.id === deps.operating.realms.standing.id ? await deps.operating.realms.find(given['id'] ?? '') : undefined;
    if (meant === undefined) return [];
    const inside = { ...about, realm: meant };
    const entry = `cn=${meant.id},ou=realms,${realm.suffix}`;
    const [people, groups, applications] = await Promise.all([
      searched(inside, 'ou=people', peoplePlace.isOne),
      searched(inside, 'ou=groups', groupsPlace.isOne),
      searched(inside, 'ou=applications', applicationsPlace.isOne),
    ]);
    const { sessions } = await deps.operating.sessions.page(meant.id, { limit: countedMax });
    return [
      ...([
        { of: 'person', ...people },
        { of: 'group', ...groups },
        { of: 'application', ...applications },
      ] as const),
      ...[countOf('session', sessions.length, countedMax), await setsOf(inside, {}), await connected(about, entry)],
    ];
  },
  'keys.rotate': async (about) => {
    const algorithm = about.given['algorithm'];
    const isMeant = algorithm === undefined ? present('stsKeyId') : equals('stsKeyAlgorithm', algorithm);
    return [{ of: 'signs', ...(await searched(about, 'ou=signingKeys', allOf(isMeant, equals('stsKeyState', 'current')))) }];
  },
};

/** What an emergency rotation of signing keys takes back. */
export async function takenBack(deps: ConsoleDeps, { realm }: WebRequest, { actor }: Admin): Promise<SafeHtml> {
  const about: About = { deps, realm, actor, given: {} };
  const isLive = allOf(present('stsKeyId'), anyOf(...['current', 'next', 'previous'].map((state) => equals('stsKeyState', state))));
  const { count, isAtLeast = false } = await setsOf(about, {});
  return draw([
    { of: 'taken', ...(await searched(about, 'ou=signingKeys', isLive)) },
    { of: 'setSigned', count, isAtLeast },
  ]);
}

/** What ends with a deed, with counts; nothing for one that ends nothing, or about something that is not there. */
export async function consequencesOf(
  deps: ConsoleDeps,
  { realm }: WebRequest,
  { actor }: Admin,
  { name }: Operation,
  given: Readonly<Record<string, string>>,
): Promise<SafeHtml | undefined> {
  const count = counters[name];
  if (count === undefined) return undefined;
  try {
    return draw(await count({ deps, realm, actor, given }));
  } catch (error) {
    // It is the form's to say that there is no such thing, or that it may not be seen.
    if (error instanceof ClientRefusal || error instanceof Refusal || error instanceof Unfit) return undefined;
    throw error;
  }
}

function draw(counts: readonly Count[]): SafeHtml {
  const some = counts.filter(({ count }) => count > 0);
  if (some.length === 0) return html`<p class="ends">${texts.nothing}</p>`;
  return html`<div class="ends"><p><strong>${texts.title}</strong></p><ul>${some.map(
    ({ of, count, isAtLeast }) =>
      html`<li>${isAtLeast === true && `${texts.moreThan} `}${figure(count)} ${texts[of][count === 1 && isAtLeast !== true ? 0 : 1]}</li>`,
  )}</ul></div>`;
}

function countOf(of: CountedName, found: number, most = Number.POSITIVE_INFINITY): Count {
  return found >= most ? { of, count: most, isAtLeast: true } : { of, count: found };
}

async function oneOf({ actor, realm, given }: About, place: Place, member: string, attributes: readonly string[]) {
  const entry = await findOne({ actor, realm }, place, given[member] ?? '', ['entryUUID', ...attributes], member);
  return { entry, uuid: entry.one('entryUUID') ?? '' };
}

function personOf(about: About) {
  return oneOf(about, peoplePlace, 'user', [...factorAttributes, ...appPasswordAttributes]);
}

async function sessionsOf({ deps, realm }: About, entryUuid: string): Promise<Count> {
  return countOf('session', (await deps.operating.sessions.list(realm.id, entryUuid, countedMax)).length, countedMax);
}

/** LDAP connections, as far as whoever asks may know of them. */
async function connected({ actor }: About, dn: string, appPasswords?: readonly string[]): Promise<Count> {
  try {
    return countOf('connection', await connectionsOf(actor, dn, appPasswords));
  } catch (error) {
    if (error instanceof ClientRefusal) return countOf('connection', 0);
    throw error;
  }
}

type Sets = NonNullable<ConsoleDeps['operating']['tokens']>;
type SetSeen = Awaited<ReturnType<Sets['list']>>['sets'][number];

/** Token sets that are worth something at this moment. */
async function setsOf(
  { deps, realm }: About,
  whose: Parameters<Sets['list']>[1],
  ends: (set: SetSeen) => boolean = () => true,
): Promise<Count> {
  const found = (await deps.operating.tokens?.list(realm, whose, setsMax))?.sets ?? [];
  const count = found.filter((set) => set.state === 'active' && ends(set)).length;
  return { of: 'set', count, isAtLeast: count > 0 && found.length >= setsMax };
}

function isOffline(scope: string): boolean {
  return scope.split(' ').includes('offline_access');
}

/** Groups that name an entry as a member. */
async function namedBy(about: About, dn: string, of: 'leaves' | 'names'): Promise<Count> {
  return { of, ...(await searched(about, undefined, anyOf(equals('member', dn), equals('uniqueMember', dn)))) };
}

async function searched(
  { actor, realm }: About,
  below: string | undefined,
  filter: Filter,
  base = below === undefined ? realm.suffix : `${below},${realm.suffix}`,
  scope: 'base' | 'sub' | 'children' = 'sub',
): Promise<{ readonly count: number; readonly isAtLeast: boolean }> {
  try {
    const { entries, complete } = await actor.search({ base, scope, filter, attributes: ['1.1'], sizeLimit: countedMax });
    return { count: entries.length, isAtLeast: !complete };
  } catch (error) {
    if (error instanceof ClientRefusal && error.code === resultCodes.noSuchObject) return { count: 0, isAtLeast: false };
    throw error;
  }
}
