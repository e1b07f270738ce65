/** A line on a terminal that says what is being done; nothing where there is no terminal. */
export interface Progress {
  /** @param share  of the whole, when it is known; the time left is guessed from it */
  readonly show: (text: string, share?: number) => void;
  /** Takes the line away. */
  readonly end: () => void;
}

export function createProgress(stream: NodeJS.WriteStream): Progress {
  const begunMs = performance.now();
  let shown = false;
  return {
    show(text, share) {
      if (!stream.isTTY) return;
      const left =
        share === undefined || share === 0 ? '' : `, about ${minutes(((performance.now() - begunMs) * (1 - share)) / share)} left`;
      stream.write(`\r\x1b[K${minutes(performance.now() - begunMs)} ${text}${left}`.slice(0, stream.columns + 4));
      shown = true;
    },
    end() {
      if (shown) stream.write('\r\x1b[K');
      shown = false;
    },
  };
}

function minutes(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
