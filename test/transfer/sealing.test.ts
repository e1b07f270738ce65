import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { equalBytes, text, utf8 } from '#base';
import { seal, sealingKey, unseal } from '#keys';
import { keyOfName, transferKey, transferPlace } from '#transfer';
import { testEnvironment } from '../support/atrium.ts';
import { runCli, startCli } from '../support/cli.ts';
import { readTestSchema } from '../support/schema.ts';

const schema = readTestSchema();
const suffix = 'dc=example,dc=com';
const secret = '{"secret":"JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP","algorithm":"SHA1","digits":6,"period":30,"addedMs":1}';

test('a sealed value opens with its key in its place, and with no other key and in no other place', (t) => {
  const [one, other] = [sealingKey(utf8('one'), 'a'), sealingKey(utf8('one'), 'b')];
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), fc.nat(), (value, place, at) => {
      const sealed = seal(one, value, place);
      const open = unseal(one, sealed, place);
      const spoiled = Uint8Array.from(sealed, (octet, index) => (index === 10 + (at % (sealed.length - 12)) ? octet ^ 1 : octet));
      return (
        open !== undefined &&
        equalBytes(open, value) &&
        equalBytes(seal(one, value, place), sealed) &&
        unseal(other, sealed, place) === undefined &&
        unseal(one, sealed, `${place}.`) === undefined &&
        unseal(one, spoiled, place) === undefined
      );
    }),
  );
  for (const value of ['', '{SEALED-1}', '{SEALED-1}AAAA', 'open']) t.is(unseal(one, utf8(value), 'x'), undefined);
});

const sealed = (key: Uint8Array, dn: string) =>
  text(seal(transferKey(key), utf8(secret), transferPlace(keyOfName(schema, dn), 'ststotpcredential')));
const person = (uid: string, credential = '') =>
  `dn: uid=${uid},ou=people,${suffix}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: ${uid}\n${credential}\n`;

test('what is sealed under the key-encryption key goes under a key for the transfer, bound to its entry; without that key it is left out and told', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-sealed-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const environment = testEnvironment(join(folder, 'one'));
  const other = {
    ...testEnvironment(join(folder, 'two')),
    STS_KEYS_KEK: 'another key-encryption key of the same length',
    STS_REALMS_DEFAULT_SUFFIX: 'o=new',
  };
  const key = utf8('a key for the transfer, of more than 32 octets');
  const file = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  const keyFile = file('key', key);
  const ann = `uid=ann,ou=people,${suffix}`;
  const own = `stsTotpCredential: ${sealed(key, ann)}\n`;
  const withKey = ['--transfer-key-file', keyFile];

  for (const [uid, options, words] of [
    ['eve', withKey, /line 1, uid=eve.*stsTotpCredential: it does not open/],
    ['ann', ['--transfer-key-file', file('wrong', utf8('another key for the transfer, just as long'))], /it does not open/],
  ] as const) {
    const moved = await runCli(['realm', 'import', ...options, file('moved.ldif', person(uid, own))], environment);
    t.is(moved.status, 1);
    t.regex(moved.stderr, words);
  }
  const without = await runCli(['realm', 'import', '--dry-run', file('ann.ldif', person('ann', own))], environment);
  t.regex(without.stderr, /stsTotpCredential: 1 sealed value is left out: there is no transfer key/);

  const imported = await runCli(['realm', 'import', ...withKey, file('ann.ldif', person('ann', own))], environment);
  t.is(imported.status, 0, imported.stderr);
  t.false(readFileSync(join(folder, 'one', 'directory.sqlite'), 'latin1').includes(secret), 'it is nowhere open on disk');
  const open = await runCli(['realm', 'import', file('bob.ldif', person('bob', `stsTotpCredential: ${secret}\n`))], environment);
  t.is(open.status, 0, open.stderr);
  t.false(readFileSync(join(folder, 'one', 'directory.sqlite'), 'latin1').includes('JBSWY3DPEHPK3PXP'), 'what came open is sealed, too');
  const bare = await runCli(['realm', 'export', '--secrets', 'default'], environment);
  t.notRegex(bare.stdout, /stsTotpCredential/);
  t.regex(bare.stderr, /stsTotpCredential: 2 sealed values are left out/);
  const whole = await runCli(['realm', 'export', '--secrets', ...withKey, 'default'], environment);
  t.true(whole.stdout.replaceAll('\n ', '').includes(own), 'the same is sealed alike, so that an export stays the same text');

  const service = startCli(['serve'], other);
  t.teardown(() => service.child.kill('SIGKILL'));
  await service.until('ready ');
  const running = await runCli(['realm', 'import', ...withKey, file('whole.ldif', whole.stdout)], other);
  t.is(running.status, 0, running.stderr);
  t.regex(running.stderr, /names below dc=example,dc=com were put below o=new/);
  const back = (await runCli(['realm', 'export', '--secrets', ...withKey, 'default'], other)).stdout.replaceAll('\n ', '');
  t.true(back.includes(`stsTotpCredential: ${sealed(key, 'uid=ann,ou=people,o=new')}\n`));
});
