import type { Round, Seen } from '../round.ts';
import { faults } from './faults.ts';
import { full, unavailable as fullUnavailable } from './full.ts';
import { kill } from './kill.ts';
import { power, unavailable as powerUnavailable } from './power.ts';

interface Variant {
  readonly means: string;
  readonly run: (round: Round) => Promise<Seen>;
  /** Why it cannot run on this machine, when it cannot. */
  readonly unavailable?: () => string | undefined;
}

/** The ways in which a service is broken. */
export const variants = {
  kill: { means: 'SIGKILL at random instants', run: kill },
  power: { means: 'loss of power at random instants', run: power, unavailable: powerUnavailable },
  faults: { means: 'writes and syncs that fail with EIO and ENOSPC', run: faults, unavailable: powerUnavailable },
  full: { means: 'a disk without room', run: full, unavailable: fullUnavailable },
} as const satisfies Record<string, Variant>;

export type VariantName = keyof typeof variants;
export const variantNames = Object.keys(variants) as VariantName[];

export function unavailable(name: VariantName): string | undefined {
  const variant: Variant = variants[name];
  return variant.unavailable?.();
}
