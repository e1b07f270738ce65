import { keysBelow } from '#schema';
import { openStore, type Store } from '#store';
import { indexer, large, settingsWith } from './support.ts';

/** Opens a store in a process of its own, where trouble ends it. */
export function openPlain(file: string, changed?: Parameters<typeof settingsWith>[0]): Store {
  const end = (reason: Error) => {
    process.stdout.write(`${reason.message}\n`);
    process.exit(70);
  };
  return openStore({ file, settings: settingsWith(changed), indexer, large, indexVersion: '1', keysBelow, fatal: end, report: end });
}
