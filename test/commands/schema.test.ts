import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { withPrograms } from '../support/programs.ts';

const arc = '1.3.6.1.4.1.32473.3';
const own = `# an organisation's own
objectIdentifier Own ${arc}
objectidentifier OwnTypes Own:1

attributetype ( OwnTypes:1
	NAME 'lockerNumber'
	DESC 'where things are kept; a SYNTAX '
	EQUALITY caseIgnoreMatch
	SYNTAX '1.3.6.1.4.1.1466.115.121.1.15{64}' )

objectclass ( Own:2.1 NAME 'lockerHolder'
	SUP top AUXILIARY
# a comment within
	MAY ( lockerNumber $ cn ) )
`;

async function prepare(t: ExecutionContext) {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-schema-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const dataDir = join(folder, 'data');
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const atrium = await startTestAtrium({ dataDir });
  t.teardown(() => atrium.stop());
  const run = (...args: string[]) => runCli(['schema', ...args], testEnvironment(dataDir));
  const search = async (filter: string, ...wanted: string[]) =>
    (await runCli(['search', filter, ...wanted, '--base', 'cn=Subschema', '--scope', 'base'], testEnvironment(dataDir))).stdout.replace(
      /\n /g,
      '',
    );
  return { write, run, search };
}

test('schema import: a file of slapd’s form with named OIDs, comments and quotes is added, and a second time passed over', async (t) => {
  const { write, run, search } = await prepare(t);
  const file = write('own.schema', own);
  const dry = await run('import', '--dry-run', file);
  t.deepEqual([dry.status, dry.stderr], [0, '2 definitions would be added, 0 there already\n']);
  t.notRegex(await search('objectClass=*', 'objectClasses'), /lockerHolder/);
  const first = await run('import', file);
  t.deepEqual([first.status, first.stderr], [0, '2 definitions added, 0 there already\n']);
  t.regex(
    await search('objectClass=*', 'objectClasses'),
    /\( 1\.3\.6\.1\.4\.1\.32473\.3\.2\.1 NAME 'lockerHolder' SUP top AUXILIARY MAY \( lockerNumber \$ cn \) \)/,
  );
  t.regex(
    await search('objectClass=*', 'attributeTypes'),
    /\( 1\.3\.6\.1\.4\.1\.32473\.3\.1\.1 NAME 'lockerNumber' DESC 'where things are kept; a SYNTAX ' EQUALITY caseIgnoreMatch SYNTAX 1\.3\.6\.1\.4\.1\.1466\.115\.121\.1\.15\{64\} \)/,
  );
  const told = await run('import', '--json', '--dry-run', file);
  t.is(told.stdout, '{"added":[],"known":["lockerNumber","lockerHolder"],"different":[],"without":[]}\n');
  const again = await run('import', file);
  t.deepEqual([again.status, again.stderr], [0, '0 definitions added, 2 there already\n']);
});

test('schema import: olcSchema LDIF, folded, numbered and in base64', async (t) => {
  const { write, run } = await prepare(t);
  const definition = `( ${arc}.9 NAME 'shelfHolder' SUP top AUXILIARY MAY shelf )`;
  const file = write(
    'own.ldif',
    `dn: cn={4}own,cn=schema,cn=config\nobjectClass: olcSchemaConfig\ncn: {4}own\nolcObjectIdentifier: {0}Own ${arc}\n` +
      `olcAttributeTypes: {0}( Own:8 NAME 'sh\n elf' SUP name )\nolcObjectClasses:: ${Buffer.from(`{0}${definition}`).toString('base64')}\n`,
  );
  const { status, stderr } = await run('import', file);
  t.deepEqual([status, stderr], [0, '2 definitions added, 0 there already\n']);
});

const wrong: readonly [title: string, name: string, text: string, says: RegExp][] = [
  ['text that begins no definition', 'a.schema', '# x\n\nwhatever ( 1.2.3 )\n', /a\.schema line 3: 'whatever' begins no definition/],
  ['a definition that cannot be read', 'a.schema', `\nattributetype ( ${arc}.1 NAME 'x'\n  SYNTAX )\n`, /a\.schema line 2: /],
  ['an OID that nobody named', 'a.schema', "attributetype ( Nobody:1 NAME 'x' SUP cn )\n", /line 1: no OID was named 'Nobody' before/],
  [
    'a class that nobody defines',
    'a.ldif',
    `dn: cn=a,cn=schema,cn=config\nolcObjectClasses: ( ${arc}.1 NAME 'x' SUP y )\n`,
    /a\.ldif line 2: unknown superclass 'y'/,
  ],
  ['a name that is taken', 'a.schema', `attributetype ( ${arc}.1 NAME 'cn' SUP name )\n`, /a\.schema line 1: 'cn' is defined twice/],
  ['an attribute that is no part of a schema', 'a.ldif', 'dn: cn=a\nmail: x@y\n', /a\.ldif line 2: 'mail' is no part of a schema/],
];

for (const [title, name, text, says] of wrong) {
  test(`schema import: ${title} is refused with file and line, and nothing is added`, async (t) => {
    const { write, run, search } = await prepare(t);
    const before = await search('objectClass=*', 'attributeTypes', 'objectClasses');
    const { status, stderr } = await run('import', write('fine.schema', own), write(name, text));
    t.is(status, 1);
    t.regex(stderr, says);
    t.is(await search('objectClass=*', 'attributeTypes', 'objectClasses'), before);
  });
}

test('schema import: a definition that is there otherwise stays, and is named; a rule that nobody has is left out', async (t) => {
  const { write, run } = await prepare(t);
  const text = `attributetype ( 2.5.4.3 NAME 'cn' DESC 'other words' SUP name )\nattributetype ( 2.5.4.4 NAME 'sn' SUP name SINGLE-VALUE )\nattributetype ( ${arc}.7 NAME 'odd' EQUALITY oddMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )\n`;
  const { status, stderr } = await run('import', write('some.schema', text));
  t.is(status, 0);
  t.regex(stderr, /some\.schema line 2: sn is there and defined otherwise; it stays as it is\n/);
  t.regex(stderr, /some\.schema line 3: odd is added without oddMatch, which this directory does not have\n/);
  t.regex(stderr, /1 definition added, 1 there already, 1 there otherwise\n$/);
});

test('schema import: a wrong call is told in one line', async (t) => {
  const { run } = await prepare(t);
  for (const args of [[], ['export'], ['import'], ['import', '/nonexistent.schema'], ['import', '--force', 'x']])
    t.is((await run(...args)).status, 2);
});

const debian = '/etc/ldap/schema';

withPrograms(test, 'slapd')('schema import: every schema file of Debian’s slapd can be imported, as text and as LDIF', async (t) => {
  const { run } = await prepare(t);
  const files = readdirSync(debian).filter((name) => /\.(schema|ldif)$/.test(name));
  t.true(files.length > 20);
  for (const name of files.sort()) {
    const { status, stderr } = await run('import', join(debian, name));
    t.log(`${name}: ${stderr}`);
    t.is(status, 0, `${name}: ${stderr}`);
    t.regex((await run('import', join(debian, name))).stderr, /\b0 definitions added/);
  }
});
