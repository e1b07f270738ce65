import { createInterface } from 'node:readline';
import { Refusal } from '#catalogue';
import type { Change } from '#store';
import { openPlain } from '../open-plain.ts';
import { entry, uuid } from '../support.ts';

/**
 * Writes to the store named by its argument what it is told, line by line, and prints what came of it. `put FIRST COUNT OCTETS` writes so many entries of so
 * many octets in one commit, by many turns when they are more than one; `hold` has another reader hold the log; `look FIRST` prints the CSN of an entry.
 */
const [file = ''] = process.argv.slice(2);
const settings = { 'persistence.turnChangesMax': 64, 'persistence.walMib': 500, 'persistence.readerIdleMs': 3_600_000 };
const store = openPlain(file, settings);
const held: unknown[] = [];
let csn = 0;

async function put(first: number, count: number, octets: number): Promise<string> {
  csn++;
  const changes = Array.from({ length: count }, (_, at): Change => {
    const number = first + at;
    return { kind: 'put', entry: entry(number, [`cn=${number}`], { csn: String(csn), operational: new Uint8Array(octets).fill(csn) }) };
  });
  try {
    const { kind } = await store.commit([], changes);
    return `${kind} ${csn}`;
  } catch (error) {
    return error instanceof Refusal ? `refused ${csn} ${error.row.code}` : `threw ${csn} ${error}`;
  }
}

process.stdout.write('ready\n');
let lines = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const [word, ...given] = line.split(' ');
  const [first = 0, count = 0, octets = 0] = given.map(Number);
  if (word === 'hold') held.push(openPlain(file, settings).snapshot());
  if (word === 'put') process.stdout.write(`${await put(first, count, octets)}\n`);
  if (word === 'look') process.stdout.write(`${first} is ${store.snapshot().byUuid(uuid(first))?.csn}\n`);
  process.stdout.write(`done ${++lines}\n`);
}
