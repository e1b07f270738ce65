import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import avaTest from 'ava';
import { formatLdifRecord } from '#ldap';
import { openExchange } from '../../src/tasks/exchange.ts';
import { startTestAtrium } from '../support/atrium.ts';
import { openClock } from '../support/clock.ts';
import { type LdapUtilsTarget, runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';
import { generatePeople } from '../support/people.ts';

const test = withLdapUtils(avaTest);
const suffix = 'dc=example,dc=com';
const hourMs = 3_600_000;
const name = (digit: string) => `import-${digit.repeat(8)}-aaaa-4aaa-8aaa-${digit.repeat(12)}.ldif`;

/** A file that was last written to some hours ago. */
function put(folder: string, file: string, nowMs: number, hours: number): void {
  writeFileSync(join(folder, file), 'version: 1\n');
  const at = new Date(nowMs - hours * hourMs);
  utimesSync(join(folder, file), at, at);
}

function folderOf(t: { teardown(act: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-left-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const task = (cn: string, file: string) =>
  `dn: cn=${cn},cn=tasks,${suffix}\nobjectClass: stsTask\ncn: ${cn}\nstsTaskKind: import\nstsTaskFile: ${file}\nstsTaskOption: drop\n\n`;

test('a task that is deleted while it waits takes the file with it that was for it alone', async (t) => {
  await using atrium = await startTestAtrium();
  const admin: LdapUtilsTarget = { url: atrium.addresses.ldap as string, dn: atrium.adminDn, password: atrium.adminPassword };
  const exchange = join(atrium.dataDir, 'exchange');
  writeFileSync(join(exchange, 'long.ldif'), [...generatePeople({ count: 6000, seed: 3, suffix })].map(formatLdifRecord).join(''));
  for (const file of ['waits.ldif', 'stays.ldif']) writeFileSync(join(exchange, file), 'version: 1\n');
  const { status, stderr } = await runLdapTool('ldapadd', admin, [], `${task('long', 'long.ldif')}${task('waits', 'waits.ldif')}`);
  t.is(status, 0, stderr);
  t.is((await runLdapTool('ldapdelete', admin, [`cn=waits,cn=tasks,${suffix}`])).status, 0);
  t.true(existsSync(join(exchange, 'long.ldif')), 'the one before it is under way: it waited');
  while (existsSync(join(exchange, 'waits.ldif'))) await runLdapTool('ldapsearch', admin, ['-b', suffix, '-s', 'base', '1.1']);
  t.true(existsSync(join(exchange, 'stays.ldif')));
  t.is((await runLdapTool('ldapdelete', admin, [`cn=long,cn=tasks,${suffix}`])).status, 0);
});

test('what an upload left that broke off goes with the next start, or an hour later: files of its own naming, and no others', async (t) => {
  const dataDir = folderOf(t);
  const exchange = join(dataDir, 'exchange');
  mkdirSync(exchange);
  const clock = openClock();
  const own = ['import-people.ldif', 'nightly.ldif', `${name('c')}.key`];
  for (const file of own) put(exchange, file, clock.nowMs(), 9);
  put(exchange, name('a'), clock.nowMs(), 2);
  put(exchange, name('b'), clock.nowMs(), 0.5);
  await using atrium = await startTestAtrium({ dataDir, clock, timers: clock.timers });
  const left = () => readdirSync(exchange).filter((file) => !file.startsWith('.'));
  t.deepEqual(left().toSorted(), [...own, name('b')].toSorted());
  clock.passS(3600);
  await new Promise(setImmediate);
  t.regex(atrium.log(), /tasks\.sweep: 1 files of uploads removed/);
  t.deepEqual(left().toSorted(), own.toSorted());
});

test('the file of a task that waits is kept, however old it is', (t) => {
  const folder = folderOf(t);
  for (const digit of ['a', 'b']) put(folder, name(digit), Date.now(), 9);
  t.is(openExchange(folder).removeUploads(new Set([name('a')]), Date.now() - hourMs), 1);
  t.deepEqual(readdirSync(folder), [name('a')]);
});
