import { availableParallelism } from 'node:os';
import { describeSettingProblem, type ErrorRow, Refusal, readSettings, sizeThreadPool } from '#catalogue';
import { settings as rows } from '../settings.ts';
import { type AtriumOptions, type Foundation, openFoundation, type Settings } from './foundation.ts';

type Begun<T> =
  | { readonly kind: 'begun'; readonly made: T; readonly open: AsyncDisposableStack }
  | { readonly kind: 'refused'; readonly lines: readonly string[]; readonly row?: ErrorRow };

/**
 * Reads the settings and opens the foundation; what `make` opens on it is closed again when something is refused.
 *
 * @param adapt   makes the settings those of a process of another kind
 * @param beside  the folder is another process's: it is not locked, and looked at by this before anything is opened in it
 */
export async function begin<T>(
  options: AtriumOptions,
  make: (foundation: Foundation) => Promise<T>,
  { beside, adapt = (given) => given }: { readonly beside?: () => void; readonly adapt?: (given: Settings) => Settings } = {},
): Promise<Begun<T>> {
  sizeThreadPool(availableParallelism() + 2);
  const read = readSettings(rows, { environment: options.environment });
  if (read.problems.length > 0) return { kind: 'refused', lines: read.problems.map(describeSettingProblem) };
  await using open = new AsyncDisposableStack();
  try {
    beside?.();
    const made = await make(openFoundation(options, { ...read, values: adapt(read.values) }, open, { owns: beside === undefined }));
    return { kind: 'begun', made, open: open.move() };
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', lines: [error.message], row: error.row };
    throw error;
  }
}
