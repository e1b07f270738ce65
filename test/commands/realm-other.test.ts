import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { testEnvironment } from '../support/atrium.ts';
import { runCli, startCli } from '../support/cli.ts';

const suffix = 'dc=example,dc=com';

test('a realm beside the default one is filled from another one’s export, exported, held against its file, changed and applied; the default realm stays as it is', async (t) => {
  t.timeout(300_000);
  const folder = mkdtempSync(join(tmpdir(), 'atrium-other-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const environment = testEnvironment(join(folder, 'data'));
  const run = (...args: string[]) => runCli(args, environment);
  const done = async (...args: string[]) => {
    const { status, stdout, stderr } = await run(...args);
    t.is(status, 0, `${args.join(' ')}: ${stderr}`);
    return { stdout, stderr };
  };
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const service = startCli(['serve'], environment);
  t.teardown(() => service.child.kill('SIGKILL'));
  await service.until('ready ');
  const people = ['ann', 'bob']
    .map(
      (uid) =>
        `dn: uid=${uid},ou=people,${suffix}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: ${uid}\nmanager: uid=bob,ou=people,${suffix}\n`,
    )
    .join('\n');
  await done('realm', 'import', file('people.ldif', people));
  const before = (await done('realm', 'export', 'default')).stdout;

  await done('realm', 'create', 'acme');
  const imported = await done('realm', 'import', '--to', 'acme', file('default.ldif', before));
  t.regex(imported.stderr, /names below dc=example,dc=com were put below o=acme; in values: .*manager 2/);
  t.regex(imported.stderr, /ou=people,o=acme was there and stays as it is/);
  const acme = (await done('realm', 'export', 'acme')).stdout;
  t.regex(acme, /^dn: uid=ann,ou=people,o=acme\n[\s\S]*?^manager: uid=bob,ou=people,o=acme$/m);
  t.notRegex(acme, /dc=example/);
  t.is((await done('realm', 'diff', 'acme', file('acme.ldif', acme))).stdout, '');
  const wanted = file('wanted.ldif', acme.replace('cn: ann\n', 'cn: Ann of Acme\n'));
  const differs = (await done('realm', 'diff', '--json', 'acme', wanted)).stdout;
  t.like(JSON.parse(differs), { dn: 'uid=ann,ou=people,o=acme', kind: 'modify' }, 'an object in each line');
  const json = async (...args: string[]) => JSON.parse((await done('realm', ...args, '--json')).stdout);
  t.deepEqual(await json('apply', '--dry-run', 'acme', wanted), { wouldBeMade: 0, refused: 0, leftAlone: 1 });
  t.deepEqual(await json('apply', '--yes', '--people', 'acme', wanted), { made: 1, refused: 0, leftAlone: 0 });
  const zoe = file('zoe.ldif', 'dn: uid=zoe,ou=people,o=acme\nobjectClass: account\nuid: zoe\n');
  t.like(await json('import', '--dry-run', '--to', 'acme', zoe), { state: 'done', result: '1 entry would be added' });
  const nowhere = await run('realm', 'import', '--to', 'nowhere', zoe);
  t.deepEqual([nowhere.status, nowhere.stderr], [3, 'atrium: there is no realm "nowhere". See: atrium realm list\n']);
  t.regex((await run('realm', 'apply', '--yes', '--people', 'acme', wanted)).stderr, /nothing to do/);
  t.regex((await done('realm', 'export', 'acme')).stdout, /^cn: Ann of Acme$/m);
  t.is((await done('realm', 'export', 'default')).stdout, before, 'other realms are no content of the default one, and it was not touched');
  const ofOthers = (rdns: string) => `dn: ${rdns},dc=other,dc=org\nobjectClass: account\nuid: eve\n\n`;
  const eve = await done('realm', 'import', '--to', 'acme', file('eve.ldif', ofOthers('uid=eve,ou=people')));
  t.regex(
    eve.stderr,
    /names below dc=other,dc=org were put below o=acme[\s\S]*^1 entry added$/m,
    'a file of people alone has a suffix, too',
  );
  const nobodys = await run('realm', 'import', '--to', 'acme', file('nobodys.ldif', ofOthers('uid=eve,ou=staff')));
  t.is(nobodys.status, 1);
  t.regex(
    nobodys.stderr,
    /line 1, uid=eve,ou=staff,.*below which suffix/,
    'a person is never taken for the suffix, which is there already',
  );
  const across = await run(
    'realm',
    'apply',
    '--yes',
    '--people',
    'acme',
    file('across.ldif', `dn: uid=ann,ou=people,${suffix}\nchangetype: delete\n`),
  );
  t.is(across.status, 1);
  const foreign = await run(
    'realm',
    'import',
    '--to',
    'acme',
    file('foreign.ldif', `${acme}dn: uid=eve,ou=people,${suffix}\nobjectClass: inetOrgPerson\nuid: eve\ncn: eve\nsn: eve\n`),
  );
  t.is(foreign.status, 1);
  t.regex(foreign.stderr, /uid=eve.*it is not of the realm of o=acme/);
  t.regex(across.stderr, /line 1, uid=ann.*it is not of the realm of o=acme/);
});
