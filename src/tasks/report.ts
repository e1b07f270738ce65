import type { Clock } from '#base';
import type { TaskList, TaskProgress } from '#directory';

/** Tells in a task's entry how far it is. */
export interface Report {
  /** Writes now and then; what comes too fast is left out. */
  progress(done: number, percent: number): Promise<void>;
  /** Keeps a message for the entry: so many as there is room for. */
  message(text: string): void;
  /** What an entry is written with beside other things: messages that were not written yet among them. */
  parts(): TaskProgress;
  write(progress: TaskProgress): Promise<void>;
}

const everyMs = 1000;
const messagesMax = 100;
const messageLengthMax = 1000;

/** @param messages  those that the entry has already */
export function createReport(list: TaskList, uuid: string, clock: Clock, messages: readonly string[]): Report {
  const kept = [...messages];
  let left = 0;
  let isTold = true;
  let writtenMs = clock.nowMs();

  function parts(): TaskProgress {
    if (isTold) return {};
    isTold = true;
    const more = left === 0 ? [] : [numbered(kept.length, `${left.toLocaleString('en')} more are not named`)];
    return { messages: [...kept, ...more] };
  }
  const write = async (progress: TaskProgress) => void (await list.update(uuid, { ...parts(), ...progress }));
  return {
    parts,
    write,
    message(text) {
      isTold = false;
      if (kept.length < messagesMax) kept.push(numbered(kept.length, text.slice(0, messageLengthMax)));
      else left++;
    },
    async progress(done, percent) {
      const nowMs = clock.nowMs();
      if (nowMs - writtenMs < everyMs) return;
      writtenMs = nowMs;
      await write({ done, percent });
    },
  };
}

/** Values of an attribute have no order: a number in front gives them one. */
function numbered(count: number, text: string): string {
  return `${String(count + 1).padStart(3, '0')} ${text}`;
}
