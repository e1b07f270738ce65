/** Calls something again and again until the returned function is called; by a timer that keeps no process alive. */
export function repeat(intervalMs: number, run: () => void): () => void {
  const timer = setInterval(run, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
