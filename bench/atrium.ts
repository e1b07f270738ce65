import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { systemChance, utf8 } from '#base';
import { createHasher } from '#keys';
import { freePort, type Server, startProgram, stopProgram } from './process.ts';

const cli = join(dirname(import.meta.dirname), 'src', 'cli.ts');

/** Atrium in product mode as an operator starts it, from settings alone. */
export async function startAtrium(folder: string, suffix: string, ldifFile: string, writer: string, password: string): Promise<Server> {
  const port = await freePort();
  const env = {
    ...process.env,
    STS_GLOBAL_DATA_DIR: join(folder, 'atrium'),
    STS_KEYS_KEK: 'the key-encryption key of a benchmark',
    STS_REALMS_DEFAULT_SUFFIX: suffix,
    STS_ADMIN_BOOTSTRAP_USERNAME: writer,
    STS_LDAP_HOST: 'localhost',
    STS_LDAP_PORT: String(port),
    STS_LDAP_TLS_PORT: '',
    STS_HTTP_PORT: '',
    STS_HTTP_TLS_PORT: '',
    STS_LOG_LEVEL: 'error',
  };
  execFileSync(process.execPath, [cli, 'import', ldifFile], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const child = await startProgram(process.execPath, [cli, 'serve'], /ready /, env);
  const adminDn = `uid=${writer},ou=people,${suffix}`;
  return { name: 'Atrium', port, pid: child.pid ?? 0, adminDn, adminPassword: password, stop: () => stopProgram(child) };
}

/** A hash as Atrium stores it: logN 15, r 8, p 1. */
export async function scryptHash(password: string): Promise<string> {
  const hasher = createHasher({ cores: 1, queueMax: 1, costMaxMiB: 512, chance: systemChance });
  return await hasher.hash(utf8(password), { logN: 15, r: 8, p: 1 });
}
