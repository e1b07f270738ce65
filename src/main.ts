import { availableParallelism } from 'node:os';
import { describeSettingProblem, Refusal, readSettings, sizeThreadPool } from '#catalogue';
import type { Addresses, Located, Started } from '#commands';
import { startAbove } from './above.ts';
import { operatorsSocketOf, startBelow } from './below.ts';
import { type AtriumOptions, type Foundation, openFoundation } from './foundation.ts';
import { settings as rows } from './tables.ts';

/**
 * Reads the settings, puts the rooms together and opens the doors. Nothing stays open when it is refused.
 *
 * @returns the running service, or what the operator has to mend, a line each
 */
export async function startAtrium(options: AtriumOptions): Promise<Started> {
  const begun = await begin(options, async (foundation) => {
    const below = await startBelow(foundation);
    const addresses: Addresses = { ...below.addresses, ...(await startAbove(foundation, below)) };
    return {
      addresses,
      suffix: below.suffix,
      ...(below.generatedPassword === undefined ? {} : { generatedPassword: below.generatedPassword }),
    };
  });
  if (begun.kind === 'refused') return begun;
  return { kind: 'running', service: { ...begun.made, stop: () => begun.open.disposeAsync() } };
}

/** Where a service with these settings is, without starting or opening anything. */
export function locate({ root, environment }: AtriumOptions): Located {
  const { values, problems } = readSettings(rows, { environment });
  if (problems.length > 0) return { kind: 'refused', lines: problems.map(describeSettingProblem) };
  return { kind: 'located', suffix: values['realms.defaultSuffix'], operatorsSocket: operatorsSocketOf(root, values) };
}

type Begun<T> =
  | { readonly kind: 'begun'; readonly made: T; readonly open: AsyncDisposableStack }
  | { readonly kind: 'refused'; readonly lines: readonly string[] };

/** Reads the settings and opens the foundation; what `make` opens on it is closed again when something is refused. */
export async function begin<T>(options: AtriumOptions, make: (foundation: Foundation) => Promise<T>): Promise<Begun<T>> {
  sizeThreadPool(availableParallelism() + 2);
  const { values, problems, warnings } = readSettings(rows, { environment: options.environment });
  if (problems.length > 0) return { kind: 'refused', lines: problems.map(describeSettingProblem) };
  await using open = new AsyncDisposableStack();
  try {
    const made = await make(openFoundation(options, values, warnings, open));
    return { kind: 'begun', made, open: open.move() };
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', lines: [error.message] };
    throw error;
  }
}
