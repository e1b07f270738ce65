import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { importFolder } from '../../../src/wiring/folder/bulk.ts';
import { ldif, optionsOf, unfinished } from '../support.ts';

/**
 * Imports a file into a folder and stops for good at a mark, so that it can be killed there: before or after one of the calls that give the new file
 * its place, or behind so many entries.
 */
const [mark = '', count = '0', dataDir = '', file = ''] = process.argv.slice(2);
const [when, call] = mark.split(' ');

function stop(): void {
  fs.writeSync(1, 'at the mark\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

let left = Number(count);
const calls = fs as unknown as Record<string, (...given: unknown[]) => unknown>;
const own = calls[call ?? ''];
if (call !== undefined && own !== undefined) {
  calls[call] = (...given) => {
    // Of a sync only the number of an open file is known: it counts from when the new file is being made.
    const marked = call === 'fsyncSync' ? unfinished(dataDir).length > 0 : JSON.stringify(given).includes('directory.sqlite');
    if (marked && when === 'before' && left-- === 0) stop();
    const result = own(...given);
    if (marked && when === 'after' && left-- === 0) stop();
    return result;
  };
  syncBuiltinESMExports();
}

const onProgress = (entries: number) => {
  if (when === 'entries' && entries === left) stop();
};
await importFolder(optionsOf(dataDir), { records: ldif(fs.readFileSync(file, 'utf8')), onProgress });
process.stdout.write('ended\n');
