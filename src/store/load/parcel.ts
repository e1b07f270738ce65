import type { EntryRecord } from '../types.ts';

/** Entries on their way to another thread, one behind the other in one buffer. */
export interface Packer {
  /** Octets that are waiting. */
  readonly octets: number;
  put(entry: EntryRecord): void;
  /** What was put, in a buffer of its own that may be handed over. */
  take(): Uint8Array<ArrayBuffer>;
  /** Gives back a buffer that was handed over, to be used again. */
  reuse(buffer: ArrayBuffer): void;
}

const headOctets = 32;

export function createPacker(initialOctets: number): Packer {
  const free: ArrayBuffer[] = [];
  let bytes = Buffer.allocUnsafeSlow(initialOctets);
  let at = 0;

  function make(room: number): void {
    if (at + room <= bytes.length) return;
    const bigger = Buffer.allocUnsafeSlow(Math.max(bytes.length * 2, at + room));
    bytes.copy(bigger, 0, 0, at);
    bytes = bigger;
  }

  function octetsAt(octets: Uint8Array): void {
    bytes.set(octets, at);
    at += octets.length;
  }

  return {
    get octets() {
      return at;
    },
    put({ uuid, parent = '', dn, dnKey, csn, user, operational, secret }) {
      const start = at;
      // Three octets of UTF-8 are the most that a UTF-16 unit takes.
      make(
        headOctets +
          (uuid.length + parent.length + dn.length + csn.length) * 3 +
          dnKey.length +
          user.length +
          operational.length +
          secret.length,
      );
      at += headOctets;
      const texts = [uuid, parent, dn, csn] as const;
      for (let i = 0; i < 4; i++) {
        const octets = bytes.write(texts[i] as string, at);
        bytes.writeUInt32LE(octets, start + 4 * i);
        at += octets;
      }
      bytes.writeUInt32LE(dnKey.length, start + 16);
      bytes.writeUInt32LE(user.length, start + 20);
      bytes.writeUInt32LE(operational.length, start + 24);
      bytes.writeUInt32LE(secret.length, start + 28);
      octetsAt(dnKey);
      octetsAt(user);
      octetsAt(operational);
      octetsAt(secret);
    },
    take() {
      const taken = new Uint8Array(bytes.buffer, bytes.byteOffset, at) as Uint8Array<ArrayBuffer>;
      const again = free.pop();
      bytes = again === undefined ? Buffer.allocUnsafeSlow(initialOctets) : Buffer.from(again);
      at = 0;
      return taken;
    },
    reuse: (buffer) => void free.push(buffer),
  };
}

/** The entries of a parcel; their octets are views of it. */
export function* unpack(parcel: Uint8Array): Generator<EntryRecord> {
  const bytes = Buffer.from(parcel.buffer, parcel.byteOffset, parcel.byteLength);
  let at = 0;
  while (at < bytes.length) {
    const head = at;
    at += headOctets;
    const text = (field: number) => {
      const octets = bytes.readUInt32LE(head + 4 * field);
      at += octets;
      return bytes.toString('utf8', at - octets, at);
    };
    const octets = (field: number) => {
      const length = bytes.readUInt32LE(head + 4 * field);
      at += length;
      return bytes.subarray(at - length, at);
    };
    const uuid = text(0);
    const parent = text(1);
    yield {
      uuid,
      parent: parent === '' ? undefined : parent,
      dn: text(2),
      csn: text(3),
      dnKey: octets(4),
      user: octets(5),
      operational: octets(6),
      secret: octets(7),
    };
  }
}
