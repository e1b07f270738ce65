import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test, { type ExecutionContext } from 'ava';
import { testEnvironment } from '../support/atrium.ts';
import { runCli, startCli } from '../support/cli.ts';
import { targetOf } from './link-orders.ts';
import { ask, hiddenOf } from './raw.ts';

const fresh = 'Difference-Engine-1822';

function groundOf(t: ExecutionContext) {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-links-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const environment = testEnvironment(join(folder, 'data'));
  const start = async () => {
    const service = startCli(['serve'], environment);
    t.teardown(() => service.child.kill('SIGKILL'));
    const said = await service.until('ready ');
    const stop = async (signal: 'SIGKILL' | 'SIGTERM') => {
      service.child.kill(signal);
      await service.ended;
    };
    return { base: /ready .*?(http:\S+)/.exec(said)?.[1] ?? '', stop };
  };
  const well = async (...args: readonly string[]) => {
    const { status, stdout, stderr } = await runCli(args, environment);
    t.is(status, 0, `${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  };
  return { folder, start, well };
}

async function linkFor(well: ReturnType<typeof groundOf>['well'], command: string): Promise<string> {
  const { link } = JSON.parse(await well('person', command, 'ada', '--json')) as { link: string };
  return targetOf(link);
}

async function use(base: string, target: string): Promise<number> {
  const page = await ask(base, target);
  const form = { csrf: hiddenOf(page, 'csrf'), link: hiddenOf(page, 'link'), password: fresh, again: fresh };
  return (await ask(base, target.split('?')[0] ?? '', { method: 'POST', form })).status;
}

/** What others are to be told of, in its order. */
function outboxIn(folder: string): string[] {
  const state = new DatabaseSync(join(folder, 'data', 'state.sqlite'));
  const rows = state.prepare("SELECT value FROM state WHERE kind = 'outbox/default' ORDER BY age").all();
  state.close();
  return rows.map((row) => {
    const { kind, detail } = JSON.parse(String(row['value'])) as { kind: string; detail: { why?: string; change_type?: string } };
    return `${kind} ${detail.why ?? detail.change_type}`;
  });
}

test('a link that was issued is good after kill -9, and one that was used is used up after it', async (t) => {
  const { start, well } = groundOf(t);
  const first = await start();
  await well('person', 'add', 'ada');
  const link = await linkFor(well, 'invite');
  await first.stop('SIGKILL');
  const second = await start();
  t.is(await use(second.base, link), 303);
  await second.stop('SIGKILL');
  const third = await start();
  t.is((await ask(third.base, link)).status, 410);
  t.is(await use(third.base, link), 403);
  await third.stop('SIGTERM');
});

test('what was answered is in the outbox after kill -9, and what could not be told before is told after the next start, each once', async (t) => {
  const { folder, start, well } = groundOf(t);
  const first = await start();
  await well('person', 'add', 'ada');
  await well('person', 'app-password', 'add', 'ada', 'phone');
  await well('person', 'app-password', 'revoke', 'ada', 'phone', '--yes');
  await first.stop('SIGKILL');
  t.deepEqual(outboxIn(folder), ['credential-change create', 'credential-change revoke']);
  const second = await start();
  await well('person', 'disable', 'ada');
  await second.stop('SIGKILL');
  const third = await start();
  t.deepEqual(outboxIn(folder), ['credential-change create', 'credential-change revoke', 'account-disabled disabled']);
  await third.stop('SIGTERM');
});

test('a restored backup revives no link: neither one that was used nor one that was good', async (t) => {
  const { folder, start, well } = groundOf(t);
  const first = await start();
  await well('person', 'add', 'ada');
  const link = await linkFor(well, 'invite');
  await well('backup', join(folder, 'monday.sqlite'));
  t.is((await ask(first.base, link)).status, 200);
  await first.stop('SIGTERM');
  await well('restore', join(folder, 'monday.sqlite'), '--replace');
  // Even where somebody brings the state that was moved aside back beside the backup.
  const data = join(folder, 'data');
  const aside = readdirSync(data).find((name) => name.startsWith('replaced-')) ?? '';
  for (const name of readdirSync(join(data, aside)))
    if (name.startsWith('state.sqlite')) copyFileSync(join(data, aside, name), join(data, name));
  t.true(existsSync(join(data, 'state.sqlite')));
  const second = await start();
  t.is((await ask(second.base, link)).status, 410);
  const again = await linkFor(well, 'reset-password');
  t.is(await use(second.base, again), 303);
  await second.stop('SIGTERM');
});
