import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { openClock } from '../support/clock.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';

const admin = 'uid=admin,ou=people,o=acme';
/** A removal takes some runs of its job: so often one is due. */
const runsMax = 200;
/** Seconds from one run of the job to the next (`realms.removalCheckS`). */
const checkS = 2;

function prepare(t: ExecutionContext) {
  const base = mkdtempSync(join(tmpdir(), 'atrium-realms-'));
  t.teardown(() => rmSync(base, { recursive: true, force: true }));
  const dataDir = join(base, 'data');
  const run = async (...args: string[]) => await runCli(args, testEnvironment(dataDir));
  const objects = async (...args: string[]) => {
    const { status, stdout, stderr } = await run(...args, '--json');
    t.is(status, 0, `${args.join(' ')}: ${stderr}`);
    return stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const states = async () => (await objects('realm', 'list')).map(({ id, state }) => `${String(id)} ${String(state)}`);
  return { dataDir, run, objects, states };
}

withLdapUtils(test)('a realm’s administrator is invited with a password that no LDAP door takes before another one is set', async (t) => {
  const { dataDir, run, objects, states } = prepare(t);
  await using atrium = await startTestAtrium({ dataDir });
  const url = atrium.addresses.ldap ?? '';
  const [made] = await objects('realm', 'create', 'acme', '--name', 'Acme', '--setting', 'authn.sessionLifetimeS=900');
  t.like(made, { id: 'acme', suffix: 'o=acme', administrator: admin });
  const bind = async (password: unknown) => (await runLdapTool('ldapwhoami', { url, dn: admin, password: String(password) }, [])).status;
  t.is(await bind(made?.['password']), 49);
  const [again] = await objects('realm', 'invite', 'acme');
  t.not(again?.['password'], made?.['password']);
  t.is(await bind(again?.['password']), 49);
  const [set] = await objects('person', 'set-password', 'admin', '--realm', 'acme', '--generate');
  t.is(await bind(set?.['password']), 0);
  t.deepEqual(await states(), ['default active', 'acme active']);
  for (const [args, status, says] of [
    [['create', 'acme'], 1, /the realm "acme" was not made: /],
    [['create', 'Big'], 1, /the realm "Big" was not made: stsRealmId: /],
    [['create', 'small', '--setting', 'nonsense=1'], 1, /the realm "small" was not made: stsSetting: nonsense is no setting/],
    [['invite', 'nowhere'], 3, /there is no realm "nowhere"/],
    [['remove', 'default', '--yes'], 2, /the default realm cannot be removed/],
    [['remove', 'acme'], 2, /nothing was done: there is no terminal to ask on.*\nThis removes the realm acme/],
  ] as const) {
    const ended = await run('realm', ...args);
    t.is(ended.status, status, ended.stderr);
    t.regex(ended.stderr, says);
  }
});

test('a realm is created and removed in a stopped folder, with all that belongs to it; the next start finishes the removal', async (t) => {
  const { dataDir, run, objects, states } = prepare(t);
  await (await startTestAtrium({ dataDir })).stop();
  await objects('realm', 'create', 'acme');
  t.deepEqual(
    (await objects('person', 'list', '--realm', 'acme')).map(({ dn }) => dn),
    [admin],
  );
  await objects('person', 'add', 'ada', '--realm', 'acme');
  t.is((await run('person', 'show', 'ada')).status, 3, 'she is of the other realm');
  t.deepEqual(await objects('realm', 'remove', 'acme', '--yes'), [{ id: 'acme', suffix: 'o=acme', state: 'removing' }]);
  t.deepEqual(await states(), ['default active', 'acme removing']);
  t.is((await run('realm', 'remove', 'acme', '--yes')).status, 1, 'once is enough');
  const clock = openClock();
  await using _atrium = await startTestAtrium({ dataDir, clock, timers: clock.timers });
  let left = await states();
  for (let runs = 0; left.length > 1 && runs < runsMax; runs++) {
    clock.passS(checkS);
    left = await states();
  }
  t.deepEqual(left, ['default active']);
});
