import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Order, Report } from './generator.ts';
import type { Counted, Target, Timing } from './load.ts';

/** The load generator in its own process. */
export interface Generator extends AsyncDisposable {
  open(name: string, target: Target): Promise<void>;
  sample(name: string, timing: Timing): Promise<Counted>;
  close(name: string): Promise<void>;
}

export function startGenerator(): Generator {
  const child = fork(join(import.meta.dirname, 'generator.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return {
    open: async (name, target) => void (await tell(child, { kind: 'open', name, target })),
    async sample(name, timing) {
      const counted = await tell(child, { kind: 'sample', name, timing });
      if (counted === undefined) throw new Error('the load generator counted nothing');
      return counted;
    },
    close: async (name) => void (await tell(child, { kind: 'close', name })),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

/** One order at a time: the next is given when the last was reported done. */
function tell(child: ChildProcess, order: Order): Promise<Counted | undefined> {
  return new Promise((resolve, reject) => {
    const hear = (report: Report) => {
      child.off('exit', lose);
      if (report.kind === 'done') resolve(report.counted);
      else reject(new Error(`${order.name}: ${report.why}`));
    };
    const lose = () => {
      child.off('message', hear);
      reject(new Error('the load generator ended'));
    };
    child.once('message', hear);
    child.once('exit', lose);
    child.send(order);
  });
}
