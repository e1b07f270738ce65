import { runHere } from '../apply.ts';
import type { World } from '../world.ts';
import { judgeLinux } from './linux.ts';

export async function test(world: World, group: string): Promise<void> {
  await judgeLinux(world, group, () => runHere('sss_cache', ['-E']));
}
