export interface Counted {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface TapReader {
  /** Takes the next piece of output, cut anywhere. */
  push(text: string): void;
  /** What was counted. Call it after the last piece. */
  end(): Counted;
}

/**
 * Reads what AVA says in TAP (testanything.org, version 13) and passes each failed test on with its details.
 *
 * @param failed  called with the title and the lines below it
 */
export function readTap(failed: (title: string, details: readonly string[]) => void): TapReader {
  const counted = { passed: 0, failed: 0, skipped: 0 };
  let rest = '';
  let open: { readonly title: string; readonly details: string[] } | undefined;

  const close = () => {
    if (open !== undefined) failed(open.title, open.details);
    open = undefined;
  };
  const take = (line: string) => {
    const result = /^(not )?ok \d+(?: - (.*))?$/.exec(line);
    if (result === null) {
      if (/^\s/.test(line) && !/^ {2}(---|\.\.\.)$/.test(line)) open?.details.push(line);
      return;
    }
    close();
    const [, not, title = ''] = result;
    if (/# (SKIP|TODO)\b/i.test(title)) counted.skipped++;
    else if (not === undefined) counted.passed++;
    else {
      counted.failed++;
      open = { title, details: [] };
    }
  };
  return {
    push: (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(line);
    },
    end: () => {
      take(rest);
      close();
      return counted;
    },
  };
}
