import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { freePort, startServer } from '../../bench/process.ts';
import { testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { type Asked, connect } from './servers.ts';
import { add, mark, oids, readBase, remove, rename } from './table.ts';

const cli = join(import.meta.dirname, '../../src/cli.ts');
const suffix = 'dc=example,dc=com';
const admin = `uid=admin,ou=people,${suffix}`;
const unit = (dn: string, ou: string) => add(dn, { objectClass: 'organizationalUnit', ou });
const leaves = 150;

test('whatever instant the process is killed at, a subtree is where it was or where it goes, whole', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-kill-'));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  const environment = testEnvironment(dataDir);
  const start = async () => {
    const port = await freePort();
    const given = {
      ...process.env,
      ...environment,
      STS_LDAP_PORT: String(port),
      STS_LDAP_TLS_PORT: '',
      STS_HTTP_PORT: '',
      STS_HTTP_TLS_PORT: '',
    };
    const { child } = await startServer(process.execPath, [cli, 'serve'], port, given);
    const client = await connect(port);
    t.is(await client.bind(admin, environment['STS_ADMIN_BOOTSTRAP_PASSWORD'] ?? ''), 0);
    return { child, client };
  };
  const below = async (client: Asked, base: string) => {
    const { code, before } = await client.ask({ ...readBase(base, ['1.1']), scope: 'children' } as ReturnType<typeof readBase>);
    return code === 0 ? before.length : undefined;
  };
  const [one, other, doomed] = ['one', 'other', 'doomed'].map((ou) => `ou=${ou},${suffix}`) as [string, string, string];

  let running = await start();
  for (const base of [one, doomed]) {
    await running.client.ask(unit(base, base.slice(3, base.indexOf(','))));
    await Promise.all(
      Array.from({ length: leaves }, (_, at) =>
        running.client.ask(add(`cn=leaf ${at},${base}`, { objectClass: 'device', cn: `leaf ${at}` })),
      ),
    );
  }
  let at = one;
  for (const answersBefore of [0, 1, 3]) {
    let answered = 0;
    const moving = (async () => {
      for (;;) {
        const to = at === one ? other : one;
        if ((await running.client.ask(rename(at, to.slice(0, to.indexOf(','))))).code !== 0) throw new Error('a move was refused');
        at = to;
        answered++;
        if (answered === answersBefore) running.child.kill('SIGKILL');
      }
    })().catch(() => undefined);
    const deleting = answersBefore === 3 ? running.client.ask(remove(doomed), [mark(oids.treeDelete)]).catch(() => undefined) : undefined;
    if (answersBefore === 0) running.child.kill('SIGKILL');
    await Promise.all([moving, deleting]);
    const { status, stdout } = await runCli(['doctor'], environment);
    t.is(status, 0, stdout);
    running = await start();
    const found = [await below(running.client, one), await below(running.client, other)];
    t.deepEqual(found.toSorted(), [leaves, undefined], 'whole, at one of both');
    at = found[0] === undefined ? other : one;
    const left = await below(running.client, doomed);
    t.true(left === leaves || (left === undefined && deleting !== undefined), String(left));
  }
  running.client.close();
  running.child.kill('SIGTERM');
});
