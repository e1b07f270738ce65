import { mailedSettings } from '../flows/mailed.ts';
import { randomNumbers } from '../support/people.ts';
import type { TestSmtp } from '../support/smtp.ts';
import { race, wasTogether } from './gate.ts';
import { startTwoWebs } from './house.ts';
import { makeKinds } from './kinds.ts';

export interface RacesOptions {
  /** Races of each kind. */
  readonly rounds: number;
  readonly seed: number;
  readonly smtp: TestSmtp;
  readonly workers: number;
  readonly progress: (done: string) => void;
}

/** What came of the races of one kind. */
export interface Counts {
  readonly name: string;
  readonly rounds: number;
  /** Races in which both had been asked before either was answered. */
  readonly together: number;
  /** Races that exactly one won. */
  readonly one: number;
  /** Races that the web process beside the service won. */
  readonly beside: number;
  /** From the later ask to the earlier answer, the shortest of those races, in milliseconds. */
  readonly closestMs: number;
  /** The first race that went wrong: what both were answered. */
  readonly wrong?: string;
}

/** Lets two web processes race for what works once. */
export async function proveRaces({ rounds, seed, smtp, workers, progress }: RacesOptions): Promise<readonly Counts[]> {
  const { below: draw } = randomNumbers(seed);
  await using house = await startTwoWebs({
    ...mailedSettings(smtp),
    STS_SECURITY_RATE_PER_IDENTITY: '1000000',
    STS_SECURITY_RATE_PER_ADDRESS: '1000000',
    STS_TOTP_WINDOW: '2',
    STS_LDAP_WORKERS: String(workers),
  });
  const counts: Counts[] = [];
  for (const kind of await makeKinds({ house, smtp, draw })) {
    let sum: Counts = { name: kind.name, rounds, together: 0, one: 0, beside: 0, closestMs: Number.POSITIVE_INFINITY };
    for (let round = 0; round < rounds; round++) {
      const raced = await race(await kind.prepare(round), draw(2) === 0 ? [0, 1] : [1, 0]);
      const [service, beside] = raced;
      const isOne = service.isIn !== beside.isIn;
      const gapMs = Math.min(service.answeredMs, beside.answeredMs) - Math.max(service.askedMs, beside.askedMs);
      const together = wasTogether(raced);
      sum = {
        ...sum,
        together: sum.together + Number(together),
        one: sum.one + Number(isOne),
        beside: sum.beside + Number(isOne && beside.isIn),
        closestMs: together ? Math.min(sum.closestMs, gapMs) : sum.closestMs,
        ...(isOne || sum.wrong !== undefined ? {} : { wrong: `race ${round}:\n${service.text}\n\n${beside.text}` }),
      };
      progress(`${kind.name}: ${round + 1} of ${rounds}`);
    }
    counts.push(sum);
  }
  return counts;
}
