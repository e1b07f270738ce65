import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { text } from '#base';
import { freePort, startServer } from '../../bench/process.ts';
import { testEnvironment } from '../support/atrium.ts';
import { spawnCli } from '../support/cli.ts';
import { type Asked, connect } from './servers.ts';
import { add, mark, modify, oids, readBase, remove, rename } from './table.ts';

const cli = join(import.meta.dirname, '../../atrium.mjs');
const suffix = 'dc=example,dc=com';
const admin = `uid=admin,ou=people,${suffix}`;
const unit = (dn: string, ou: string) => add(dn, { objectClass: 'organizationalUnit', ou });
const leaves = 150;

/** A service of its own on a folder that outlives it. */
function killable(t: ExecutionContext, settings: Readonly<Record<string, string>> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-kill-'));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  const environment = { ...testEnvironment(dataDir), ...settings };
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
    return { child, client, port };
  };
  return { environment, start };
}

test('whatever instant the process is killed at, a subtree is where it was or where it goes, whole', async (t) => {
  const { environment, start } = killable(t);
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
    const { status, stdout } = await spawnCli(['doctor'], environment);
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
  await once(running.child, 'exit');
});

for (const workers of ['0', '1']) {
  test.serial(
    `whatever instant the process is killed at, a modify of many values is made or not, whole, with ${workers} workers`,
    async (t) => {
      const { environment, start } = killable(t, { STS_LDAP_WORKERS: workers });
      const group = `cn=many,${suffix}`;
      const named = (mark: string): readonly string[] => Array.from({ length: 2000 }, (_, at) => `uid=${mark}${at},${suffix}`);
      const [one, other] = [named('one'), named('other')];
      let running = await start();
      t.is((await running.client.ask(add(group, { objectClass: 'groupOfNames', cn: 'many', member: one }))).code, 0);
      let [from, to] = [one, other];
      for (const [modifies, searches] of [
        [0, 2],
        [1, 12],
      ] as const) {
        for (let at = 0; at < modifies; at++) {
          t.is((await running.client.ask(exchange(group, from, to))).code, 0);
          [from, to] = [to, from];
        }
        const beside = await connect(running.port);
        const changing = running.client.ask(exchange(group, from, to)).catch(() => undefined);
        // Between its turns others are answered.
        for (let at = 0; at < searches; at++) await beside.ask(readBase(''));
        running.child.kill('SIGKILL');
        await changing;
        beside.close();
        const { status, stdout } = await spawnCli(['doctor'], environment);
        t.is(status, 0, stdout);
        running = await start();
        const members = await membersOf(running.client, group);
        t.true(
          [one, other].some((all) => members.join() === all.toSorted().join()),
          'all of one, none of the other',
        );
        [from, to] = members[0] === one.toSorted()[0] ? [one, other] : [other, one];
      }
      running.client.close();
      running.child.kill('SIGTERM');
      await once(running.child, 'exit');
    },
  );
}

function exchange(group: string, from: readonly string[], to: readonly string[]) {
  return modify(group, ['delete', 'member', ...from], ['add', 'member', ...to]);
}

async function membersOf(client: Asked, group: string): Promise<readonly string[]> {
  const [entry] = (await client.ask(readBase(group, ['member']))).before;
  const attributes = entry?.op.kind === 'searchResultEntry' ? entry.op.attributes : [];
  return attributes.flatMap(({ values }) => values.map((value) => text(value) ?? '')).toSorted();
}
