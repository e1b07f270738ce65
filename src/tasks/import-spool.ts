import { closeSync, fstatSync, read, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { createPacker, type EntryRecord, unpack } from '#store';

/** An entry that is ready to be written, and the line of the file on which its record begins. */
export interface Ready {
  readonly line: number;
  readonly entry: EntryRecord;
}

/** Entries that were checked, as they are to be stored, so that a file is read and checked once: in a file without a name, which goes with the process. */
export interface Spool extends Disposable {
  put(ready: Ready): void;
  /** All of them, in their order. Nothing may be put any more. */
  entries(): AsyncGenerator<Ready>;
}

const parcelOctets = 262_144;
/** In front of each parcel: its octets, how many entries it has, and then the line of each. */
const headOctets = 8;
const lineOctets = 8;
const readSome = promisify(read);

/** @param file  an empty one, open for reading and writing, which is closed with the spool */
export function createSpool(file: number): Spool {
  const packer = createPacker(parcelOctets + parcelOctets / 4);
  let lines: number[] = [];

  function flush(): void {
    if (lines.length === 0) return;
    const parcel = packer.take();
    const head = Buffer.alloc(headOctets + lineOctets * lines.length);
    head.writeUInt32LE(parcel.length, 0);
    head.writeUInt32LE(lines.length, 4);
    for (const [at, line] of lines.entries()) head.writeDoubleLE(line, headOctets + lineOctets * at);
    for (const octets of [head, parcel]) for (let from = 0; from < octets.length; ) from += writeSync(file, octets, from);
    packer.reuse(parcel.buffer);
    lines = [];
  }

  async function octetsAt(at: number, length: number): Promise<Buffer> {
    const octets = Buffer.allocUnsafeSlow(length);
    for (let from = 0; from < length; ) {
      const { bytesRead } = await readSome(file, octets, from, length - from, at + from);
      if (bytesRead === 0) throw new Error('a file of checked entries is cut off');
      from += bytesRead;
    }
    return octets;
  }

  return {
    put({ line, entry }) {
      packer.put(entry);
      lines.push(line);
      if (packer.octets >= parcelOctets) flush();
    },
    async *entries() {
      flush();
      const end = fstatSync(file).size;
      for (let at = 0; at < end; ) {
        const head = await octetsAt(at, headOctets);
        const [octets, count] = [head.readUInt32LE(0), head.readUInt32LE(4)];
        at += headOctets;
        const its = await octetsAt(at, lineOctets * count + octets);
        at += its.length;
        let nth = 0;
        for (const entry of unpack(its.subarray(lineOctets * count))) yield { line: its.readDoubleLE(lineOctets * nth++), entry };
      }
    },
    [Symbol.dispose]: () => closeSync(file),
  };
}
