import type { z } from 'zod';
import { located } from './directory-fields.ts';
import { type Failure, failureOf, filled } from './failure.ts';
import type { Call, Operation, Streamed } from './row.ts';
import { shapeWords } from './shape-words.ts';
import { fieldErrorsOf, Unfit } from './unfit.ts';

export type Performed =
  | { readonly kind: 'done'; readonly output: Readonly<Record<string, unknown>> }
  | ({ readonly kind: 'streamed' } & Streamed)
  | { readonly kind: 'failed'; readonly failure: Failure };

/**
 * Performs an operation and leaves one audit row of it: who, what, and why not.
 *
 * @param given  what was sent, as JSON has it
 */
export async function perform(row: Operation, call: Call, given: Readonly<Record<string, unknown>>): Promise<Performed> {
  try {
    const input = read(row, given);
    const made = await row.run(call, input);
    note(row, call, input);
    if (isStreamed(made)) return { kind: 'streamed', stream: made.stream };
    return { kind: 'done', output: made };
  } catch (thrown) {
    const failure = located(row, given, thrown, failureOf(thrown));
    note(row, call, given, failure);
    return { kind: 'failed', failure };
  }
}

function isStreamed(made: Readonly<Record<string, unknown>> | Streamed): made is Streamed {
  return 'stream' in made && typeof made.stream === 'object' && made.stream !== null && Symbol.asyncIterator in made.stream;
}

function read(row: Operation, given: Readonly<Record<string, unknown>>): z.output<z.ZodObject> {
  const parsed = row.input.safeParse(given, { error: shapeWords });
  if (parsed.success) return parsed.data;
  throw new Unfit(...fieldErrorsOf(parsed.error));
}

/** Texts of what was sent may be anything: the trail shortens and escapes them. */
function note(row: Operation, call: Call, input: Readonly<Record<string, unknown>>, failure?: Failure): void {
  const what = filled(row.audit, input);
  call.deps.audit.record({
    realm: call.realm.id,
    ...call.visit,
    subject: call.caller.dn,
    action: `admin.${row.name}`,
    ...(failure === undefined
      ? { outcome: 'success' as const, summary: what }
      : {
          outcome: failure.status < 500 ? ('refused' as const) : ('failed' as const),
          error: failure.error,
          summary: `${what}: ${failure.means}`,
        }),
  });
}
