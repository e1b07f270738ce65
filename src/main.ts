import { availableParallelism } from 'node:os';
import { describeSettingProblem, Refusal, readSettings, sizeThreadPool } from '#catalogue';
import type { Addresses, Started } from '#commands';
import { startAbove } from './above.ts';
import { startBelow } from './below.ts';
import { type AtriumOptions, openFoundation } from './foundation.ts';
import { settings as rows } from './tables.ts';

/**
 * Reads the settings, puts the rooms together and opens the doors. Nothing stays open when it is refused.
 *
 * @returns the running service, or what the operator has to mend, a line each
 */
export async function startAtrium(options: AtriumOptions): Promise<Started> {
  sizeThreadPool(availableParallelism() + 2);
  const { values, problems, warnings } = readSettings(rows, { environment: options.environment });
  if (problems.length > 0) return { kind: 'refused', lines: problems.map(describeSettingProblem) };

  await using open = new AsyncDisposableStack();
  try {
    const foundation = openFoundation(options, values, warnings, open);
    const below = await startBelow(foundation);
    const above = await startAbove(foundation, below);
    const addresses: Addresses = { ...below.addresses, ...above.addresses };
    const kept = open.move();
    return {
      kind: 'running',
      service: {
        addresses,
        suffix: below.suffix,
        ...(below.generatedPassword === undefined ? {} : { generatedPassword: below.generatedPassword }),
        stop: () => kept.disposeAsync(),
      },
    };
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', lines: [error.message] };
    throw error;
  }
}

