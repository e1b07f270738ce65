// Runs a file of ours with the Node that package.json pins, whatever Node runs npm, and installs what is missing first.
// Plain JavaScript on purpose: this is the one file that an older Node must be able to read.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const node = join(root, 'node_modules', '.bin', 'node');
const mark = join(root, 'node_modules', '.atrium-installed');
const lock = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');

if (!existsSync(node) || !existsSync(mark) || readFileSync(mark, 'utf8') !== lock) {
  process.stderr.write('Installing what is missing …\n');
  // Not `npm ci`: it refuses a lock file that lacks the optional packages of other platforms, which not every registry keeps.
  const npm = spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (npm.status !== 0) process.exit(npm.status ?? 1);
  if (!existsSync(node)) {
    process.stderr.write('npm installed no Node 26 for this platform: run Atrium with a Node 26 of your own, `node atrium.mjs`.\n');
    process.exit(1);
  }
  writeFileSync(mark, lock);
}

// A password hash works through 32 MiB, more than glibc ever keeps for the next: in pages of 4 KiB each hash would have 8,192 faults, a fifth of its
// time. Whoever chose tunables of their own keeps them; where there is no glibc, nobody reads this.
const env = { GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1', ...process.env };
const child = spawn(node, process.argv.slice(2), { cwd: root, stdio: 'inherit', env });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
