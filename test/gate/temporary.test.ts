import test from 'ava';
import { isRoomy } from './temporary.ts';

const root = '/dev/vda / ext4 rw,relatime 0 0\n';
const mounted = (options: string, type = 'tmpfs') => `${root}${type} /dev/shm ${type} ${options} 0 0\n`;
const roomy = { mounts: mounted('rw,nosuid,nodev'), octets: [8 * 2 ** 30, 4 * 2 ** 30] };

test('files of tests are in memory where it has room', (t) => {
  t.true(isRoomy(roomy));
});

test('they are not where it is small, no memory, cannot be written, starts no programs, or is not there', (t) => {
  for (const octets of [
    [64 * 2 ** 20, 8 * 2 ** 30],
    [8 * 2 ** 30, 2 ** 30],
  ])
    t.false(isRoomy({ ...roomy, octets }));
  for (const mounts of [mounted('rw,size=8g', 'ext4'), mounted('ro,nosuid'), mounted('rw,nosuid,noexec'), root, ''])
    t.false(isRoomy({ ...roomy, mounts }));
});

test('what was mounted over another is what counts', (t) => {
  t.false(isRoomy({ ...roomy, mounts: roomy.mounts + mounted('rw,noexec') }));
});
