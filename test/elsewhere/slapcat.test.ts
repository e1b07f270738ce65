import { join } from 'node:path';
import test from 'ava';
import { openScreen, submit } from '../flows/raw.ts';
import { testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';
import { withPrograms } from '../support/programs.ts';
import { old, slapcat } from './openldap.ts';
import { bring, brought, contents, folderFor, noteOf, signIn, started, suffix, written } from './support.ts';

const cli = (dataDir: string, args: readonly string[]) => runCli(args, testEnvironment(dataDir));

const withSlapd = withLdapUtils(test) === test.skip ? test.skip : withPrograms(test, 'slapd', 'openssl');

withSlapd(
  'a slapcat of Debian’s slapd with ppolicy, groups and three schemes of hashes: people sign in with their old passwords, what cannot be carried over is told',
  async (t) => {
    const folder = folderFor(t);
    const { tree, config } = await slapcat(folder);
    const dataDir = join(folder, 'data');
    const result = await brought(t, dataDir, { from: 'slapcat', ldif: tree, schemas: [{ name: 'config.ldif', text: config }] });

    t.is(result.from, old);
    t.is(result.to, suffix);
    t.is(result.summary.entries.read, 16);
    t.is(result.summary.entries.carried, 16);
    t.like(noteOf(result, 'computed', 'memberOf'), { values: 2, entries: 2, outcome: 'left' });
    t.like(noteOf(result, 'computed', 'structuralObjectClass'), { values: 16 });
    t.like(noteOf(result, 'passwordBroken'), { values: 1, entries: 1, outcome: 'otherwise' });
    t.regex(noteOf(result, 'passwordBroken')?.examples[0]?.dn ?? '', /^uid=max,/);
    t.true((noteOf(result, 'passwordBroken')?.examples[0]?.line ?? 0) > 1);
    t.like(noteOf(result, 'locked'), { values: 1, outcome: 'otherwise' });
    t.like(noteOf(result, 'policyEntry'), { entries: 1 });
    t.like(noteOf(result, 'access', 'olcAccess'), { values: 3 });
    t.like(noteOf(result, 'classSupplied', 'namedObject'), { entries: 1 });
    t.truthy(noteOf(result, 'configuration', 'olcPPolicyConfig'));
    t.is(noteOf(result, 'unknownAttribute'), undefined);

    const atrium = await started(t, dataDir);
    t.is(await signIn(atrium, 'ada', 'ssha horse'), 0);
    t.is(await signIn(atrium, 'carl', 'crypt horse'), 0);
    t.is(await signIn(atrium, 'carl', 'ssha horse'), 49);
    t.is(await signIn(atrium, 'emmy', 'new sha horse'), 0);
    t.is(await signIn(atrium, 'emmy', 'sha horse'), 49);
    // Locked there, and here.
    t.is(await signIn(atrium, 'max', 'md5 horse'), 49);
    const base = atrium.addresses.http ?? '';
    t.is((await submit(base, await openScreen(base), 'ada', 'ssha horse')).status, 303);

    const entries = await contents(atrium);
    const ada = entries.get(`uid=ada,ou=people,${suffix}`) ?? [];
    for (const value of [
      'examplebadge: B-1815',
      'cn;lang-fr: la Comtesse',
      `manager: uid=carl,ou=people,${suffix}`,
      `memberof: cn=staff,ou=groups,${suffix}`,
    ])
      t.true(ada.includes(value), value);
    t.true(ada.some((value) => value.startsWith('pwdfailuretime: ')));
    const theirs = /dn: uid=ada,[\s\S]*?entryUUID: (\S+)[\s\S]*?createTimestamp: (\S+)/.exec(tree);
    t.true(ada.includes(`entryuuid: ${theirs?.[1]}`) && ada.includes(`createtimestamp: ${theirs?.[2]}`));
    t.true((entries.get(`uid=emmy,ou=people,${suffix}`) ?? []).some((value) => value.startsWith('pwdchangedtime: ')));
    t.true((entries.get(`ou=people,${suffix}`) ?? []).includes('description: all of them'), 'the frame has what the source has');
    t.true(entries.has(`ou=accessrules,${suffix}`), 'what a realm begins with is there');
    t.true(entries.has(`uid=moved,ou=last,ou=people,${suffix}`));
    t.true((entries.get(`cn=alias,ou=groups,${suffix}`) ?? []).includes(`aliasedobjectname: cn=staff,ou=groups,${suffix}`));
    t.true((entries.get(`ou=far,${suffix}`) ?? []).some((value) => value.startsWith('ref: ldap://other.example/')));
    // Only what is used came with the schema.
    const administrator = { url: atrium.addresses.ldap ?? '', dn: atrium.adminDn, password: atrium.adminPassword };
    const { stdout } = await runLdapTool('ldapsearch', administrator, [
      '-LLL',
      '-o',
      'ldif-wrap=no',
      '-s',
      'base',
      '-b',
      'cn=Subschema',
      'attributeTypes',
    ]);
    t.true(stdout.includes('exampleBadge'));
    t.false(stdout.includes('exampleUnused'));
  },
);

withSlapd('without the schema that comes with it, what no schema defines is left out and told; a dry run writes nothing', async (t) => {
  const folder = folderFor(t);
  const { tree } = await slapcat(folder);
  const result = await brought(t, join(folder, 'data'), { from: 'slapcat', ldif: tree, dryRun: true });
  t.like(noteOf(result, 'unknownAttribute', 'exampleBadge'), { values: 1, entries: 1 });
  t.like(noteOf(result, 'unknownClass', 'exampleBadgeHolder'), { values: 1, entries: 1 });
  t.is((await brought(t, join(folder, 'data'), { from: 'slapcat', ldif: tree })).summary.entries.carried, 16, 'nothing was there yet');
});

withSlapd('atrium import --from slapcat: the report as a person reads it, as JSON, and what is a mistake in the call', async (t) => {
  const folder = folderFor(t);
  const { tree, config } = await slapcat(folder);
  const file = written(folder, 'tree.ldif', tree);
  const schema = written(folder, 'config.ldif', config);
  const dataDir = join(folder, 'data');
  const dry = await cli(dataDir, ['import', '--dry-run', '--from', 'slapcat', '--schema', schema, file]);
  t.is(dry.status, 0, dry.stderr);
  t.regex(dry.stdout, /Not carried over:[\s\S]*memberOf: 2 values in 2 entries: line \d+, uid=/);
  t.regex(dry.stdout, /Nothing was written\./);
  const done = await cli(dataDir, ['import', '--json', '--from', 'slapcat', '--schema', schema, file]);
  t.is(done.status, 0, done.stderr);
  const told = JSON.parse(done.stdout) as { readonly values: Record<string, number>; readonly notes: readonly unknown[] };
  t.is(told.values['read'], (told.values['kept'] ?? 0) + (told.values['otherwise'] ?? 0) + (told.values['left'] ?? 0));
  t.false(dry.stdout.includes('{SSHA}') || done.stdout.includes('{SSHA}'), 'no value is shown');

  t.is((await cli(dataDir, ['import', '--from', 'slapcat', '-'])).status, 2);
  t.is((await cli(dataDir, ['import', '--from', 'ldapsearch', file])).status, 2);
  t.is((await cli(dataDir, ['import', '--from', 'slapcat', join(folder, 'none.ldif')])).status, 2);
  // Everybody is there already: all or nothing.
  const again = await bring(dataDir, { from: 'slapcat', ldif: tree });
  t.is(again.kind, 'refused');
});
