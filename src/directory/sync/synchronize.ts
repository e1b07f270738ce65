import { setImmediate as turnOver } from 'node:timers/promises';
import { utf8 } from '#base';
import { refuse } from '#catalogue';
import type { Result, SearchRequest } from '#ldap';
import { type LogPlace, wholeCommit } from '#store';
import type { Call } from '../call.ts';
import { type SyncRequest, type SyncState, syncDone, syncInfo, syncState } from '../controls/sync-request.ts';
import type { Engine } from '../engine.ts';
import { errors } from '../errors.ts';
import { done } from '../result.ts';
import { baseOf } from './base.ts';
import { type Content, lastingContent } from './content.ts';
import { cookieAt } from './cookie.ts';
import { type Feed, joinFeed } from './feed.ts';
import { catchUp, type Followed } from './follow.ts';
import { takePlace } from './places.ts';
import type { Step } from './step.ts';
import { type Limits, limitsOf, sendContent } from './walk.ts';

/** So many marks of the log are read at a time. */
const marksMax = 1024;

/**
 * Brings a consumer's copy up to date, and keeps it so if it wants that (RFC 4533). Whose cookie names a change that the log still has gets what changed
 * since, in the order of the changes, so that no two entries ever meet under one name; others get everything, and take away what was not named.
 *
 * @throws Refusal  those of a search; `followersMax` (11); `refreshRequired` (4096) when what is missing is not kept any more
 */
export async function synchronize(call: Call, request: SearchRequest, asked: SyncRequest): Promise<Result> {
  const { engine } = call;
  const leave = asked.persists ? takePlace(call) : undefined;
  const feed = joinFeed(engine);
  try {
    return await keepEqual(call, request, asked, feed);
  } finally {
    feed.leave();
    leave?.();
  }
}

async function keepEqual(call: Call, request: SearchRequest, asked: SyncRequest, feed: Feed): Promise<Result> {
  const { engine, reply } = call;
  const { log } = engine.store;
  const base = baseOf(call, request);
  const content = lastingContent(call, request, base.dnKey, 'copy');
  const limits = limitsOf(call, request, base, engine.store.snapshot());

  const known = await changedSince(engine, asked.cookie?.csn);
  let place: LogPlace;
  if (known === undefined) {
    place = { number: log.newest(), part: wholeCommit };
    await sendContent(call, request, base, content(), limits, {
      leftOut: changedMeanwhile(engine, place),
      controls: ({ uuid }) => [syncState('add', uuid, undefined)],
    });
  } else place = known.place;
  place = await catchUp(call, place, refreshing(call, feed, content(), limits, known?.changed ?? (await changedOf(engine, place))));
  if (reply.ended) return done;

  const cookie = cookieAt(asked.cookie, log.csnOf(place.number));
  if (!asked.persists) {
    call.controls.answer(syncDone(cookie, known !== undefined));
    return done;
  }
  reply.send(syncInfo(known === undefined ? 'refreshPresent' : 'refreshDelete', cookie));
  reply.lasts();
  while (!reply.ended) {
    place = await catchUp(call, place, persisting(call, feed, content(), asked));
    if (!reply.ended) await feed.wait(reply.signal);
  }
  return done;
}

/** The entries that changed behind a place, each with the number and part of its last change. */
type Changed = Map<string, LogPlace>;

/**
 * Where a cookie stands in the log, and what has changed since; nothing when it is none of ours, is older than the log, or so much has changed that all of
 * it is as soon sent.
 */
async function changedSince(
  engine: Engine,
  csn: string | undefined,
): Promise<{ readonly place: LogPlace; readonly changed: Changed } | undefined> {
  const number = csn === undefined ? undefined : engine.store.log.numberOf(csn);
  if (number === undefined) return undefined;
  const place = { number, part: wholeCommit };
  const changed = await changedOf(engine, place);
  return changed.size > engine.settings['ldap.syncChangedMax'] ? undefined : { place, changed };
}

async function changedOf({ store, settings }: Engine, from: LogPlace): Promise<Changed> {
  const changed: Changed = new Map();
  let place = from;
  for (let marks = store.log.marks(place, marksMax); marks.length > 0; marks = store.log.marks(place, marksMax)) {
    for (const mark of marks) changed.set(mark.uuid, mark);
    place = marks.at(-1) ?? place;
    if (changed.size > settings['ldap.syncChangedMax']) break;
    // A few entries may have changed ever so often.
    await turnOver();
  }
  return changed;
}

/** What changed since the walk of the tree began is left out of it, and sent behind it as it changed. */
function changedMeanwhile({ store, settings }: Engine, from: LogPlace): () => (uuid: string) => boolean {
  const uuids = new Set<string>();
  let place = from;
  return () => {
    for (let marks = store.log.marks(place, marksMax); marks.length > 0; marks = store.log.marks(place, marksMax)) {
      for (const { uuid } of marks) uuids.add(uuid);
      place = marks.at(-1) ?? place;
      if (uuids.size > settings['ldap.syncChangedMax']) throw refuse(errors.refreshRequired);
    }
    return (uuid) => uuids.has(uuid);
  };
}

/** Changes that the consumer missed: of those that an entry had before its last only those of its name. */
function refreshing(call: Call, feed: Feed, content: Content, limits: Limits, changed: Changed): Followed {
  const isPassed = ({ uuid, number, part, former, after }: Step) => {
    const last = changed.get(uuid);
    return last !== undefined && (number < last.number || (number === last.number && part < last.part)) && after?.dn === former;
  };
  return {
    read: feed.read,
    gone: errors.refreshRequired,
    assertions: content.assertions,
    look(steps, snapshot) {
      limits.check();
      // What was before is what the consumer has only where nothing was passed over: its name says enough.
      const sends = steps
        .filter((step) => !isPassed(step))
        .flatMap((step) => sendsOf({ ...step, before: undefined }, content, snapshot) ?? []);
      return () => {
        for (const { dn, attributes, state, uuid } of sends) {
          limits.count();
          call.reply.entry(dn, attributes, [syncState(state === 'delete' ? state : 'add', uuid, undefined)]);
        }
      };
    },
  };
}

/** Changes as they come: each commit ends with a cookie. */
function persisting(call: Call, feed: Feed, content: Content, { cookie }: SyncRequest): Followed {
  const { reply } = call;
  return {
    read: feed.read,
    gone: errors.refreshRequired,
    assertions: content.assertions,
    look(steps, snapshot) {
      const commits = commitsOf(steps).map((commit) => {
        const sends = commit.flatMap((step) => sendsOf(step, content, snapshot) ?? []);
        const end = commit.at(-1);
        return { sends, cookie: end?.last === true ? cookieAt(cookie, end.csn) : undefined };
      });
      return () => {
        for (const { sends, cookie: behind } of commits) {
          for (const [at, { dn, attributes, state, uuid }] of sends.entries()) {
            reply.entry(dn, attributes, [syncState(state, uuid, at === sends.length - 1 ? behind : undefined)]);
          }
        }
        const last = commits.at(-1);
        if (last?.cookie !== undefined && last.sends.length === 0 && maySeeContext(call)) reply.send(syncInfo('newCookie', last.cookie));
      };
    },
  };
}

function commitsOf(steps: readonly Step[]): Step[][] {
  const commits: Step[][] = [];
  for (const step of steps) {
    const current = commits.at(-1);
    if (current?.[0]?.number === step.number) current.push(step);
    else commits.push([step]);
  }
  return commits;
}

interface Send {
  readonly state: SyncState;
  readonly uuid: string;
  readonly dn: Uint8Array;
  readonly attributes: readonly Uint8Array[];
}

function sendsOf(step: Step, content: Content, snapshot: Parameters<Content['effectOf']>[1]): Send | undefined {
  const { was, now, same } = content.effectOf(step, snapshot);
  if (now !== undefined) return same ? undefined : { ...now, state: was === 'in' ? 'modify' : 'add' };
  return was === 'out' ? undefined : { state: 'delete', uuid: step.uuid, dn: utf8(step.former ?? ''), attributes: [] };
}

/** Whether changes that do not concern them are no secret to who asks: a newer cookie tells of them. */
function maySeeContext({ engine, asker }: Call): boolean {
  const type = engine.schema.attributeType('contextCSN');
  return type !== undefined && asker.rightsOnName(engine.realms.default.suffix.key, engine.store.snapshot()).mayRead(type);
}
