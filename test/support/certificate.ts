import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemChance, systemClock } from '#base';
import { openServerCertificate } from '#keys';
import { observedFolderEnv } from './observed.ts';

/** Good on either side of today, since tests set their clocks. Whoever is too far from it makes one of their own. */
const madeBeforeMs = 200 * 24 * 60 * 60 * 1000;

/** Makes the certificate that the services of one run of the suite share. */
export async function makeSharedCertificate(folder: string): Promise<void> {
  const clock = { ...systemClock, nowMs: () => systemClock.nowMs() - madeBeforeMs };
  await openServerCertificate({ certFile: '', keyFile: '', folder: join(folder, 'tls'), clock, chance: systemChance });
}

/** Gives it to a service that has none yet: to make one costs each process some 250 files of a library. */
export function lendCertificate(dataDir: string): void {
  const folder = process.env[observedFolderEnv];
  if (folder === undefined) return;
  const [from, to] = [join(folder, 'tls'), join(dataDir, 'tls')];
  if (existsSync(from) && existsSync(dataDir) && !existsSync(to)) cpSync(from, to, { recursive: true });
}
