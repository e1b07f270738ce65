// Run by pool.test.ts in a process of its own: sizes libuv's pool as main.ts does, hashes, and prints how many threads came with it.
import { readdirSync } from 'node:fs';
import { systemChance, utf8 } from '#base';
import { createHasher } from '#keys';

const [size, hashes] = process.argv.slice(2).map(Number) as [number, number];
const threads = () => readdirSync('/proc/self/task').length;

const before = threads();
process.env['UV_THREADPOOL_SIZE'] = String(size);
const hasher = createHasher({ cores: hashes, queueMax: 1, costMaxMiB: 64, foreignRoundsMax: 1_000_000, chance: systemChance });
await Promise.all(Array.from({ length: hashes }, () => hasher.verify(utf8('x'), undefined, { logN: 14, r: 8, p: 1 })));
process.stdout.write(String(threads() - before));
