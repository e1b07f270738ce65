import { createSlab } from '#base';

/**
 * Where in an entry's attributes an answer stands that is less than all of them: worked out once for each entry and each view of it, so that for the next one
 * who may see the same of it these ranges are copied. To pick them out anew took 8 µs of 95.
 *
 * A changed entry has another version, and nothing under its old one is ever asked for again: nothing here must be put out by a change.
 */
export interface AnswerCache {
  /** The answers of one view, which nobody else can ask for. */
  view(): ViewAnswers;
}

export interface ViewAnswers {
  /** The pieces of an entry's attributes, if they are known. */
  get(version: number, attributes: Uint8Array): Uint8Array[] | undefined;
  /** @param ranges  where each piece begins and ends, one after the other */
  keep(version: number, ranges: readonly number[]): void;
}

/** A range: two numbers of four octets. */
const rangeOctets = 8;
/** Answers usually are of one range or of some. */
const answerOctets = 16;
/** A place takes twice as much as that: of three octets two are the table's. */
const tableShare = 3;

/** @param octetsMax  of all that is kept, the table that leads there included */
export function createAnswerCache(octetsMax: number): AnswerCache {
  const slab = createSlab(octetsMax / tableShare, answerOctets);
  let views = 0;
  return {
    view() {
      const number = ++views;
      return {
        get(version, attributes) {
          const place = slab.find(version, number);
          if (place < 0) return undefined;
          const kept = slab.segmentAt(place);
          const start = slab.offsetAt(place);
          const end = start + slab.octetsAt(place);
          const pieces: Uint8Array[] = [];
          for (let at = start; at < end; at += rangeOctets) {
            pieces.push(attributes.subarray(kept.readUInt32LE(at), kept.readUInt32LE(at + 4)));
          }
          return pieces;
        },
        keep(version, ranges) {
          const room = slab.put(version, number, 4 * ranges.length);
          if (room !== undefined) for (let each = 0; each < ranges.length; each++) room.writeUInt32LE(ranges[each] as number, 4 * each);
        },
      };
    },
  };
}
