import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { errorTables, jobTables, routeTables, settingTables } from '../../src/tables.ts';
import { readFiles, roomOf, root, type SourceFile } from './files.ts';
import { importsAgainstRooms, roomTable, tableAgainstDisk } from './rooms.ts';
import {
  facesNameWhatTheyOffer,
  facesOnly,
  floorHolds,
  loadsOnlyTablesOf,
  lowerRanksOnly,
  noCycles,
  oneEnvironmentReader,
  type Ranks,
  type Rule,
  reachable,
  singleImporters,
  sizes,
  timeAndChanceAreArguments,
} from './rules.ts';

const files = readFiles('src', '.ts');
const rooms = [...new Set(files.flatMap(({ path }) => roomOf(path) ?? []))];
const page = readFileSync(join(root, 'src/ARCHITECTURE.md'), 'utf8');
const table = roomTable(page, 'Rooms');
const ranks: Ranks = new Map(table.map(({ name, rank }) => [name, rank]));

const servingRooms = new Set([
  'audit',
  'store',
  'state',
  'jobs',
  'credentials',
  'directory',
  'listener',
  'tasks',
  'web',
  'signin',
  'portal',
]);

/** Each rule with something that breaks it, in a house that is otherwise in order. */
const rules: readonly [rule: string, check: Rule, planted: SourceFile | readonly SourceFile[], caught: RegExp][] = [
  [
    'a room imports strictly lower ranks',
    lowerRanksOnly(ranks),
    plant('ldap/bad.ts', `import { createLog } from '#audit';`),
    /#audit \(rank 2\)/,
  ],
  [
    'siblings never see each other',
    lowerRanksOnly(ranks),
    plant('keys/bad.ts', `import type {\n  Store,\n} from '#store';`),
    /keys\/bad\.ts \(rank 2\) imports #store/,
  ],
  ['a room has a rank', lowerRanksOnly(ranks), plant('junk/index.ts', ''), /junk.*no rank/],
  ['no import goes behind a face', facesOnly, plant('web/bad.ts', `import { decode } from '#ldap/ber.ts';`), /#ldap\/ber\.ts goes behind/],
  ['no ../ leaves a room', facesOnly, plant('web/bad.ts', `export { decode } from '../ldap/ber.ts';`), /leaves the room/],
  [
    'only what gathers the tables reads one past the face',
    facesOnly,
    plant('bad.ts', `import { settings } from './web/settings.ts';`),
    /leaves the room/,
  ],
  [
    'what gathers the tables reads nothing else',
    facesOnly,
    plant('tables.ts', `import { decode } from './ldap/ber.ts';`),
    /leaves the room/,
  ],
  ['no import is computed', facesOnly, plant('web/bad.ts', 'const room = await import(name);'), /computed/],
  [
    'there are no cycles',
    noCycles,
    [...plant('web/a.ts', `import { b } from './b.ts';`), ...plant('web/b.ts', `import { a } from './a.ts';`)],
    /a\.ts → src\/web\/b\.ts → src\/web\/a\.ts/,
  ],
  ['only keys imports node:crypto', singleImporters, plant('web/bad.ts', `import { createHash } from 'node:crypto';`), /only keys may/],
  [
    'only store imports better-sqlite3',
    singleImporters,
    plant('web/bad.ts', `const sqlite = await import('better-sqlite3');`),
    /only store/,
  ],
  ['only web imports restify', singleImporters, plant('portal/bad.ts', `import type { Request } from 'restify';`), /only web/],
  ['only client imports ldapjs', singleImporters, plant('portal/bad.ts', `import ldap from 'ldapjs/lib/client.js';`), /only client/],
  [
    'only factors imports @simplewebauthn/server',
    singleImporters,
    plant('signin/bad.ts', `import { verifyRegistrationResponse } from '@simplewebauthn/server';`),
    /only factors/,
  ],
  ['only audit imports winston', singleImporters, plant('web/bad.ts', `import winston from 'winston';`), /only audit/],
  [
    'what stands above the floor does not reach below it',
    floorHolds(ranks),
    plant('portal/bad.ts', `import { openStore } from '#store';`),
    /below the LDAP interface: #store/,
  ],
  ['process.env is read in one file only', oneEnvironmentReader, plant('web/bad.ts', 'const { env: given } = process;'), /environment/],
  ['process.env hides behind no other spelling', oneEnvironmentReader, plant('web/bad.ts', `const given = process['env'];`), /environment/],
  ['time is an argument', timeAndChanceAreArguments, plant('web/bad.ts', 'const now = Date.now();'), /Date\.now/],
  ['chance is an argument', timeAndChanceAreArguments, plant('web/bad.ts', 'const id = Math.random();'), /Math\.random/],
  [
    'every file is reached from main.ts, cli.ts, what atrium.mjs loads before it, or the gathered tables',
    reachable(['src/main.ts', 'src/cli.ts', 'src/faces.ts', 'src/tables.ts']),
    plant('web/forgotten.ts', 'export const a = 1;'),
    /forgotten\.ts is reached from none/,
  ],
  [
    'a command loads no more than tables of the rooms that a service is made of',
    loadsOnlyTablesOf('src/cli.ts', servingRooms),
    plant('wiring/locate.ts', `import { openStore } from '#store';`),
    /src\/store\/index\.ts is loaded with src\/cli\.ts/,
  ],
  ['a face names what it offers', facesNameWhatTheyOffer, plant('junk/index.ts', `export * from './all.ts';`), /junk\/index\.ts/],
  ['a file is small enough to read', sizes, plant('web/bad.ts', 'f();\n'.repeat(400)), /400 lines/],
  [
    'a function is small enough to read',
    sizes,
    plant('web/bad.ts', `const f = () => {\n${'  g();\n'.repeat(95)}};\n`),
    /a function of 97 lines/,
  ],
];

function plant(path: string, text: string): SourceFile[] {
  return [{ path: `src/${path}`, text }];
}

for (const [rule, check, planted, caught] of rules) {
  test(`the house: ${rule}`, (t) => t.deepEqual(check(files), []));
  test(`the rule catches a planted violation: ${rule}`, (t) => {
    const found = check([...files, ...[planted].flat()]).filter((fault) => caught.test(fault));
    t.not(found.length, 0);
  });
  test(`the rule fails when it scanned nothing: ${rule}`, (t) => t.deepEqual(check([]), ['no files were scanned']));
}

test('the room table of ARCHITECTURE.md is what stands on the disk', (t) => {
  t.deepEqual(tableAgainstDisk(table, rooms), []);
});

test('the room table catches a room it does not name, one that is not there, and nothing at all', (t) => {
  const standing = table.map(({ name }) => name);
  t.deepEqual(tableAgainstDisk(table, [...standing, 'junk']), ['src/junk is not in the room table']);
  t.deepEqual(tableAgainstDisk(table, standing.slice(1)), ['the room table names base, and there is no such room']);
  t.deepEqual(tableAgainstDisk([], rooms), ['no rooms were scanned']);
  t.deepEqual(tableAgainstDisk(table, []), ['no rooms were scanned']);
});

test('what is planned is not there yet', (t) => {
  const planned = roomTable(page, 'Planned').map(({ name }) => name);
  t.true(planned.length > 0);
  t.deepEqual(
    planned.filter((name) => rooms.includes(name)),
    [],
  );
});

test('package.json has one exact key for each room', (t) => {
  const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  t.deepEqual(importsAgainstRooms(imports, rooms), []);
  t.deepEqual(importsAgainstRooms({ '#ldap': './src/ldap/index.ts', '#ldap/*': './src/ldap/*' }, ['ldap']), [
    "package.json: #ldap/* is no room's face",
  ]);
  t.deepEqual(importsAgainstRooms({ '#ldap': './src/ldap/dn.ts' }, ['ldap']), ['package.json: #ldap must be ./src/ldap/index.ts']);
  t.deepEqual(importsAgainstRooms(imports, []), ['no rooms were scanned']);
});

const readmeLinesMax = 30;

test('each room has a face and a README of at most 30 lines', (t) => {
  const pages = new Map(readFiles('src', 'README.md').map(({ path, text }) => [path, text]));
  const faces = new Set(files.map(({ path }) => path));
  t.true(rooms.length > 0);
  for (const room of rooms) {
    t.true(faces.has(`src/${room}/index.ts`), `${room} has no face`);
    const readme = pages.get(`src/${room}/README.md`);
    t.truthy(readme, `${room} has no README`);
    t.true((readme ?? '').trimEnd().split('\n').length <= readmeLinesMax, `the README of ${room} is longer than ${readmeLinesMax} lines`);
  }
});

test('every text file of the source is named for what it is: no contract is left behind', (t) => {
  t.deepEqual(
    readFiles('src', '.md')
      .filter(({ path }) => !/README\.md$|ARCHITECTURE\.md$|src\/decisions\//.test(path))
      .map(({ path }) => path),
    [],
  );
});

/** The tables of rooms whose folder has a file of that name. */
const gathered: readonly (readonly [file: string, tables: Readonly<Record<string, unknown>>])[] = [
  ['errors.ts', errorTables],
  ['settings.ts', settingTables],
  ['routes.ts', routeTables],
  ['jobs.ts', jobTables],
];
for (const [file, tables] of gathered) {
  test(`every room's ${file} is gathered in src/tables.ts`, (t) => {
    const having = rooms.filter((room) => room !== 'catalogue' && files.some(({ path }) => path === `src/${room}/${file}`));
    t.true(having.length > 0);
    t.deepEqual(
      having.filter((room) => !(room in tables)),
      [],
    );
  });
}

test('operations are rows of the command line alone: src/tables.ts need not load it', (t) => {
  const having = rooms.filter((room) => room !== 'catalogue' && files.some(({ path }) => path === `src/${room}/operations.ts`));
  t.deepEqual(having, ['commands']);
});
