import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { Client } from 'ldapts';
import { keysErrors } from '#keys';
import { listenerErrors } from '#listener';
import { startAtrium } from '../../src/main.ts';
import { folderOf } from '../support/listener.ts';
import { observeLog } from '../support/observed.ts';

const root = join(import.meta.dirname, '../..');
const kek = 'a key-encryption key of 32 bytes.';

const doors = { STS_HTTP_PORT: '', STS_HTTP_TLS_PORT: '', STS_LDAP_PORT: '0', STS_LDAP_TLS_PORT: '' };

/** What an operator reads when the service does not start. */
async function refusedWith(environment: Record<string, string>): Promise<string> {
  const started = await startAtrium({
    root,
    environment: { ...doors, ...environment },
  });
  if (started.kind === 'running') {
    await started.service.stop();
    throw new Error('it started');
  }
  const said = started.lines.join('\n');
  observeLog(said);
  return said;
}

test('STS-KEYS-0002: product mode refuses to start with a key-encryption key that is empty or under 32 bytes', async (t) => {
  for (const given of ['', 'x'.repeat(31)]) {
    const said = await refusedWith({ STS_GLOBAL_DATA_DIR: folderOf(t), STS_KEYS_KEK: given });
    t.true(said.startsWith(`[${keysErrors.kekTooShort.code}]`), said);
  }
});

test('STS-AUTHN-9441: a list of common passwords that cannot be read, or is too long, stops the start', async (t) => {
  const folder = folderOf(t);
  const list = join(folder, 'common');
  const given = { STS_GLOBAL_DATA_DIR: join(folder, 'data'), STS_KEYS_KEK: kek, STS_SECURITY_COMMON_PASSWORDS_FILE: list };
  t.is(await refusedWith(given), '[STS-AUTHN-9441] security.commonPasswordsFile: it cannot be read (ENOENT)');
  writeFileSync(list, 'one\ntwo\nthree\n');
  const said = await refusedWith({ ...given, STS_SECURITY_COMMON_PASSWORDS_MAX: '2' });
  t.is(said, '[STS-AUTHN-9441] security.commonPasswordsFile: it has more than 2 lines (security.commonPasswordsMax)');
});

test('STS-TLS-9001: a certificate that cannot be used stops the start', async (t) => {
  const folder = folderOf(t);
  const said = await refusedWith({
    STS_GLOBAL_DATA_DIR: folder,
    STS_KEYS_KEK: kek,
    STS_LDAP_TLS_PORT: '0',
    STS_TLS_CERT_FILE: join(folder, 'none.pem'),
    STS_TLS_KEY_FILE: join(folder, 'none.key'),
  });
  t.true(said.startsWith(`[${keysErrors.certificateUnusable.code}]`), said);
  t.regex(said, /none\.pem/);
});

test('STS-LDAP-9200: a port that is taken stops the start, and names itself', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  t.teardown(() => void taken.close());
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as { port: number };
  const said = await refusedWith({
    STS_GLOBAL_DATA_DIR: folderOf(t),
    STS_KEYS_KEK: kek,
    STS_LDAP_HOST: '127.0.0.1',
    STS_LDAP_PORT: String(port),
    STS_ADMIN_BOOTSTRAP_PASSWORD: 'Correct-horse-7-battery',
  });
  t.true(said.startsWith(`[${listenerErrors.cannotListen.code}]`), said);
  t.regex(said, new RegExp(`127\\.0\\.0\\.1:${port}`));
  t.regex(said, /ldap\.port/, 'what to change');
  t.notRegex(said, /password/);
});

test('a first start that is refused behind the realm says the password that it made: no later one can', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  t.teardown(() => void taken.close());
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as { port: number };
  const given = { STS_GLOBAL_DATA_DIR: folderOf(t), STS_KEYS_KEK: kek, STS_LDAP_HOST: '127.0.0.1', STS_LDAP_PORT: '0' };
  const said = await refusedWith({ ...given, STS_HTTP_HOST: '127.0.0.1', STS_HTTP_PORT: String(port) });
  t.regex(said, /^\[STS-HTTP-9007\] .*http\.port/);
  const [, password = ''] = /^The realm was made all the same\. Its built-in .*: (\S+)$/m.exec(said) ?? [];
  t.regex(password, /^.{24}$/);
  const started = await startAtrium({ root, environment: { ...doors, ...given } });
  if (started.kind !== 'running') return t.fail(started.lines.join('\n'));
  const { addresses, generatedPassword, stop } = started.service;
  const client = new Client({ url: addresses.ldap ?? '' });
  await t.notThrowsAsync(client.bind('uid=admin,ou=people,dc=example,dc=com', password));
  await client.unbind();
  await stop();
  t.is(generatedPassword, undefined);
});
