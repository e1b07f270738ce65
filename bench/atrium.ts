import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { systemChance, utf8 } from '#base';
import { createHasher } from '#keys';
import { loopFileEnv } from './loop.ts';
import { freePort, type Peer, runProgram, startServer, stopProgram } from './process.ts';
import { nameOf, uidOf } from './requests.ts';
import { watchLoop } from './watch.ts';

const here = dirname(import.meta.dirname);
const loop = pathToFileURL(join(import.meta.dirname, 'loop.ts')).href;
/** Who administers is known by name: the first of the people. */
const administrator = 0;

/** Atrium in product mode as an operator starts it, from settings alone; of this tree or, to compare two, of another one. */
export function atriumPeer(
  folder: string,
  suffix: string,
  password: string,
  more: Readonly<Record<string, string>> = {},
  root: string = here,
): Peer {
  const cli = join(root, 'atrium.mjs');
  const data = join(folder, 'atrium');
  const loopFile = join(folder, 'loop.json');
  const settings = {
    // What run.mjs gives whatever npm starts, `npm run atrium -- serve` included.
    ...process.env,
    STS_GLOBAL_DATA_DIR: data,
    STS_KEYS_KEK: 'the key-encryption key of a benchmark',
    STS_REALMS_DEFAULT_SUFFIX: suffix,
    STS_ADMIN_BOOTSTRAP_USERNAME: uidOf(administrator),
    STS_LDAP_HOST: 'localhost',
    STS_LDAP_TLS_PORT: '',
    STS_HTTP_PORT: '',
    STS_HTTP_TLS_PORT: '',
    STS_LOG_LEVEL: 'error',
    // Rows that bind measure hashes; `repeated.ts` measures what is known of them.
    STS_SECURITY_VERIFIED_BINDS_S: '0',
    ...more,
  };
  return {
    name: 'Atrium',
    load(ldifFile) {
      rmSync(data, { recursive: true, force: true });
      return runProgram(process.execPath, [cli, 'import', ldifFile], settings);
    },
    dump(ldifFile) {
      rmSync(ldifFile, { force: true });
      return runProgram(process.execPath, [cli, 'export', '--all', '--operational', '--secrets', ldifFile], settings);
    },
    async start(_threads, watched) {
      const port = await freePort();
      rmSync(loopFile, { force: true });
      const { child, startS } = await startServer(process.execPath, [cli, 'serve'], port, {
        ...settings,
        STS_LDAP_PORT: String(port),
        ...(watched ? { NODE_OPTIONS: `--import ${loop}`, [loopFileEnv]: loopFile } : {}),
      });
      return {
        name: 'Atrium',
        port,
        pid: child.pid ?? 0,
        adminDn: nameOf(administrator, `ou=people,${suffix}`),
        adminPassword: password,
        startS,
        ...(watched ? { watchLoop: watchLoop(child.pid ?? 0, loopFile) } : {}),
        stop: () => stopProgram(child),
      };
    },
  };
}

/** The standing cache of entries has room for some 250,000 people; where there are more, an operator gives it room for them all, a kibibyte each. */
export function cachesFor(people: number): Readonly<Record<string, string>> {
  const mib = Math.ceil(people / 1000);
  return mib <= 256 ? {} : { STS_PERSISTENCE_ENTRY_CACHE_MIB: String(mib) };
}

/** A hash as Atrium stores it: logN 15, r 8, p 1. */
export async function scryptHash(password: string): Promise<string> {
  const hasher = createHasher({ cores: 1, queueMax: 1, costMaxMiB: 512, foreignRoundsMax: 1_000_000, chance: systemChance });
  return await hasher.hash(utf8(password), { logN: 15, r: 8, p: 1 });
}
