import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { concat, empty, utf8 } from '#base';
import type { Refusal, SettingValues } from '#catalogue';
import { keysBelow } from '#schema';
import { type EntryRecord, type Indexer, type LargeRules, openStore, type Store, type StoreOptions, storeSettings } from '#store';
import { diskFolder } from '../support/disk.ts';

type Values = SettingValues<typeof storeSettings>;

/** The settings in force: their defaults, and what a test changes. */
export function settingsWith(changed: Partial<Values> = {}): Values {
  const defaults = Object.fromEntries(Object.entries(storeSettings).map(([name, row]) => [name, row.default]));
  return { ...(defaults as Values), ...changed };
}

export function folder(t: ExecutionContext): string {
  const path = mkdtempSync(join(diskFolder(), 'atrium-test-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Index keys as tests want them: `user` holds them as text, `name=value` between semicolons. */
export const indexer: Indexer = (entry) =>
  Buffer.from(entry.user)
    .toString()
    .split(';')
    .filter((item) => item !== '')
    .map((item) => {
      const at = item.indexOf('=');
      const attribute = item.slice(0, at);
      const key = utf8(item.slice(at + 1));
      return { attribute, key: attribute === 'big' ? keyOf(key) : key };
    });

/** More values of one name than this are a list. Values that differ in case alone have one key. */
export const valuesMax = 3;

/** Lists as tests want them: of what `user` holds under `big`. */
export const large: LargeRules = {
  split(entry) {
    const items = Buffer.from(entry.user).toString().split(';');
    const values = items.filter((item) => item.startsWith('big=')).map((item) => utf8(item.slice('big='.length)));
    if (values.length <= valuesMax) return { entry, lists: [] };
    const kept = items.filter((item) => !item.startsWith('big='));
    return {
      entry: { ...entry, user: utf8(kept.join(';')) },
      lists: [{ attribute: 'big', description: 'Big', values: values.map((octets) => ({ octets, key: keyOf(octets) })) }],
    };
  },
  *splitInSteps(entry) {
    yield;
    return large.split(entry);
  },
  keyOf: (_, value) => keyOf(value),
};

function keyOf(value: Uint8Array): Uint8Array {
  return utf8(Buffer.from(value).toString().toLowerCase());
}

export interface Opened {
  readonly store: Store;
  readonly fatal: Refusal[];
  readonly reports: Refusal[];
}

export function open(t: ExecutionContext, file: string, changed: Partial<Values> = {}, more: Partial<StoreOptions> = {}): Opened {
  const fatal: Refusal[] = [];
  const reports: Refusal[] = [];
  const store = openStore({
    file,
    settings: settingsWith(changed),
    indexer,
    large,
    indexVersion: '1',
    keysBelow,
    fatal: (reason) => fatal.push(reason),
    report: (trouble) => reports.push(trouble),
    ...more,
  });
  t.teardown(() => store.close());
  return { store, fatal, reports };
}

/** A UUID that ends with a number. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** A DN key of levels, root first. */
export function dnKey(...levels: string[]): Uint8Array {
  return concat(levels.flatMap((level, at) => (at === 0 ? [utf8(level)] : [Uint8Array.of(0), utf8(level)])));
}

/** An entry named by its levels, root first. */
export function entry(number: number, levels: readonly string[], fields: Partial<EntryRecord> = {}): EntryRecord {
  return {
    uuid: uuid(number),
    parent: undefined,
    dn: levels.toReversed().join(','),
    dnKey: dnKey(...levels),
    csn: 'a',
    user: empty,
    operational: empty,
    secret: empty,
    ...fields,
  };
}
