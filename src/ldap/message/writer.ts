import {
  arena,
  begin,
  end,
  lengthOctets,
  numberOctets,
  reserve,
  reuse,
  take,
  writeHeader,
  writeNumber,
  writeOctets,
} from '../ber/write.ts';
import { writeControls, writeMessage } from './encode.ts';
import { operationTags, universal } from './tags.ts';
import type { Control, Message } from './types.ts';

/** Builds the answers to one turn of a connection in one buffer, so that they leave in one write. */
export interface MessageWriter {
  /** Octets written since the last `take`. */
  readonly length: number;
  message(message: Message): void;
  /**
   * Writes a search result entry by copying what is already encoded.
   *
   * @param dn          the DN, UTF-8
   * @param attributes  PartialAttribute elements as `encodeAttributes` makes them, in pieces
   */
  searchResultEntry(messageId: number, dn: Uint8Array, attributes: readonly Uint8Array[], controls?: readonly Control[]): void;
  /** What was written since the last call. These octets are not written over. */
  take(): Uint8Array;
  /** To be called with what was taken last, when nobody looks at it any more: it may be written over. */
  reuse(taken: Uint8Array): void;
}

/** A writer whose buffers have at least `initialOctets`. */
export function createWriter(initialOctets: number): MessageWriter {
  const a = arena(initialOctets);

  function entryBody(dn: Uint8Array, pieces: readonly Uint8Array[], octets: number): void {
    writeHeader(a, operationTags.searchResultEntry, element(dn.length) + element(octets));
    writeOctets(a, universal.octets, dn);
    writeHeader(a, universal.sequence, octets);
    for (const piece of pieces) {
      a.bytes.set(piece, a.at);
      a.at += piece.length;
    }
  }

  return {
    get length() {
      return a.at - a.start;
    },
    message: (message) => writeMessage(a, message),
    searchResultEntry(messageId, dn, pieces, controls) {
      let octets = 0;
      for (const piece of pieces) octets += piece.length;
      if (controls !== undefined && controls.length > 0) {
        const mark = begin(a, universal.sequence);
        writeNumber(a, universal.integer, messageId);
        entryBody(dn, pieces, octets);
        writeControls(a, controls);
        end(a, mark);
        return;
      }
      // Every length is known before the first octet is written, so that nothing moves.
      const body = element(element(dn.length) + element(octets));
      const whole = element(numberOctets(messageId)) + body;
      reserve(a, element(whole));
      writeHeader(a, universal.sequence, whole);
      writeNumber(a, universal.integer, messageId);
      entryBody(dn, pieces, octets);
    },
    take: () => take(a),
    reuse: (taken) => reuse(a, taken),
  };
}

/** Octets of an element with a content of `octets`: tag, length, content. */
function element(octets: number): number {
  return 1 + lengthOctets(octets) + octets;
}
