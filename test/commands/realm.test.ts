import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import test, { type ExecutionContext } from 'ava';
import { formatLdifRecord } from '#ldap';
import { testEnvironment } from '../support/atrium.ts';
import { runCli, startCli } from '../support/cli.ts';
import { generatePeople } from '../support/people.ts';

const suffix = 'dc=example,dc=com';
const count = 10_000;

function folder(t: ExecutionContext): string {
  const path = mkdtempSync(join(tmpdir(), 'atrium-cli-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Writes generated people and their groups; returns how many entries and what a search must find among them. */
async function writePeople(path: string) {
  const stream = createWriteStream(path);
  const found = { entries: 0, persons: 0, mailWithAnn: 0, oneUid: '' };
  for (const record of generatePeople({ count, seed: 7, suffix })) {
    found.entries++;
    const text = formatLdifRecord(record);
    const values = (name: string) =>
      record.attributes
        .filter((each) => each.description.toLowerCase() === name)
        .flatMap((each) => each.values.map((v) => Buffer.from(v).toString()));
    if (values('objectclass').includes('person')) found.persons++;
    if (values('mail').some((mail) => mail.toLowerCase().includes('ann'))) found.mailWithAnn++;
    found.oneUid = values('uid')[0] ?? found.oneUid;
    if (!stream.write(text)) await new Promise((resolve) => stream.once('drain', resolve));
  }
  stream.end();
  await finished(stream);
  return found;
}

test('10,000 people are imported, searched by uid, mail substring and objectClass, exported, and the export imports to the same again', async (t) => {
  const base = folder(t);
  const people = join(base, 'people.ldif');
  const expected = await writePeople(people);
  t.true(expected.persons === count && expected.mailWithAnn > 0, 'the generator made what the test counts on');
  const first = testEnvironment(join(base, 'first'));
  const second = testEnvironment(join(base, 'second'));

  const imported = await runCli(['import', people], first);
  t.is(imported.status, 0, imported.stderr);
  t.regex(imported.stderr, new RegExp(`^${expected.entries.toLocaleString('en')} entries added$`, 'm'));
  t.false(imported.stderr.includes('█'), 'no progress bar in a pipe');

  const service = startCli(['serve'], first);
  t.teardown(() => service.child.kill('SIGKILL'));
  await service.until('ready ');
  const search = async (filter: string) => {
    const { status, stdout, stderr } = await runCli(['search', filter, '1.1'], first);
    t.is(status, 0, stderr);
    return (stdout.match(/^dn:/gm) ?? []).length;
  };
  t.is(await search(`(uid=${expected.oneUid})`), 1);
  t.is(await search('(mail=*ann*)'), expected.mailWithAnn);
  t.is(await search('(objectClass=person)'), count + 1, 'the generated people and the built-in administrator');
  const live = await runCli(['export'], first);
  t.is(live.status, 0, live.stderr);
  t.is(
    (live.stdout.match(/^dn:/gm) ?? []).length,
    (await search('(objectClass=*)')) - 2,
    'tasks, and the place of realms, are no content of a realm',
  );
  t.false(/^userPassword:/im.test(live.stdout), 'no search reads a password hash');
  service.child.kill('SIGTERM');
  t.is((await service.ended).status, 0);

  const one = join(base, 'one.ldif');
  const two = join(base, 'two.ldif');
  t.is((await runCli(['export', '--operational', '--secrets', one], first)).status, 0);
  const again = await runCli(['import', one], second);
  t.is(again.status, 0, again.stderr);
  t.is((await runCli(['export', '--operational', '--secrets', two], second)).status, 0);
  t.true(readFileSync(one).equals(readFileSync(two)), 'the two exports are the same, octet for octet');
  t.regex(readFileSync(one, 'latin1'), /^userPassword/m, 'the administrator came along');
});

test('an import into a stopped folder ends at the first refusal, naming line, entry, attribute and rule', async (t) => {
  const environment = testEnvironment(join(folder(t), 'data'));
  const ldif = `dn: uid=ann,ou=people,${suffix}\nobjectClass: inetOrgPerson\nuid: ann\ncn: Ann\nsn: Ann\n\ndn: uid=bob,ou=people,${suffix}\nobjectClass: inetOrgPerson\nuid: bob\ncn: Bob\n\n`;
  const { status, stderr } = await runCli(['import', '-'], environment, ldif);
  t.is(status, 1);
  t.regex(stderr, /line 7/);
  t.regex(stderr, /uid=bob/);
  t.regex(stderr, /sn/);
});

test('LDIF that cannot be read is told with its line', async (t) => {
  const environment = testEnvironment(join(folder(t), 'data'));
  const { status, stderr } = await runCli(['import', '-'], environment, 'dn: cn=x\ncn x\n\n');
  t.is(status, 1);
  t.regex(stderr, /line 2/);
});

test('a running service is given entries by a task; --continue goes on behind a refusal and status 1 says that there was one; what is exported beside it has hashes when they are asked for', async (t) => {
  const environment = testEnvironment(join(folder(t), 'data'));
  const service = startCli(['serve'], environment);
  t.teardown(() => service.child.kill('SIGKILL'));
  await service.until('ready ');
  const person = (uid: string, sn: string) =>
    `dn: uid=${uid},ou=people,${suffix}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\n${sn}\n`;
  const ldif = person('ann', 'sn: Ann\n') + person('bob', '') + person('cid', 'sn: Cid\n');
  const going = await runCli(['import', '--continue', '-'], environment, ldif);
  t.is(going.status, 1);
  t.regex(going.stderr, /line 7, uid=bob.*sn/);
  t.regex(going.stderr, /2 entries added, 1 refused/);
  const { stdout } = await runCli(['search', '(|(uid=ann)(uid=bob)(uid=cid))', 'uid'], environment);
  t.deepEqual(stdout.match(/^uid: .*$/gm), ['uid: ann', 'uid: cid']);
  const secret = await runCli(['export', '--secrets'], environment);
  t.is(secret.status, 0, secret.stderr);
  t.regex(secret.stdout, /^userPassword/m);
});
