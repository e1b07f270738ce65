import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { withLdapUtils } from '../support/ldap-utils.ts';
import { withPrograms } from '../support/programs.ts';
import { lldapTree } from './lldap.ts';
import { slapcat } from './openldap.ts';
import { folderFor, signIn, started, written } from './support.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/coming-from-elsewhere.md'), 'utf8');
/** Lines of the page that call Atrium, as it has them. */
const lines = [...page.matchAll(/^atrium (.*)$/gm)].map(([, line]) => line as string);
const fixtures = join(import.meta.dirname, '../fixtures/elsewhere');

const withSlapd = withLdapUtils(test) === test.skip ? test.skip : withPrograms(test, 'slapd', 'openssl');

withSlapd(
  'docs/coming-from-elsewhere.md: each of its commands does what the page says, in the order in which it stands there',
  async (t) => {
    const folder = folderFor(t);
    const { tree, config } = await slapcat(folder);
    const trees: Readonly<Record<string, string>> = {
      slapcat: tree,
      db2ldif: readFileSync(join(fixtures, 'db2ldif.ldif'), 'utf8'),
      lldap: lldapTree,
    };
    written(folder, 'config.ldif', config);
    written(folder, '99user.ldif', readFileSync(join(fixtures, '99user.ldif'), 'utf8'));
    const run = (line: string, dataDir: string) =>
      runCli(
        line.split(' ').map((each) => (each.endsWith('.ldif') ? join(folder, each) : each)),
        testEnvironment(dataDir),
      );
    const seen = new Set<string>();
    for (const line of lines.filter((each) => each.startsWith('import'))) {
      const from = /--from (\w+)/.exec(line)?.[1] ?? '';
      seen.add(from);
      written(folder, 'tree.ldif', trees[from] ?? '');
      const { status, stderr } = await run(line, join(folder, from));
      t.is(status, 0, `${line}: ${stderr}`);
    }
    t.deepEqual([...seen], ['slapcat', 'db2ldif', 'lldap']);

    const [others = ''] = lines.filter((each) => !each.startsWith('import'));
    const given = await run(others, join(folder, 'lldap'));
    t.is(given.status, 0, given.stderr);
    const password = /\S{20,}/.exec(given.stdout)?.[0] ?? '';
    t.is(
      await signIn(await started(t, join(folder, 'lldap')), 'bob', password),
      0,
      'those of lldap get in with the password that was made',
    );
  },
);
