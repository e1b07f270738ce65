import { decodeMessage, readFrame } from '#ldap';
import { type Call, stringsOf } from './trace.ts';

/** An answer as the service handed it to the system. */
export interface TracedAnswer {
  /** The connection, as the client numbers it, and the message id. */
  readonly id: string;
  readonly code: number;
  readonly kind: string;
  /** The line of the trace at which all of it was handed over. */
  readonly end: number;
}

/** Follows what a service writes to TCP connections that come to a port, and keeps the final answers. */
export function followAnswers(port: number): { readonly answers: TracedAnswer[]; take(call: Call): void } {
  const answers: TracedAnswer[] = [];
  const rests = new Map<string, Buffer>();
  const peer = new RegExp(`^\\d+<TCP(?:v6)?:\\[.*:${port}->.*:(\\d+)\\]>`);

  const take = (call: Call) => {
    if (call.result <= 0 || !/^(write|writev|sendto|sendmsg)$/.test(call.name)) return;
    const client = peer.exec(call.args)?.[1];
    if (client === undefined) return;
    const sent = Buffer.concat(stringsOf(call.args)).subarray(0, call.result);
    let rest = Buffer.concat([rests.get(client) ?? Buffer.alloc(0), sent]);
    for (let frame = readFrame(rest, 0, anything); frame.kind === 'whole'; frame = readFrame(rest, 0, anything)) {
      const decoded = decodeMessage(rest.subarray(0, frame.next), { depthMax: 100 });
      if (decoded.kind === 'bad') throw new Error(`the trace holds an answer that is none: ${decoded.why}`);
      const { op, messageId } = decoded.message;
      if ('result' in op) answers.push({ id: `${client}:${messageId}`, code: op.result.code, kind: op.kind, end: call.end });
      rest = rest.subarray(frame.next);
    }
    rests.set(client, rest);
  };
  return { answers, take };
}

const anything = { messageOctetsMax: 2 ** 30 };
