/** What a progress line needs of the stream it is drawn on. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface Progress {
  /** Draws how far the work is; `done` of `total` in the same unit, `count` entries or what else is counted. */
  show(done: number, total: number | undefined, count: number): void;
  /** Removes the line. */
  end(): void;
}

const barCells = 30;
const redrawMs = 100;

/**
 * A progress bar on a terminal; nothing in a pipe.
 *
 * @param stream  where it is drawn, standard error as a rule
 * @param nowMs   the time, for rate and time left
 * @param verb    what is being done, "Importing"
 * @param unit    what is counted
 */
export function createProgress(stream: ProgressStream, nowMs: () => number, verb: string, unit = 'entries'): Progress {
  if (stream.isTTY !== true) return { show: () => undefined, end: () => undefined };
  const startMs = nowMs();
  let drawnMs = 0;
  return {
    show: (done, total, count) => {
      const now = nowMs();
      if (now - drawnMs < redrawMs) return;
      drawnMs = now;
      stream.write(`\r\x1b[K${describe(verb, done, total, count, now - startMs, unit)}`);
    },
    end: () => stream.write('\r\x1b[K'),
  };
}

/** The text of a progress line: bar, share, entries, rate and time left. */
export function describe(
  verb: string,
  done: number,
  total: number | undefined,
  count: number,
  elapsedMs: number,
  unit = 'entries',
): string {
  const perS = elapsedMs > 0 ? Math.round((count * 1000) / elapsedMs) : 0;
  const rate = `${count.toLocaleString('en')} ${unit}, ${perS.toLocaleString('en')}/s`;
  if (total === undefined || total === 0) return `${verb}  ${rate}`;
  const share = Math.min(1, done / total);
  const filled = Math.round(share * barCells);
  const leftS = share > 0 ? Math.ceil((elapsedMs / 1000) * (1 / share - 1)) : 0;
  return `${verb} [${'█'.repeat(filled)}${'·'.repeat(barCells - filled)}] ${Math.floor(share * 100)} %  ${rate}, ${leftS} s left`;
}
