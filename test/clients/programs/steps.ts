/** Does one step and prints a line for it, as `journey.ts` reads it. @returns whether it held */
export async function step(name: string, act: () => unknown): Promise<boolean> {
  try {
    await act();
    process.stdout.write(`ok\t${name}\n`);
    return true;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    process.stdout.write(`no\t${name}\t${said.replace(/\s+/g, ' ').slice(0, whyMax)}\n`);
    return false;
  }
}

const whyMax = 1500;

/** @throws Error when it is not so */
export function holds(truth: boolean, what: string): asserts truth {
  if (!truth) throw new Error(what);
}

export function same<T>(is: T, should: T, what: string): void {
  const [left, right] = [JSON.stringify(is), JSON.stringify(should)];
  if (left !== right) throw new Error(`${what}: ${left}, not ${right}`);
}

const minuteMs = 60_000;
const pollMs = 100;

/** Waits for what a program does in its own time, such as listening. @throws Error with the last trouble when it does not come */
export async function until<T>(what: string, look: () => Promise<T | undefined>, waitMaxMs = minuteMs): Promise<T> {
  const endMs = performance.now() + waitMaxMs;
  for (let trouble: unknown = 'nothing'; ; ) {
    try {
      const seen = await look();
      if (seen !== undefined) return seen;
    } catch (error) {
      trouble = error;
    }
    if (performance.now() > endMs) throw new Error(`${what} did not come: ${trouble}`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
