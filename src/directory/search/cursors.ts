import { equalBytes } from '#base';
import type { Engine } from '../engine.ts';
import type { Connection, Identity } from '../types.ts';
import type { Batch, Place } from './sources.ts';

/** Where a search goes on: between two pages, or in a sorted list that is looked at in parts. */
export interface Cursor {
  readonly place: Place;
  /** What was taken from the source and not looked at. */
  readonly left: Batch | undefined;
  /** Entries sent on all pages so far. */
  readonly sent: number;
}

interface Kept {
  readonly cursor: Cursor;
  readonly connection: Connection;
  readonly identity: Identity;
  readonly signature: Uint8Array;
  readonly untilMs: number;
  /** Of its list. */
  readonly octets: number;
}

/**
 * The cursors of one directory. They are bounded in number for each connection and for all, in octets and in life: the oldest goes first. One is good for the
 * connection, the bind and the request that it was made for, and for nothing else.
 */
export interface Cursors {
  /** @returns what to give the client */
  keep(owner: Owner, cursor: Cursor): Uint8Array;
  /** @returns `foreign` for one of another request; nothing for one that is not there, or not any more */
  find(owner: Owner, cookie: Uint8Array): Cursor | 'foreign' | undefined;
  remove(cookie: Uint8Array): void;
  /**
   * Counts octets of a search that is sorting, until it gives them back. Lists that are kept make way, the oldest first.
   *
   * @returns false when there is no room
   */
  take(octets: number): boolean;
  give(octets: number): void;
}

/** Whose a cursor is. */
export interface Owner {
  readonly connection: Connection;
  /** Of everything in a request that must be the same when it goes on. */
  readonly signature: Uint8Array;
}

export const cookieOctets = 16;
const idOctets = 8;

/** By what stays when the schema becomes another: a list goes on where it was. */
const all = new WeakMap<Engine['store'], Cursors>();

/** The cursors of a directory: the same for every engine over its store. */
export function cursorsOf(engine: Engine): Cursors {
  let cursors = all.get(engine.store);
  if (cursors === undefined) {
    cursors = createCursors(engine);
    all.set(engine.store, cursors);
  }
  return cursors;
}

function createCursors({ settings, clock, chance }: Engine): Cursors {
  // A map keeps the order in which they were made: the oldest first.
  const kept = new Map<string, Kept>();
  let listOctets = 0;
  let sortOctets = 0;

  const drop = (key: string) => {
    const one = kept.get(key);
    if (one === undefined) return;
    kept.delete(key);
    listOctets -= one.octets;
  };
  const dropOld = () => {
    const nowMs = clock.nowMs();
    for (const [key, { untilMs }] of kept) {
      if (untilMs > nowMs) break;
      drop(key);
    }
  };
  const dropOldest = (isIt: (one: Kept) => boolean) => {
    for (const [key, one] of kept) if (isIt(one)) return drop(key);
  };
  const count = (isIt: (one: Kept) => boolean) => kept.values().reduce((sum, one) => sum + (isIt(one) ? 1 : 0), 0);
  const octetsMax = () => settings['ldap.sortMib'] * 2 ** 20;

  return {
    keep({ connection, signature }, cursor) {
      dropOld();
      const isOwn = (one: Kept) => one.connection === connection;
      if (count(isOwn) >= settings['ldap.cursorsPerConnectionMax']) dropOldest(isOwn);
      if (kept.size >= settings['ldap.cursorsMax']) dropOldest(() => true);
      const octets = cursor.place.order === 'list' ? idOctets * cursor.place.ids.length : 0;
      listOctets += octets;
      const cookie = chance.octets(cookieOctets);
      const untilMs = clock.nowMs() + 1000 * settings['ldap.cursorLifeS'];
      kept.set(keyOf(cookie), { cursor, connection, identity: connection.identity, signature, untilMs, octets });
      return cookie;
    },
    find({ connection, signature }, cookie) {
      dropOld();
      const one = kept.get(keyOf(cookie));
      if (one === undefined || one.connection !== connection || one.identity !== connection.identity) return undefined;
      return equalBytes(one.signature, signature) ? one.cursor : 'foreign';
    },
    remove: (cookie) => drop(keyOf(cookie)),
    take(octets) {
      const hasList = (one: Kept) => one.cursor.place.order === 'list';
      while (listOctets + sortOctets + octets > octetsMax() && count(hasList) > 0) dropOldest(hasList);
      if (listOctets + sortOctets + octets > octetsMax()) return false;
      sortOctets += octets;
      return true;
    },
    give: (octets) => {
      sortOctets -= octets;
    },
  };
}

function keyOf(cookie: Uint8Array): string {
  return Buffer.from(cookie).toString('latin1');
}
