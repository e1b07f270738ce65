/** So many syncs in a row tell of a disk that is quick and of a writer who is alone. */
const runMin = 8;
/** Of so many one is beside the loop all the same, to see who comes meanwhile. */
const probeEach = 16;
/** One that took as long was not quick: who comes in the middle of it would notice. */
const slowMs = 2;
/** A modify looks at the directory six times, its audit included. With more than these somebody else is there. */
const looksMax = 8;
/** One change of an entry, and 100 KiB of it at most: what is more takes longer to put on disk. */
const pagesMax = 56;

/** Tells whether whoever writes does so alone. */
export interface Company {
  /** @param pages  about how many are to be put on disk, at most */
  beginSync(pages: number): 'inLoop' | 'beside';
  endSync(): void;
}

/**
 * Judges by the syncs before. One beside the loop costs two changes of thread, which is as much as all else that a small write takes, and is worth it where
 * there is something else to do meanwhile or where the disk takes its time.
 *
 * @param looks  how often the directory was looked at so far
 * @param elapsedMs  a clock that only ever goes on
 */
export function createCompany(looks: () => number, elapsedMs: () => number): Company {
  let run = 0;
  let looked = 0;
  let lookedDuring = 0;
  let begunMs = 0;
  return {
    beginSync(pages) {
      lookedDuring = looks();
      if (lookedDuring - looked > looksMax || pages > pagesMax) run = 0;
      begunMs = elapsedMs();
      return run >= runMin && run % probeEach !== 0 ? 'inLoop' : 'beside';
    },
    endSync() {
      looked = looks();
      run = looked > lookedDuring || elapsedMs() - begunMs >= slowMs ? 0 : run + 1;
    },
  };
}
