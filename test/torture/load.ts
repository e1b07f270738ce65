import { type Random, randomNumbers } from '../support/people.ts';
import { type Answer, type Lane, openLane } from './lane.ts';
import { look } from './look.ts';
import { isPending, type Slot, type Step, settledState } from './model.ts';
import { makePlain, nextOperation, type Operation } from './operations.ts';
import { begin, endOf, isTree, updateOf } from './trees.ts';
import { noteUsed, type World } from './world.ts';

export interface Load {
  /** Changes that were answered so far, refusals too. */
  readonly answers: number;
  /** Answers by result code. */
  readonly codes: ReadonlyMap<number, number>;
  /** What was answered otherwise than it must be. */
  readonly faults: readonly string[];
  /** Resolves when so many were answered, or the load is over. */
  reached(answers: number): Promise<void>;
  /** Sends nothing more. */
  stop(): void;
  readonly isOver: boolean;
  /** Resolves when it was stopped, or every connection has ended, and no answer is waited for. */
  readonly over: Promise<void>;
}

export interface LoadOptions {
  readonly world: World;
  readonly port: number;
  readonly dn: string;
  readonly password: string;
  readonly seed: number;
  /** Result codes that any change may have instead of its own, when nothing of it is kept. */
  readonly excused?: readonly number[];
}

/** Changes of one connection that may be on their way at once. */
const windowMax = 5;
/** How many of its requests are searches that look at a slot. */
const lookShare = 0.2;

/** Opens the connections, makes the containers and the shared entries that are not there, and begins to change everything at once. */
export async function startLoad(options: LoadOptions): Promise<Load> {
  const { world, port, dn, password, seed } = options;
  const lanes = await Promise.all(world.lanes.map(() => openLane(port, dn, password)));
  const state = { answers: 0, stopped: false, faults: [] as string[], codes: new Map<number, number>() };
  let moved = Promise.withResolvers<void>();
  const told = (fault: string | undefined, code: number | undefined) => {
    if (fault !== undefined) state.faults.push(fault);
    if (code !== undefined) {
      state.answers++;
      state.codes.set(code, (state.codes.get(code) ?? 0) + 1);
    }
    moved.resolve();
    moved = Promise.withResolvers();
  };
  const perform = async (lane: Lane, slot: Slot, operation: Operation): Promise<Answer | undefined> => {
    const step: Step = { id: '', after: operation.after, what: operation.what, code: undefined, shownBy: [] };
    slot.steps.push(step);
    noteUsed(world, operation.after);
    const given = await answerTo(world, lane, operation, step);
    step.code = given?.code;
    told(given === undefined ? undefined : faultOf(slot, operation, step, given, options.excused), given?.code);
    return given;
  };

  const run = async () => {
    const [first] = lanes;
    if (first === undefined) return;
    for (const slot of [...world.containers, ...world.shared]) {
      // Again when it was refused for want of room.
      while (!state.stopped && state.faults.length === 0 && settledState(slot) === undefined) {
        if ((await perform(first, slot, makePlain(world, slot))) === undefined) return;
      }
    }
    await Promise.all(
      lanes.map((lane, at) =>
        drive(lane, world.lanes[at] ?? [], {
          world,
          random: randomNumbers(seed * 31 + at),
          isStopped: () => state.stopped,
          perform,
          fault: (fault) => told(fault, undefined),
        }),
      ),
    );
  };
  let ended = false;
  const over = run().finally(() => {
    for (const lane of lanes) lane.close();
    ended = true;
    moved.resolve();
  });
  // Whoever waits for it hears of what it threw: nobody may be waiting yet.
  over.catch(() => undefined);
  return {
    get answers() {
      return state.answers;
    },
    codes: state.codes,
    faults: state.faults,
    get isOver() {
      return ended;
    },
    reached: async (answers) => {
      while (state.answers < answers && !ended) await moved.promise;
    },
    stop: () => {
      state.stopped = true;
    },
    over,
  };
}

/** What is wrong with an answer. */
function faultOf(
  { name }: Slot,
  { what, code }: Operation,
  { shownBy }: Step,
  given: Answer,
  excused: readonly number[] = [],
): string | undefined {
  const answered = `was answered ${given.code} (${given.diagnostic})`;
  if (given.code !== code && !excused.includes(given.code)) return `${what} of ${name} ${answered} and not ${code}`;
  return given.code !== 0 && shownBy.length > 0 ? `${what} of ${name} ${answered}, and a search had shown it as made` : undefined;
}

/** Sends a change, or a whole transaction: then what counts is its end. */
async function answerTo({ queued }: World, lane: Lane, { op, controls, updates }: Operation, step: Step): Promise<Answer | undefined> {
  if (updates === undefined) {
    const { id, answer } = lane.send(op, controls);
    step.id = id;
    return await answer;
  }
  const waiting = (...request: Parameters<Lane['send']>) => {
    const sent = lane.send(...request);
    queued.add(sent.id);
    return sent.answer;
  };
  const begun = await waiting(begin);
  if (begun?.value === undefined) return begun;
  const { value } = begun;
  const answers = await Promise.all(updates.map((update) => waiting(update, [updateOf(value)])));
  const refused = answers.find((answer) => answer !== undefined && answer.code !== 0);
  if (refused !== undefined) return refused;
  const { id, answer } = lane.send(endOf(value));
  step.id = id;
  return await answer;
}

interface Driving {
  readonly world: World;
  readonly random: Random;
  readonly isStopped: () => boolean;
  readonly perform: (lane: Lane, slot: Slot, operation: Operation) => Promise<Answer | undefined>;
  readonly fault: (fault: string) => void;
}

/** Keeps one connection busy until it ends or all is stopped: with changes of its own slots, and looks at anybody's. */
async function drive(lane: Lane, slots: readonly Slot[], { world, random, isStopped, perform, fault }: Driving): Promise<void> {
  const looked = world.all.filter((slot) => !isTree(slot));
  const under = new Set<Promise<void>>();
  let lost = false;
  const start = (work: Promise<void>) => {
    const going = work.then(() => void under.delete(going));
    under.add(going);
  };
  while (!isStopped() && !lost) {
    const free = slots.filter((slot) => !isPending(slot));
    if (under.size >= windowMax || free.length === 0) {
      await Promise.race(under);
      continue;
    }
    if (random.chance(lookShare)) {
      start(look(lane, random.pick(looked)).then((found) => (found === undefined ? undefined : fault(found))));
      continue;
    }
    const slot = random.pick(free);
    start(
      perform(lane, slot, nextOperation(world, slot, settledState(slot), random)).then((answer) => {
        if (answer === undefined) lost = true;
      }),
    );
  }
  await Promise.all(under);
}
