import { fstatSync, writeSync } from 'node:fs';
import { isDiskError } from './reasons.ts';

const firstOctets = 65_536;
/** To write and to confirm some MiB takes as many milliseconds, which whoever waits for that sync waits. */
const stepsOfAll = 32;
const stepOctetsMax = 4 * 2 ** 20;

/**
 * Writes zeros behind the end of a write-ahead log, so that what comes next is written over them: to confirm octets in the middle of a file takes the disk
 * about half as long as to confirm a file that has grown, whose length and place a journal has to note too. Room that is merely reserved would not do: that it is written to now is noted as well.
 *
 * To SQLite the zeros are no part of the log: no frame is of page 0, and each carries the log's salt and checksum. They stand behind all that was written and
 * are written by the thread that writes the log, so that they never take the place of anything.
 *
 * @param octetsMax  how long the file may become by it
 * @returns what is to be called before each sync. It needs one look at the file's length where there is room, and each step is twice as great as the one before
 */
export function createRoomAhead(descriptor: number, octetsMax: number): () => void {
  const stepOctets = Math.min(stepOctetsMax, octetsMax / stepsOfAll);
  let zeros: Uint8Array | undefined;
  let length = 0;
  return () => {
    const { size } = fstatSync(descriptor);
    const hasGrown = size > length;
    length = size;
    if (!hasGrown) return;
    const octets = Math.min(Math.max(size, firstOctets), stepOctets, octetsMax - size);
    if (octets <= 0) return;
    zeros ??= new Uint8Array(stepOctets);
    try {
      length += writeSync(descriptor, zeros, 0, octets, size);
    } catch (error) {
      // The disk is full, say: what comes next is refused or taken as it would be without.
      if (!isDiskError(error)) throw error;
    }
  };
}
