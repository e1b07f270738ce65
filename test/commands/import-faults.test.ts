import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';

const suffix = 'dc=example,dc=com';

function person(uid: string, below = `ou=people,${suffix}`): string {
  return `dn: uid=${uid},${below}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: Doe\n\n`;
}

async function importing(t: ExecutionContext, ldif: string, ...options: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-faults-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'people.ldif');
  writeFileSync(file, ldif);
  return await runCli(['import', ...options, file], testEnvironment(join(folder, 'data')));
}

test('a dry run lists all that is refused, records that cannot be read among it, and what stands between is looked at', async (t) => {
  const torn = [
    person('ann'),
    'dn: no name\nobjectClass: person\n\n',
    'dn:: !!!\nobjectClass: person\ncn: x\n\n',
    person('bob').replace('sn: Doe', 'sn Doe'),
    person('phone', `uid=bob,ou=people,${suffix}`),
    person('cid').replace('sn: Doe\n', ''),
    `dn: uid=dan,ou=people,${suffix}\nchangetype: delete\n\n`,
    'objectClass: person\ncn: nobody\n',
    person('eve'),
  ];
  const { status, stderr } = await importing(t, torn.join(''), '--dry-run');
  t.is(status, 1, stderr);
  const lines = stderr.split('\n').filter((line) => line.includes('line '));
  const told = [
    /line 7, no name: it is no name that the schema can read$/,
    /line 10: value is not base64$/,
    /line 18, uid=bob,.*: no colon$/,
    /line 26, uid=cid,.*requires attribute 'sn'$/,
    /line 31, uid=dan,.*: only entries and additions can be imported$/,
    /line 34: dn expected$/,
  ];
  t.is(lines.length, told.length, stderr);
  for (const [at, words] of told.entries()) t.regex(lines[at] ?? '', words);
  t.regex(stderr, /^3 entries would be added, 6 refused: an import would add none$/m);
  const ended = await importing(t, `${person('ann')}dn:: !!!\nobjectClass: person\ncn: x\n\n`);
  t.is(ended.status, 1, ended.stderr);
  t.regex(ended.stderr, /\[STS-LDAP-9851\] line 7: value is not base64/, 'an import for real ends at the first of them');
});

test('below which suffix names are is told by the first entry alone: where that cannot be read, or tells none, nothing is guessed', async (t) => {
  const unit = 'dn: ou=x,dc=elsewhere\nobjectClass: organizationalUnit\nou: x\n\n';
  for (const [ldif, line] of [
    [person('far', 'dc=elsewhere'), 1],
    [`dn: dc=elsewhere\nno colon\n\n${unit}`, 4],
  ] as const) {
    const { status, stderr } = await importing(t, ldif, '--dry-run');
    t.is(status, 1, stderr);
    t.regex(stderr, new RegExp(`\\[STS-LDAP-9850\\] line ${line}, .*cannot be told: let it begin with that entry`));
  }
});
