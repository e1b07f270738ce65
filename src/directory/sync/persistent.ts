import type { Result, SearchRequest } from '#ldap';
import { wholeCommit } from '#store';
import type { Call } from '../call.ts';
import { type ChangeType, entryChange, type PersistentSearch } from '../controls/persistent-search.ts';
import { errors } from '../errors.ts';
import { done } from '../result.ts';
import { baseOf } from './base.ts';
import { type Content, lastingContent } from './content.ts';
import { type Feed, joinFeed } from './feed.ts';
import { catchUp, type Followed } from './follow.ts';
import { takePlace } from './places.ts';
import type { Step } from './step.ts';
import { limitsOf, sendContent } from './walk.ts';

/**
 * A search that, behind what it finds, goes on with each entry that changes and then fits it, or was deleted and did (draft-ietf-ldapext-psearch-03).
 *
 * @throws Refusal  those of a search; `followersMax` (11); `followerBehind` (11) when the peer is too slow
 */
export async function searchPersistently(call: Call, request: SearchRequest, asked: PersistentSearch): Promise<Result> {
  const leave = takePlace(call);
  const feed = joinFeed(call.engine);
  try {
    // What an entry was before is known of those changes alone that are heard of as they come.
    await feed.begun;
    return await goOn(call, request, asked, feed);
  } finally {
    feed.leave();
    leave();
  }
}

/**
 * The draft says nothing of aliases, and there are clients whose every search follows them: JNDI's, for its listeners too. They are followed to the
 * base and no further, since what an alias leads to would come and go without a change of its own.
 */
const followed = { never: 'never', inSearching: 'never', findingBaseObj: 'findingBaseObj', always: 'findingBaseObj' } as const;

async function goOn(call: Call, sent: SearchRequest, asked: PersistentSearch, feed: Feed): Promise<Result> {
  const request = { ...sent, derefAliases: followed[sent.derefAliases] };
  const { engine, reply } = call;
  const base = baseOf(call, request);
  const content = lastingContent(call, request, base.dnKey, 'search');
  let place = { number: engine.store.log.newest(), part: wholeCommit };
  if (!asked.changesOnly) await sendContent(call, request, base, content(), limitsOf(call, request, base, engine.store.snapshot()), {});
  reply.lasts();
  while (!reply.ended) {
    place = await catchUp(call, place, telling(call, asked, feed, content()));
    if (!reply.ended) await feed.wait(reply.signal);
  }
  return done;
}

function telling({ reply }: Call, asked: PersistentSearch, feed: Feed, content: Content): Followed {
  return {
    read: feed.readWhole,
    gone: errors.followerBehind,
    assertions: content.assertions,
    look(steps, snapshot) {
      const told = steps.flatMap((step) => {
        const type = typeOf(step);
        if (!asked.wants(type)) return [];
        const shown = type === 'delete' ? content.holdsBefore(step, snapshot) : shownOf(step, content, snapshot);
        return shown === undefined
          ? []
          : [{ shown, control: entryChange(type, type === 'modDn' ? content.formerName(step, snapshot) : undefined) }];
      });
      return () => {
        for (const { shown, control } of told) reply.entry(shown.dn, shown.attributes, asked.returnsChanges ? [control] : []);
      };
    },
  };
}

function shownOf(step: Step, content: Content, snapshot: Parameters<Content['effectOf']>[1]) {
  const { now, same } = content.effectOf(step, snapshot);
  return same ? undefined : now;
}

function typeOf({ former, after }: Step): ChangeType {
  if (after === undefined) return 'delete';
  if (former === undefined) return 'add';
  return former === after.dn ? 'modify' : 'modDn';
}
