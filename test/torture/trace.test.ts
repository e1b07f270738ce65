import test from 'ava';
import { followDisk } from './disk.ts';
import { callsInLines } from './trace.ts';

const root = '/data';
const hex = (text: string) => [...Buffer.from(text)].map((octet) => `\\x${octet.toString(16).padStart(2, '0')}`).join('');
const entries = `${hex(`${root}/entries`)}`;
const elsewhere = hex('/lib/module.js');

/** What a trace of these lines says of the folder. */
function diskOf(lines: readonly string[]) {
  const callOf = callsInLines();
  const { disk, take } = followDisk(root);
  for (const line of lines) {
    const call = callOf(line);
    if (call !== undefined) take(call);
  }
  return disk;
}

test('a descriptor that one thread closes may be given to another before the close has returned: what that one writes is its own', (t) => {
  const { folders } = diskOf([
    `1 openat(AT_FDCWD, "${elsewhere}", O_RDONLY) = 7<${elsewhere}>`,
    `2 openat(AT_FDCWD, "${entries}", O_RDWR|O_CREAT, 0600 <unfinished ...>`,
    `1 close(7<${elsewhere}> <unfinished ...>`,
    `2 <... openat resumed>) = 7<${entries}>`,
    '1 <... close resumed>) = 0',
    `2 pwrite64(7<${entries}>, "${hex('kept')}", 4, 0) = 4`,
    `2 fdatasync(7<${entries}>) = 0`,
  ]);
  const [[, file] = []] = folders.get('')?.changes.at(0)?.names ?? [];
  if (file === undefined || file === 'folder') return t.fail('the trace made no file');
  t.deepEqual(
    file.changes.map((change) => change.kind === 'write' && change.data.toString()),
    ['kept'],
  );
  t.is(file.syncs.length, 1);
});

test('a close that another thread interrupts is one call all the same', (t) => {
  const callOf = callsInLines();
  const lines = [`1 close(7<${elsewhere}> <unfinished ...>`, '2 fsync(8) = 0', '1 <... close resumed>) = 0'];
  t.deepEqual(
    lines.map((line) => callOf(line)?.name),
    ['close', 'fsync', undefined],
  );
});
