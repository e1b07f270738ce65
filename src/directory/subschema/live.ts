import type { Definition, Schema } from '#schema';

/** The schema as it is now. A `Schema` never changes: another takes its place. */
export interface LiveSchema {
  readonly current: Schema;
  /** Which one it is, among all that this service had. */
  readonly generation: number;
  /** False while another is about to take its place: what was decided by this one is not committed then, but decided anew. */
  isOpen(schema: Schema): boolean;
  /** Resolves when commits are taken again. */
  opened(): Promise<void>;
}

/** The same in the thread that changes it. */
export interface OwnSchema extends LiveSchema {
  /** @throws Refusal schemaInvalid */
  build(stored: readonly Definition[]): Schema;
  /** Lets one change after the other through. */
  inTurn<T>(act: () => Promise<T>): Promise<T>;
  /** Keeps commits waiting until `act` is through, which may `replace` the schema. */
  closed<T>(act: (replace: (schema: Schema) => void) => Promise<T>): Promise<T>;
}

/** Where threads see which schema it is. */
export function createGenerationBuffer(): SharedArrayBuffer {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
}

/** @param build  makes a schema of the files and of definitions that were added at run time */
export function createLiveSchema(
  build: (stored: readonly Definition[]) => Schema,
  stored: readonly Definition[] = [],
  buffer: SharedArrayBuffer = createGenerationBuffer(),
): OwnSchema {
  const numbers = new Int32Array(buffer);
  let current = build(stored);
  let closing: PromiseWithResolvers<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return {
    build,
    get current() {
      return current;
    },
    get generation() {
      return numbers[0] as number;
    },
    isOpen: (schema) => closing === undefined && schema === current,
    opened: () => closing?.promise ?? Promise.resolve(),
    inTurn(act) {
      const turn = last.then(act, act);
      last = turn.catch(() => undefined);
      return turn;
    },
    async closed(act) {
      closing = Promise.withResolvers();
      try {
        return await act((schema) => {
          current = schema;
          Atomics.add(numbers, 0, 1);
        });
      } finally {
        closing.resolve();
        closing = undefined;
      }
    },
  };
}

/**
 * The schema in a thread beside the one that changes it: made anew when the shared number has moved, which it does before anyone is told of a change.
 *
 * @param read  the definitions of the newest snapshot
 */
export function followSchema(
  build: (stored: readonly Definition[]) => Schema,
  buffer: SharedArrayBuffer,
  read: () => readonly Definition[],
): LiveSchema {
  const numbers = new Int32Array(buffer);
  let generation = Atomics.load(numbers, 0);
  let current = build(read());
  const renewed = () => {
    const now = Atomics.load(numbers, 0);
    if (now !== generation) {
      current = build(read());
      generation = now;
    }
    return current;
  };
  return {
    get current() {
      return renewed();
    },
    get generation() {
      return generation;
    },
    isOpen: (schema) => schema === renewed(),
    opened: () => Promise.resolve(),
  };
}

/** A schema that stays as it is. */
export function fixedSchema(schema: Schema): LiveSchema {
  return { current: schema, generation: 0, isOpen: () => true, opened: () => Promise.resolve() };
}
