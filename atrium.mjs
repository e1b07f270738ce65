#!/usr/bin/env node
// Atrium's command line: keeps what Node compiles, finds the rooms, and loads the rest. Plain JavaScript on purpose: to take the types out of one file costs a start
// as much as to load all that is kept.
import { lstatSync, mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = join(dirname(fileURLToPath(import.meta.url)), 'node_modules', '.cache', 'atrium');

if (process.env.NODE_COMPILE_CACHE === undefined && process.env.NODE_DISABLE_COMPILE_CACHE === undefined && isOwn(folder)) {
  enableCompileCache(folder);
  // Threads look here.
  process.env.NODE_COMPILE_CACHE = folder;
}

await import('./src/faces.ts');
await import('./src/cli.ts');

/** What lies there is run: nobody else may write to it. False, too, where it is not there and cannot be made. */
function isOwn(path) {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(path);
    return uid === process.getuid?.() && (mode & 0o022) === 0;
  } catch {
    return false;
  }
}
