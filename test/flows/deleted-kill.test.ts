import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { testEnvironment } from '../support/atrium.ts';
import { runCli, startCli } from '../support/cli.ts';

test('a group and an application that were deleted are restored by the command after kill -9, and stay after another', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-deleted-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const environment = testEnvironment(join(folder, 'data'));
  const served = async (act: () => Promise<void>) => {
    const service = startCli(['serve'], environment);
    t.teardown(() => service.child.kill('SIGKILL'));
    await service.until('ready ');
    await act();
    service.child.kill('SIGKILL');
    await service.ended;
  };
  const well = async (line: string) => {
    const { status, stdout, stderr } = await runCli(line.split(' '), environment);
    t.is(status, 0, `${line}: ${stdout}${stderr}`);
    return stdout;
  };
  await served(async () => {
    await well('person add ada');
    await well('group add engines ada');
    await well('application add Shop --auth none --redirect-uri https://shop.example/back');
    await well('group remove engines --yes');
    await well('application remove shop --yes');
  });
  await served(async () => {
    t.regex(await well('group list --deleted'), /engines/);
    t.notRegex(await well('person list --deleted'), /engines|Shop/);
    t.regex(await well('application list --deleted'), /Shop/);
    t.regex(await well('group restore engines'), /restored cn=engines/);
    t.regex(await well('application restore Shop'), /restored cn=Shop.*no secret/);
  });
  await served(async () => {
    t.regex(await well('group show engines'), /ada/);
    await well('application show shop');
    const again = await runCli(['group', 'restore', 'engines'], environment);
    t.is(again.status, 3, again.stderr);
  });
});
