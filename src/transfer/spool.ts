import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { decodeAttributes, encodeAttributes } from '#ldap';
import type { NamedEntry } from './named.ts';

/** Entries in a file of this process alone, each found again by where it was put. */
export interface Spool extends Disposable {
  /** Octets so far: where the next entry will lie. */
  readonly end: number;
  put(entry: NamedEntry): number;
  /** The same for one that `encodeEntry` made octets of. */
  putEncoded(octets: Uint8Array): number;
  at(place: number): NamedEntry;
  /** All entries from one place up to another, in the order in which they were put. */
  from(place: number, end: number): Generator<NamedEntry>;
}

const headOctets = 16;
const bufferOctets = 262_144;

/**
 * @param folder  where a folder of its own is made, which goes with it; nobody else can enter that
 */
export function openSpool(folder: string): Spool {
  const own = mkdtempSync(join(folder, 'atrium-'));
  const file = openSync(join(own, 'entries'), 'wx+', 0o600);
  let written = 0;
  let waiting: Uint8Array[] = [];
  let waitingOctets = 0;

  function flush(): void {
    if (waitingOctets === 0) return;
    const octets = Buffer.concat(waiting);
    for (let from = 0; from < octets.length; ) from += writeSync(file, octets, from, octets.length - from, written + from);
    written += octets.length;
    waiting = [];
    waitingOctets = 0;
  }

  function read(place: number, length: number): Buffer {
    const octets = Buffer.allocUnsafe(length);
    let got = 0;
    while (got < length) {
      const more = readSync(file, octets, got, length - got, place + got);
      if (more === 0) break;
      got += more;
    }
    return octets.subarray(0, got);
  }

  function putEncoded(octets: Uint8Array): number {
    const place = written + waitingOctets;
    waiting.push(octets);
    waitingOctets += octets.length;
    if (waitingOctets >= bufferOctets) flush();
    return place;
  }

  return {
    get end() {
      return written + waitingOctets;
    },
    put: (entry) => putEncoded(encodeEntry(entry)),
    putEncoded,
    at(place) {
      flush();
      const head = read(place, headOctets);
      return decodeEntry(Buffer.concat([head, read(place + headOctets, head.readUInt32LE(0) - headOctets)]));
    },
    *from(place, end) {
      flush();
      let buffer = Buffer.alloc(0);
      let at = 0;
      let next = place;
      const has = (length: number): boolean => {
        while (buffer.length - at < length) {
          const more = read(next, Math.min(Math.max(bufferOctets, length), end - next));
          if (more.length === 0) return false;
          buffer = Buffer.concat([buffer.subarray(at), more]);
          at = 0;
          next += more.length;
        }
        return true;
      };
      while (has(headOctets)) {
        const length = buffer.readUInt32LE(at);
        if (!has(length)) return;
        yield decodeEntry(buffer.subarray(at, at + length));
        at += length;
      }
    },
    [Symbol.dispose]() {
      closeSync(file);
      rmSync(own, { recursive: true, force: true });
    },
  };
}

/** Whole length, line, and the lengths of name and key: four numbers of four octets, then name, key and attributes. */
export function encodeEntry({ line, dn, key, attributes }: NamedEntry): Buffer {
  const name = Buffer.from(dn);
  const rest = encodeAttributes(attributes);
  const octets = Buffer.allocUnsafe(headOctets + name.length + key.length + rest.length);
  octets.writeUInt32LE(octets.length, 0);
  octets.writeUInt32LE(line, 4);
  octets.writeUInt32LE(name.length, 8);
  octets.writeUInt32LE(key.length, 12);
  octets.set(name, headOctets);
  octets.set(key, headOctets + name.length);
  octets.set(rest, headOctets + name.length + key.length);
  return octets;
}

/** The octets are kept: give it ones that nobody writes to. */
export function decodeEntry(octets: Buffer): NamedEntry {
  const nameEnd = headOctets + octets.readUInt32LE(8);
  const keyEnd = nameEnd + octets.readUInt32LE(12);
  return {
    line: octets.readUInt32LE(4),
    dn: octets.toString('utf8', headOctets, nameEnd),
    key: new Uint8Array(octets.subarray(nameEnd, keyEnd)),
    attributes: decodeAttributes(new Uint8Array(octets.subarray(keyEnd))),
  };
}

export function keyOf(octets: Buffer): Buffer {
  const nameEnd = headOctets + octets.readUInt32LE(8);
  return octets.subarray(nameEnd, nameEnd + octets.readUInt32LE(12));
}
