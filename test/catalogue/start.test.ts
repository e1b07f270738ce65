import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { observeLog } from '../support/observed.ts';

const cli = join(import.meta.dirname, '../../atrium.mjs');
const kek = 'a key-encryption key of this test alone';

function folder(t: ExecutionContext): string {
  const path = mkdtempSync(join(tmpdir(), 'atrium-start-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function file(t: ExecutionContext, text: string, mode = 0o600): string {
  const path = join(folder(t), 'given');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

/** Starts the service as an operator would and ends it as soon as it is ready. */
function serve(
  t: ExecutionContext,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly status: number | null; readonly said: string }> {
  const standing = {
    STS_GLOBAL_DATA_DIR: join(folder(t), 'data'),
    STS_LDAP_PORT: '0',
    STS_LDAP_TLS_PORT: '0',
    STS_HTTP_PORT: '0',
    STS_HTTP_TLS_PORT: '0',
    STS_LDAP_SOCKET: '',
  };
  const env = { PATH: process.env['PATH'], ...standing, ...environment };
  const child = spawn(process.execPath, [cli, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (text.includes('ready ')) child.kill('SIGTERM');
  });
  return new Promise((resolve) => {
    child.once('close', (status) => {
      observeLog(said);
      resolve({ status, said });
    });
  });
}

const refused: readonly [what: string, environment: (t: ExecutionContext) => Record<string, string>, code: string, said: RegExp][] = [
  ['a value that fails its check', () => ({ STS_LDAP_PORT: 'many' }), 'STS-CORE-0108', /ldap\.port.*integer from 0 to 65535/],
  ['a setting without a value', () => ({ STS_GLOBAL_MODE: '' }), 'STS-CORE-0002', /global\.mode/],
  ['a configuration file that is not there', () => ({ STS_CONFIG: '/nowhere/atrium.json' }), 'STS-CORE-0001', /no such file/],
  ['a setting for development in product mode', () => ({ ADMIN_API_AUTH_REQUIRED: 'false' }), 'STS-CORE-0103', /adminApi\.authRequired/],
  ['a removed setting', () => ({ STS_SSF_PUSH_ALLOW_INSECURE: 'true' }), 'STS-CORE-0105', /STS_SSF_PUSH_ALLOW_INSECURE/],
  ['a secret file that is not there', () => ({ STS_KEYS_KEK_FILE: '/nowhere/kek' }), 'STS-KEYS-9043', /keys\.kek/],
  ['an empty secret file', (t) => ({ STS_KEYS_KEK_FILE: file(t, '') }), 'STS-KEYS-9044', /keys\.kek/],
  ['a secret file that others may read', (t) => ({ STS_KEYS_KEK_FILE: file(t, kek, 0o644) }), 'STS-KEYS-9045', /chmod 600/],
];
for (const [what, environment, code, said] of refused) {
  test(`the start is refused with name, problem and code: ${what}`, async (t) => {
    const ended = await serve(t, environment(t));
    t.is(ended.status, 1);
    t.true(ended.said.includes(`[${code}]`), ended.said);
    t.regex(ended.said, said);
    t.false(ended.said.includes('ready '));
  });
}

test('an unknown name is reported, and the service starts and ends in order', async (t) => {
  const ended = await serve(t, { STS_KEYS_KEK_FILE: file(t, kek), STS_LDAP_PROT: '389' });
  t.is(ended.status, 0, ended.said);
  t.regex(ended.said, /\[STS-CORE-9001\].*STS_LDAP_PROT.*nearest known name is STS_LDAP_PORT/);
});
