import { keysBelow } from '#schema';
import { openStore, type Store } from '#store';
import { indexer, large, settingsWith } from './support.ts';

/** Opens a store in a process of its own, where trouble ends it. */
export function openPlain(file: string): Store {
  const end = (reason: Error) => {
    process.stdout.write(`${reason.message}\n`);
    process.exit(70);
  };
  return openStore({ file, settings: settingsWith(), indexer, large, indexVersion: '1', keysBelow, fatal: end, report: end });
}
