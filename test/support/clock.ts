/** A clock that is moved by hand, with timers that come due as it moves. */
export function openClock(beginsMs = Date.now()) {
  let nowMs = beginsMs;
  let due: { readonly atMs: number; readonly callback: () => void }[] = [];
  const moveMs = (ms: number) => {
    nowMs += ms;
  };
  return {
    nowMs: () => nowMs,
    timers: {
      after: (delayMs: number, callback: () => void) => {
        const timer = { atMs: nowMs + delayMs, callback };
        due.push(timer);
        return () => {
          due = due.filter((each) => each !== timer);
        };
      },
    },
    /** Moves the clock, and nobody looks at it. */
    moveMs,
    /** Moves the clock, and what is due by then comes. */
    passS: (s: number) => {
      moveMs(s * 1000);
      for (let next = due.find(({ atMs }) => atMs <= nowMs); next !== undefined; next = due.find(({ atMs }) => atMs <= nowMs)) {
        const timer = next;
        due = due.filter((each) => each !== timer);
        timer.callback();
      }
    },
  };
}
