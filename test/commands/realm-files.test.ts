import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';

const suffix = 'dc=example,dc=com';

/** A running service in a folder of its own, and what the command line does with it. */
async function serve(t: ExecutionContext) {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-realm-'));
  const environment = testEnvironment(join(folder, 'data'));
  const service = await startTestAtrium({ dataDir: join(folder, 'data') });
  t.teardown(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const run = (...args: string[]) => runCli(args, environment);
  const exported = async (...options: string[]) => {
    const { status, stdout, stderr } = await run('realm', 'export', ...options, 'default');
    t.is(status, 0, stderr);
    return stdout;
  };
  return { folder, environment, file, run, exported, service };
}

const person = (uid: string, more = '') =>
  `dn: uid=${uid},ou=people,${suffix}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: ${uid}\n${more}\n`;
const group = (cn: string, members: readonly string[]) =>
  `dn: cn=${cn},ou=groups,${suffix}\nobjectClass: groupOfNames\ncn: ${cn}\n${members.map((uid) => `member: uid=${uid},ou=people,${suffix}\n`).join('')}\n`;

test('an export is stable in order: the same content is the same text, however it came to be', async (t) => {
  const { file, run, exported } = await serve(t);
  const before = await exported();
  t.is(await exported(), before);
  t.is(
    (
      await run(
        'import',
        file('one.ldif', `${person('zoe', 'mail: b@example.com\nmail: a@example.com\n')}${person('ann')}${group('all', ['zoe', 'ann'])}`),
      )
    ).status,
    0,
  );
  const one = await exported();
  t.true(one.indexOf('dn: uid=ann') < one.indexOf('dn: uid=zoe'), 'entries stand in the order of their names');
  t.true(one.indexOf('mail: a@') < one.indexOf('mail: b@') && one.indexOf('mail: a@') > 0, 'values in the order of their octets');
  const changes = file(
    'away.ldif',
    `dn: uid=zoe,ou=people,${suffix}\nchangetype: modify\ndelete: mail\n-\nadd: mail\nmail: a@example.com\nmail: b@example.com\n-\n\n`,
  );
  const applied = await run('realm', 'apply', '--yes', '--people', 'default', changes);
  t.is(applied.status, 0, applied.stderr);
  t.is(await exported(), one);
});

test('diff of a realm with its own export prints nothing, with and without operational attributes', async (t) => {
  const { folder, file, run, exported } = await serve(t);
  for (const options of [[], ['--operational']]) {
    const { status, stdout, stderr } = await run('realm', 'diff', 'default', file('same.ldif', await exported(...options)));
    t.is(status, 0, stderr);
    t.is(stdout, '');
    t.regex(stderr, /nothing differs/);
  }
  t.truthy(folder);
});

test('apply touches people and factors only when told, says what it left alone, and has nothing to do the second time', async (t) => {
  const { file, run, exported } = await serve(t);
  t.is((await run('import', file('people.ldif', person('ann') + person('bob') + group('staff', ['ann'])))).status, 0);
  const wanted = (await exported())
    .replace(`dn: cn=staff,ou=groups,${suffix}\n`, `dn: cn=staff,ou=groups,${suffix}\ndescription: who works here\n`)
    .replace('sn: ann\n', 'sn: Ann\nuserPassword: Correct-horse-8-battery\n')
    .replace(/dn: uid=bob[\s\S]*?\n\n/, '');
  const path = file('wanted.ldif', wanted);
  const first = await run('realm', 'apply', '--yes', 'default', path);
  t.is(first.status, 0, first.stderr);
  t.regex(first.stderr, /uid=ann.*people are left alone without --people/);
  t.regex(first.stderr, /uid=bob.*people are left alone without --people/);
  t.regex(first.stdout, /^\+?add: description\ndescription: who works here$/m);
  t.regex(await exported(), /^dn: uid=bob/m);
  t.regex((await run('realm', 'apply', '--yes', 'default', path)).stderr, /nothing to do/);
  const people = await run('realm', 'apply', '--yes', '--people', 'default', path);
  t.is(people.status, 0, people.stderr);
  t.notRegex(people.stdout, /userPassword/);
  t.notRegex(await exported(), /^dn: uid=bob/m);
  const factors = await run('realm', 'apply', '--yes', '--people', '--factors', 'default', path);
  t.is(factors.status, 0, factors.stderr);
  t.regex(factors.stdout, /replace: userPassword/);
  t.regex(factors.stderr, /^1 change made\n$/, 'once: the hash is of the password that the file has in clear');
  t.regex((await run('realm', 'apply', '--yes', '--people', '--factors', 'default', path)).stderr, /^nothing to do$/m);
  t.is((await run('realm', 'diff', '--secrets', 'default', path)).stdout, '');
  const another = file('another.ldif', wanted.replace('Correct-horse-8-battery', 'Correct-horse-9-battery'));
  const shown = await run('realm', 'apply', '--yes', '--people', '--factors', 'default', another);
  t.regex(shown.stdout, /^replace: userPassword\nuserPassword: \(not shown\)$/m);
  t.notRegex(shown.stdout + shown.stderr, /Correct-horse/, 'nobody reads a password on a terminal');
  t.is((await run('realm', 'diff', '--secrets', 'default', another)).stdout, '', 'it was set all the same');
});

test('diff judges a password in clear by the bounds that the service has', async (t) => {
  const { file, run, exported, environment } = await serve(t);
  // A vector of Drepper's "Unix crypt using SHA-256 and SHA-512", with its 10,000 rounds.
  const hash =
    '{CRYPT}$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.';
  t.is((await run('import', file('people.ldif', person('ann').replace('sn: ann\n', `sn: ann\nuserPassword: ${hash}\n`)))).status, 0);
  const path = file('clear.ldif', (await exported()).replace('sn: ann\n', 'sn: ann\nuserPassword: Hello world!\n'));
  t.is((await run('realm', 'diff', '--secrets', 'default', path)).stdout, '');
  const lower = await runCli(['realm', 'diff', '--secrets', 'default', path], { ...environment, STS_KEYS_FOREIGN_ROUNDS_MAX: '9999' });
  t.regex(lower.stdout, /^replace: userPassword$/m);
});

test('without a terminal and without --yes apply shows what it would do, and does nothing', async (t) => {
  const { file, run, exported } = await serve(t);
  const before = await exported();
  const wanted = file('wanted.ldif', before.replace('description: Persons', 'description: persons'));
  const { status, stdout, stderr } = await run('realm', 'apply', 'default', wanted);
  t.is(status, 2);
  t.regex(stdout, /description: persons/);
  t.regex(stderr, /--yes was not given/);
  t.is(await exported(), before);
});

test('a file that is no whole realm, or names an entry twice, is refused with the line', async (t) => {
  const { file, run, exported } = await serve(t);
  const whole = await exported();
  const orphan = await run(
    'realm',
    'diff',
    'default',
    file('orphan.ldif', `${whole}dn: uid=x,ou=nowhere,${suffix}\nobjectClass: account\nuid: x\n\n`),
  );
  t.is(orphan.status, 1);
  t.regex(orphan.stderr, /\[STS-LDAP-9350\] line \d+, uid=x,.*the file has no entry above it/);
  const twice = await run(
    'realm',
    'diff',
    'default',
    file('twice.ldif', `${whole}dn: OU=People, ${suffix}\nobjectClass: organizationalUnit\nou: people\n\n`),
  );
  t.is(twice.status, 1);
  t.regex(twice.stderr, /line \d+, OU=People.*line \d+ has an entry of that name/);
  const part = await run('realm', 'diff', 'default', file('part.ldif', person('x')));
  t.is(part.status, 1);
  t.regex(part.stderr, /no whole realm/);
  t.is((await run('realm', 'diff', 'nobody', file('any.ldif', whole))).status, 3);
});

test('entries that have the same entryUUID are renamed, a subtree at once, and names that were exchanged are told apart', async (t) => {
  const { file, run, exported } = await serve(t);
  const units = ['red', 'blue'].map((ou) => `dn: ou=${ou},${suffix}\nobjectClass: organizationalUnit\nou: ${ou}\n\n`).join('');
  const rooms = ['red', 'blue']
    .map((ou) => `dn: cn=room,ou=${ou},${suffix}\nobjectClass: device\ncn: room\ndescription: in ${ou}\n\n`)
    .join('');
  t.is((await run('import', file('units.ldif', units + rooms))).status, 0);
  const operational = await exported('--operational');
  const moved = operational.replaceAll(`ou=red,${suffix}`, `ou=green,${suffix}`).replace('\nou: red\n', '\nou: green\n');
  const one = await run('realm', 'diff', 'default', file('moved.ldif', moved));
  t.is(one.stdout, `version: 1\n\ndn: ou=red,${suffix}\nchangetype: modrdn\nnewrdn: ou=green\ndeleteoldrdn: 1\n\n`);
  const exchanged = operational
    .replaceAll(`ou=red,${suffix}`, 'RED')
    .replaceAll(`ou=blue,${suffix}`, `ou=red,${suffix}`)
    .replaceAll('RED', `ou=blue,${suffix}`)
    .replace('\nou: red\n', '\nou: RED\n')
    .replace('\nou: blue\n', '\nou: red\n')
    .replace('\nou: RED\n', '\nou: blue\n');
  const path = file('exchanged.ldif', exchanged);
  const applied = await run('realm', 'apply', '--yes', 'default', path);
  t.is(applied.status, 0, applied.stderr);
  t.is((await run('realm', 'diff', 'default', path)).stdout, '');
  t.regex(await exported(), /dn: cn=room,ou=blue,[\s\S]*?description: in red/);
  t.true(readFileSync(path).length > 0);
});

test('apply makes a stopped folder what a file says, too', async (t) => {
  const { file, run, exported, service } = await serve(t);
  const wanted = (await exported()).replace('description: Persons', 'description: persons');
  await service.stop();
  const path = file('wanted.ldif', wanted);
  const applied = await run('realm', 'apply', '--yes', 'default', path);
  t.is(applied.status, 0, applied.stderr);
  t.is(await exported(), wanted);
  t.regex((await run('realm', 'apply', '--yes', 'default', path)).stderr, /nothing to do/);
});
