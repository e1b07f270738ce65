import { equalBytes } from '#base';
import { refuse } from '#catalogue';
import { type LdifLimits, readLdif } from '#ldap';
import { isWithin } from '#schema';
import { createMapping, type Mapping, type NamedEntry, namedEntry, notContent } from '#transfer';
import { errors } from './errors.ts';
import type { GivenFile } from './exchange.ts';
import type { Work } from './task.ts';

/** A record is held in memory, so these bound what a file can make of it. */
const limits: LdifLimits = { lineOctetsMax: 67_108_864, recordOctetsMax: 134_217_728, valuesMax: 1_000_000 };

/** What reads the file for each pass. */
export interface Desk {
  readonly file: GivenFile;
  /** Entries from behind a line on, as they are to be in the realm. */
  records(afterLine: number): AsyncGenerator<NamedEntry>;
  /** Whether an entry of that name is one that a realm begins with, and is there. */
  isKept(entry: NamedEntry): boolean;
  /** Octets read in this pass. */
  done(): number;
  tellMapped(tell: (text: string) => void): void;
}

export function deskOf({ engine, task, signal }: Work, file: GivenFile): Desk {
  const { schema, store } = engine;
  const realm = realmOf(engine, task.realm);
  const leftOut = realm.id === 'default' ? notContent(schema, realm.suffix.text) : [];
  let done = 0;
  let mapping: Mapping | undefined;
  let from: string | undefined;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    done = 0;
    for await (const chunk of file.chunks()) {
      signal.throwIfAborted();
      done += chunk.length;
      yield chunk;
    }
  }
  return {
    file,
    done: () => done,
    async *records(afterLine) {
      for await (const record of readLdif(chunks(), limits)) {
        if (/^\s*cn\s*=\s*subschema\s*$/i.test(record.dn)) continue;
        const given = namedEntry(schema, record);
        // The names of a file are below that of its first entry, or the realm's own suffix.
        from ??= isWithin(given.key, realm.suffix.key) ? realm.suffix.text : given.dn;
        mapping ??= createMapping(schema, from, realm.suffix.text);
        if (record.line <= afterLine) continue;
        const entry = mapping.entry(given);
        if (!leftOut.some((key) => isWithin(entry.key, key))) yield entry;
      }
    },
    isKept({ key }) {
      const isFrame = !key.subarray(realm.suffix.key.length + 1).includes(0) || equalBytes(key, realm.administrator.key);
      return isWithin(key, realm.suffix.key) && isFrame && store.snapshot().byDnKey(key) !== undefined;
    },
    tellMapped(tell) {
      if (mapping === undefined || from === undefined || from === realm.suffix.text) return;
      const counts = [...mapping.mapped].map(([name, count]) => `${name} ${count.toLocaleString('en')}`);
      tell(`names below ${from} were put below ${realm.suffix.text}; in values: ${counts.join(', ') || 'none'}`);
    },
  };
}

function realmOf({ realms, store }: Work['engine'], id: string) {
  const realm = realms.in(store.snapshot()).byId(id);
  if (realm === undefined || realm.state !== 'active') throw refuse(errors.taskRealm, { realm: id });
  return realm;
}

export function counted(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'entry' : 'entries'}`;
}
