import { closeSync, openSync, readSync } from 'node:fs';
import { followAnswers, type TracedAnswer } from './answers.ts';
import { type Disk, followDisk } from './disk.ts';
import type { Step } from './model.ts';
import { type Call, callsInLines, readCalls } from './trace.ts';
import type { World } from './world.ts';

/** All that the trace of one run tells. */
export interface TracedRun {
  readonly disk: Disk;
  readonly answers: readonly TracedAnswer[];
  /** Calls that strace made fail. */
  readonly injected: readonly Call[];
  readonly lines: number;
  /** Whether a change was answered, or shown by a search, before a line. */
  answeredBefore(line: number): (step: Step) => boolean;
}

/**
 * Reads the trace of a run that is over, and gives the model those answers that were sent and that nobody received any more.
 *
 * @param whole  the disk: a folder that was empty before the run
 * @param port  of the service; `undefined` when it never was ready
 */
export async function readRun(log: string, whole: string, port: number | undefined, world: World): Promise<TracedRun> {
  const { disk, take } = followDisk(whole);
  const sent = port === undefined ? undefined : followAnswers(port);
  const injected: Call[] = [];
  let lines = 0;
  for await (const call of readCalls(log)) {
    take(call);
    sent?.take(call);
    if (call.injected) injected.push(call);
    lines = call.end;
  }
  const answers = sent?.answers ?? [];
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  for (const step of world.all.flatMap(({ steps }) => steps)) step.code ??= byId.get(step.id)?.code;
  const answeredBefore = (line: number) => (step: Step) => [step.id, ...step.shownBy].some((id) => (byId.get(id)?.end ?? line) < line);
  return { disk, answers, injected, lines, answeredBefore };
}

/** The calls that strace has made fail so far, while it goes on writing the log. Each call of the function reads what is new. */
export function followInjected(log: string): () => readonly Call[] {
  const chunk = Buffer.alloc(1024 * 1024);
  const callOf = callsInLines();
  const injected: Call[] = [];
  let rest: Buffer[] = [];
  let offset = 0;
  const take = (octets: Buffer) => {
    let from = 0;
    for (let end = octets.indexOf(lineEnd); end >= 0; end = octets.indexOf(lineEnd, from)) {
      const call = callOf(Buffer.concat([...rest, octets.subarray(from, end)]).toString('latin1'));
      if (call?.injected === true) injected.push(call);
      rest = [];
      from = end + 1;
    }
    if (from < octets.length) rest.push(Buffer.from(octets.subarray(from)));
  };
  return () => {
    const descriptor = openSync(log, 'r');
    try {
      for (let octets = readSync(descriptor, chunk, 0, chunk.length, offset); octets > 0; ) {
        offset += octets;
        take(chunk.subarray(0, octets));
        octets = readSync(descriptor, chunk, 0, chunk.length, offset);
      }
      return injected;
    } finally {
      closeSync(descriptor);
    }
  };
}

const lineEnd = 0x0a;
