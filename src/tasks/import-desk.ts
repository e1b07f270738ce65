import { refuse } from '#catalogue';
import { type LdifFault, type LdifLimits, type LdifRecord, readLdifOn } from '#ldap';
import { isWithin } from '#schema';
import { createPlacing, faultOf, type LeftOut, type NamedEntry, namedEntry, opened, tellLeftOut } from '#transfer';
import { errors } from './errors.ts';
import type { GivenFile } from './exchange.ts';
import { keyFor } from './key.ts';
import type { Work } from './task.ts';

/** A record is held in memory, so these bound what a file can make of it. */
const limits: LdifLimits = { lineOctetsMax: 67_108_864, recordOctetsMax: 134_217_728, valuesMax: 1_000_000 };

/** Some milliseconds of work. */
const turnOctets = 16_384;
/** A realm with fewer entries is one that nobody has put anything into. */
const frameMax = 100;

/** What reads the file for each pass. */
export interface Desk {
  readonly file: GivenFile;
  /** Entries from behind a line on, as they are to be in the realm, and what there is no entry of it. */
  records(afterLine: number): AsyncGenerator<NamedEntry | LdifFault>;
  /** Whether an entry of that name is there and stays, in a realm with no more than it began with; a strict task refuses it. */
  isKept(entry: NamedEntry): boolean;
  /** Octets read in this pass. */
  done(): number;
  /** Tells what was put below another suffix in this pass, and what was left out. */
  tellMapped(tell: (text: string) => void): void;
}

export function deskOf({ engine, task, signal, exchange }: Work, file: GivenFile): Desk {
  const way = keyFor(exchange, task.file);
  const unopened: LeftOut = new Map();
  const { schema, store } = engine;
  const realm = realmOf(engine, task.realm);
  const inside = engine.realms.in(store.snapshot()).all.filter((other) => other !== realm && isWithin(other.suffix.key, realm.suffix.key));
  const destination = { id: realm.id, suffix: realm.suffix.text, schema, inside: inside.map(({ suffix }) => suffix.text) };
  const isNew = !task.options.includes('strict') && store.snapshot().hasFewerBelow(realm.suffix.key, frameMax);
  let done = 0;
  let placing = createPlacing(destination);
  let definitions = false;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    done = 0;
    for await (const chunk of file.chunks()) {
      for (let at = 0; at < chunk.length; at += turnOctets) {
        // Others have their turn: what has been read is parsed and checked before the next is.
        await new Promise<void>((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
        const some = chunk.subarray(at, at + turnOctets);
        done += some.length;
        yield some;
      }
    }
  }
  return {
    file,
    done: () => done,
    async *records(afterLine) {
      unopened.clear();
      placing = createPlacing(destination);
      let hasBegun = false;
      const placed = (record: LdifRecord): NamedEntry | LdifFault | undefined => {
        try {
          const given = opened(schema, namedEntry(schema, record), way, unopened);
          if (record.line <= afterLine && hasBegun) return undefined;
          hasBegun = true;
          return placing.place(given);
        } catch (error) {
          placing.miss();
          return faultOf(record, error);
        }
      };
      for await (const record of readLdifOn(chunks(), limits)) {
        if (record.kind === 'fault') {
          placing.miss();
          if (record.line > afterLine) yield record;
          continue;
        }
        if (/^\s*cn\s*=\s*subschema\s*$/i.test(record.dn)) {
          definitions = true;
          continue;
        }
        const entry = placed(record);
        if (entry !== undefined && record.line > afterLine) yield entry;
      }
    },
    isKept: ({ key }) => isNew && store.snapshot().byDnKey(key) !== undefined,
    tellMapped(tell) {
      if (definitions) tell('cn=Subschema: definitions are left out; ldapmodify and atrium schema import add them');
      for (const line of tellLeftOut(unopened)) tell(line);
      const told = placing.told();
      if (told !== undefined) tell(told);
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
