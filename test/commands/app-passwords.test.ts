import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';

const suffix = 'dc=example,dc=com';
const ada = `uid=ada,ou=people,${suffix}`;

function groundOf(t: ExecutionContext) {
  const base = mkdtempSync(join(tmpdir(), 'atrium-doors-'));
  t.teardown(() => rmSync(base, { recursive: true, force: true }));
  const environment = testEnvironment(join(base, 'data'));
  const run = (...args: string[]) => runCli(args, environment);
  const well = async (...args: string[]) => {
    const { status, stdout, stderr } = await run(...args);
    t.is(status, 0, `${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  };
  return { dataDir: join(base, 'data'), base, run, well };
}

withLdapUtils(test)(
  'atrium person app-password makes, lists and revokes what ldapwhoami binds with; in the folder of a stopped service, too',
  async (t) => {
    const ground = groundOf(t);
    const appPassword = (...args: string[]) => ['person', 'app-password', ...args];
    const first = await startTestAtrium({ dataDir: ground.dataDir });
    await ground.well('person', 'add', 'ada', '--cn', 'Ada Lovelace');
    const made = JSON.parse(
      await ground.well(...appPassword('add', 'ada', 'mail on the phone', '--scope', 'ldap', '--network', '127.0.0.0/8', '--json')),
    ) as {
      readonly id: string;
      readonly value: string;
    };
    const url = first.addresses.ldap ?? '';
    const bind = async (password: string, at = url) => (await runLdapTool('ldapwhoami', { url: at, dn: ada, password }, [])).status;
    t.is(await bind(made.value), 0);
    t.is(await bind(made.value.replaceAll('-', '').toLowerCase()), 0);
    const listed = JSON.parse(await ground.well(...appPassword('list', 'ada', '--json'))) as Record<string, unknown>;
    t.like(listed, {
      id: made.id,
      name: 'mail on the phone',
      scopes: ['ldap'],
      networks: ['127.0.0.0/8'],
      lastUsedFrom: '127.0.0.1',
      lastUsedDoor: 'ldap',
    });
    t.false('hash' in listed);
    t.regex(await ground.well(...appPassword('list', 'ada')), /^ID +NAME .*\n\S+ +mail on the phone +ldap +127\.0\.0\.0\/8 /);
    t.is((await ground.run(...appPassword('revoke', 'ada', 'mail on the phone'))).status, 2, 'without a terminal it must be said');
    t.is((await ground.run(...appPassword('revoke', 'ada', 'none', '--yes'))).status, 3);
    await first.stop();

    const [, other = ''] = /^app password (\S+)\n$/.exec(await ground.well(...appPassword('add', 'ada', 'tablet'))) ?? [];
    const second = await startTestAtrium({ dataDir: ground.dataDir });
    t.teardown(() => second.stop());
    const there = second.addresses.ldap ?? '';
    t.deepEqual([await bind(made.value, there), await bind(other, there)], [0, 0]);
    await ground.well(...appPassword('revoke', 'ada', made.id, '--yes'));
    t.deepEqual([await bind(made.value, there), await bind(other, there)], [49, 0]);
    await ground.well(...appPassword('revoke', 'ada', '--all', '--yes'));
    t.is(await bind(other, there), 49);
    t.is(await ground.well(...appPassword('list', 'ada')), '');
    for (const wrong of [
      ['add', 'ada'],
      ['revoke', 'ada'],
      ['list', 'ada', 'x'],
      ['add', 'ada', 'x', '--scope', 'imap'],
      ['add', 'ada', 'x', '--expires', 'soon'],
    ])
      t.is((await ground.run(...appPassword(...wrong))).status, 2, wrong.join(' '));
    t.is((await ground.run(...appPassword('add', 'ada', 'x', '--expires', '2001-01-01'))).status, 1);
  },
);
