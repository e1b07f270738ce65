import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Chance, token } from '#base';
import type { Environment } from '#catalogue';

/** Says that the demo made a folder; `reset` removes no other. */
export const demoMark = 'demo';
const kekFile = 'kek';
const passwordFile = 'demo-password';
const kekOctets = 48;

/** The demo's data folder: `data/` in the installation unless the setting names another. */
export function demoDataDir(root: string, environment: Environment): string {
  return resolve(root, environment['STS_GLOBAL_DATA_DIR'] ?? 'data');
}

/**
 * Makes the folder with its key-encryption key on the first start; later starts find both.
 *
 * @returns the path of the key's file, readable by its owner only
 */
export function openDemoFolder(folder: string, chance: Chance): string {
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, demoMark), 'This folder belongs to the demo of Atrium. "npm run reset" removes it.\n');
  }
  const kek = join(folder, kekFile);
  if (!existsSync(kek)) writeFileSync(kek, `${token(chance, kekOctets)}\n`, { mode: 0o600 });
  chmodSync(kek, 0o600);
  return kek;
}

/** The setting that names the demo's key-encryption key, where the folder is the demo's and no key is named. */
export function demoKey(root: string, environment: Environment): Environment {
  if (environment['STS_KEYS_KEK'] !== undefined || environment['STS_KEYS_KEK_FILE'] !== undefined) return {};
  const folder = demoDataDir(root, environment);
  const kek = join(folder, kekFile);
  return existsSync(join(folder, demoMark)) && existsSync(kek) ? { STS_KEYS_KEK_FILE: kek } : {};
}

/** The demo person's password, once the demo realm is loaded; `undefined` before. */
export function readDemoPassword(folder: string): string | undefined {
  const path = join(folder, passwordFile);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}

/** Written last: a start that was interrupted while it loaded the demo realm loads it again. */
export function writeDemoPassword(folder: string, password: string): void {
  writeFileSync(join(folder, passwordFile), `${password}\n`, { mode: 0o600 });
}
