import { Refusal, refuse } from '#catalogue';
import type { Control } from '#ldap';
import type { Expectation, Snapshot } from '#store';
import { askerOf } from '../access/asker.ts';
import { refuseDisabled } from '../account.ts';
import { tellOfSuccess } from '../audit.ts';
import type { Call } from '../call.ts';
import type { Engine } from '../engine.ts';
import { errors } from '../errors.ts';
import { createIndexer } from '../indexing.ts';
import { decisionOn } from '../operations/write.ts';
import { atOnce, checked, commit, type Decide, type Decision } from '../write.ts';
import { type Overlay, overlaid } from './overlay.ts';
import type { Queued, Transaction } from './waiting.ts';

/** Which update of a transaction is why nothing of it was done. */
export class UpdateRefused extends Refusal {
  readonly messageId: number;
  constructor({ row, detail }: Refusal, messageId: number) {
    super(row, detail);
    this.messageId = messageId;
  }
}

/** The controls that an update would have been answered with. */
export interface Settled {
  readonly messageId: number;
  readonly controls: readonly Control[];
}

interface Ready {
  readonly update: Queued;
  readonly decide: Decide;
}

/**
 * Makes all updates of a transaction as one commit, or none. Each is decided as if those before it had been made: over a snapshot lies what they
 * change. What all of them expected of the snapshot the commit expects, and when others were faster all are decided again.
 *
 * @returns controls by update, of those that have some
 * @throws UpdateRefused of the first update that is refused; `accountDisabled` (53); `contended` (LDAP busy)
 */
export async function settle(call: Call, { updates, identity }: Transaction): Promise<readonly Settled[]> {
  const { engine } = call;
  // Under whose authority it was begun need not be who is bound.
  refuseDisabled(identity, engine.store.snapshot(), engine.clock);
  const asker = askerOf(engine, identity, call.connection);
  const ready: Ready[] = [];
  for (const update of updates) {
    const own: Call = { ...call, asker, controls: update.controls, queued: true };
    ready.push({ update, decide: await blaming(update, async () => await decisionOn(own, update.op)) });
  }
  // Whoever has gone away meanwhile has not seen it end: RFC 5805 §3.5 aborts it.
  if (call.reply.ended) throw refuse(errors.transactionUnknown);
  let settled: readonly Settled[] = [];
  await commit(engine, (look) => {
    const all = decideAll(call, look(), ready);
    return {
      ...all.decision,
      answers: (csns) => {
        settled = all.answers(csns);
        return [];
      },
    };
  });
  // Whose doing they are was said when the transaction was begun.
  for (const { notes } of updates) tellOfSuccess({ ...notes, acting: identity, queued: false });
  return settled;
}

/** All updates, one over the other. */
function decideAll({ engine }: Call, snapshot: Snapshot, ready: readonly Ready[]) {
  const overlay = overlaid(snapshot, createIndexer(engine.schema));
  const decisions: { readonly messageId: number; readonly decision: Decision }[] = [];
  const expected: Expectation[] = [];
  let room = changesMax(engine);
  for (const { update, decide } of ready) {
    const decision = blamed(update, () => {
      const made = checked(engine, overlay, atOnce(decide(() => overlay)));
      room -= made.changes.length;
      if (room < 0) throw refuse(errors.transactionTooLarge);
      return made;
    });
    expected.push(...expectedBelow(snapshot, overlay, decision));
    overlay.take(decision.changes, decision.whole);
    decisions.push({ messageId: update.messageId, decision });
  }
  const answers = (csns: readonly string[]): Settled[] => {
    let at = 0;
    return decisions.flatMap(({ messageId, decision }) => {
      const own = csns.slice(at, at + decision.changes.length);
      at += decision.changes.length;
      const controls = decision.answers?.(own) ?? [];
      return controls.length === 0 ? [] : [{ messageId, controls }];
    });
  };
  const changes = decisions.flatMap(({ decision }) => decision.changes);
  const first = decisions[0]?.decision;
  const whole: Decision = { target: first?.target ?? '', line: first?.line, expected, changes, checked: true };
  return { decision: whole, answers };
}

/** As many entries as the largest of updates may change alone, and one for each: few updates can move the same subtree many times. */
function changesMax({ settings }: Pick<Engine, 'settings'>): number {
  return Math.max(settings['ldap.subtreeEntriesMax'], settings['ldap.referencesMax']) + settings['ldap.transactionUpdatesMax'];
}

/** What a decision expects, said of the snapshot below: of what the transaction itself made or changed, nothing can be expected any more. */
function expectedBelow(snapshot: Snapshot, overlay: Overlay, { expected, changes }: Decision): Expectation[] {
  const childrenOf = (uuid: string): Expectation[] => {
    if (snapshot.byUuid(uuid) === undefined) return [];
    const count = snapshot.countChildren(uuid);
    return [{ kind: 'children', uuid, count }];
  };
  const all: Expectation[] = [];
  for (const each of expected) {
    switch (each.kind) {
      case 'unchanged':
        if (!overlay.hasTaken(each.uuid)) all.push(each);
        break;
      case 'absent':
        // There is one, then the transaction took it away: that is expected already.
        if (snapshot.byDnKey(each.dnKey) === undefined) all.push(each);
        break;
      case 'unused':
        if (snapshot.byUuid(each.uuid) === undefined) all.push(each);
        break;
      case 'childless':
      case 'children':
        all.push(...childrenOf(each.uuid));
        break;
      case 'held': {
        // Judged by what the transaction makes of those who have the key; of the snapshot nobody else may have it.
        const { attribute, key } = each;
        const holders = snapshot.idsEqual(attribute, key, Number.MAX_SAFE_INTEGER).flatMap((id) => snapshot.byId(id) ?? []);
        all.push({ kind: 'held', attribute, key, by: holders.map(({ uuid, csn }) => ({ uuid, csn })) });
        break;
      }
      case 'within':
        all.push({ ...each, count: snapshot.countWithin(each.attribute, each.prefix, Number.MAX_SAFE_INTEGER) });
        break;
      case 'between':
        for (const change of changes) all.push(...childrenOf(change.kind === 'delete' ? change.uuid : change.entry.uuid));
        break;
    }
  }
  return all;
}

function blamed<T>(update: Queued, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof Refusal ? new UpdateRefused(error, update.messageId) : error;
  }
}

async function blaming<T>(update: Queued, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof Refusal ? new UpdateRefused(error, update.messageId) : error;
  }
}
