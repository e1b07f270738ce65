// Nothing but scrypt, as many at a time as the service computes: what a machine could do if all else were free. Told how long by a message, it answers with what it did.
import { scrypt } from 'node:crypto';
import { availableParallelism } from 'node:os';

/** What was reached. */
export interface Bare {
  readonly perS: number;
  /** Processor time of one hash. */
  readonly processorMs: number;
}

const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 256 * 2 ** 20 };

process.on('message', (ms: number) => {
  void bare(ms).then((done) => process.send?.(done));
});

async function bare(ms: number): Promise<Bare> {
  const before = process.cpuUsage();
  const begunMs = performance.now();
  let done = 0;
  const lane = async () => {
    while (performance.now() - begunMs < ms) {
      await hash();
      done++;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  const { user, system } = process.cpuUsage(before);
  return { perS: (done * 1000) / (performance.now() - begunMs), processorMs: (user + system) / 1000 / done };
}

function hash(): Promise<void> {
  return new Promise((resolve, reject) => {
    scrypt('a password that nobody has', 'sixteen octets, ', 32, cost, (error) => (error === null ? resolve() : reject(error)));
  });
}
