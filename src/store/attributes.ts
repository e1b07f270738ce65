import type Database from 'better-sqlite3';
import { firstNumber } from './format.ts';

/** The small numbers under which attribute names stand in the index. */
export interface AttributeNumbers {
  /** The number of a name, if any entry ever had a key under it. */
  find(name: string): number | undefined;
  /** The number of a name, given to it now if it has none. Only within a write transaction. */
  give(name: string): number;
  /** Reads the table again: after a rollback the numbers that were given are not. */
  reload(): void;
}

/** For who only reads: a name that is not known is looked up each time, for it may have its number since. A number that was given stays. */
export function attributeReader(reader: Database.Database): Pick<AttributeNumbers, 'find'> {
  const one = reader.prepare<[string], number>('SELECT number FROM attribute WHERE name = ?').pluck();
  const numbers = new Map<string, number>();
  return {
    find(name) {
      const known = numbers.get(name);
      if (known !== undefined) return known;
      const number = one.get(name);
      if (number !== undefined) numbers.set(name, number);
      return number;
    },
  };
}

/** Reads the names that the file knows. */
export function attributeNumbers(writer: Database.Database): AttributeNumbers {
  const all = writer.prepare<[], { number: number; name: string }>('SELECT number, name FROM attribute');
  const insert = writer.prepare<[number, string]>('INSERT INTO attribute (number, name) VALUES (?, ?)');
  const numbers = new Map<string, number>();
  let next = firstNumber;

  function reload(): void {
    // Read first: when that fails, what was known goes on being found.
    const known = all.all();
    numbers.clear();
    next = firstNumber;
    for (const { number, name } of known) {
      numbers.set(name, number);
      next = Math.max(next, number + 1);
    }
  }

  reload();
  return {
    find: (name) => numbers.get(name),
    give(name) {
      const known = numbers.get(name);
      if (known !== undefined) return known;
      const number = next++;
      insert.run(number, name);
      numbers.set(name, number);
      return number;
    },
    reload,
  };
}
