import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { operations } from '#admin';
import type { SettingRow } from '#catalogue';
import { commands } from '#commands';
import { settings } from '../../src/settings.ts';
import { errorRows } from '../../src/tables.ts';
import { operationsPageOf } from '../admin/operations-page.ts';
import { settingsPageOf } from '../catalogue/settings-page.ts';
import { readTestSchema } from '../support/schema.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const readme = read('README.md');
const readmeLinesMax = 170;
const pages = readdirSync(join(root, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const decisions = readdirSync(join(root, 'docs/decisions')).map((name) => `docs/decisions/${name}`);
const clientPages = readdirSync(join(root, 'docs/clients')).map((name) => `docs/clients/${name}`);

test('the README is short, and every npm script and file that it names is there', (t) => {
  t.true(readme.split('\n').length <= readmeLinesMax);
  const { scripts } = JSON.parse(read('package.json'));
  const named = [...readme.matchAll(/npm (?:run (?:-s )?)?(start|test|dev|reset|bench|atrium)\b/g)].map(([, script = '']) => script);
  t.true(named.length > 0);
  for (const script of named) t.true(script in scripts, script);
  for (const [, path = ''] of readme.matchAll(/\]\(([^)#:]+)\)/g)) t.notThrows(() => read(path), path);
});

test('every setting that the README lists is a row with that environment name and default', (t) => {
  const lines = [...readme.matchAll(/^\| (`[a-z]+\.[^|]*) \| ([^|]*) \| ([^|]*)\|/gm)];
  t.true(lines.length > 5);
  for (const [, names = '', envs = '', defaults = ''] of lines) {
    const [name, env, standing] = [names, envs, defaults].map((cell) =>
      cell
        .replaceAll('`', '')
        .split(',')
        .map((word) => word.trim()),
    );
    const suffix = name?.length === 1 ? [defaults.replaceAll('`', '').trim()] : standing;
    for (const [at, one] of (name ?? []).entries()) {
      const row = (settings as Readonly<Record<string, SettingRow>>)[one];
      t.is(row?.env, env?.[at], one);
      t.is(String(row?.default), suffix?.[at] ?? '', one);
    }
  }
});

test('the README speaks of the demo person that the demo has', (t) => {
  const person = /demoUid = '(\w+)'/.exec(read('src/commands/demo.ts'))?.[1] ?? '';
  t.truthy(person);
  const added = [...readme.matchAll(/"uid": "(\w+)"/g)].map(([, uid]) => uid);
  const named = new Set([...readme.matchAll(/uid=(\w+),ou=people/g)].map(([, uid]) => uid));
  t.deepEqual(
    [...named].filter((uid) => !added.includes(uid)),
    [person],
  );
  t.true(read('ldif/demo.ldif').includes(`dn: uid=${person},`));
});

test('the commands that the README names are those of the table', (t) => {
  const known = new Set(['help', ...Object.keys(commands).flatMap((name) => [name, name.split(' ')[0] ?? ''])]);
  for (const [, name = ''] of readme.matchAll(/atrium -- (\w+)/g)) t.true(known.has(name), name);
});

test('the version is M.N, package.json has it, and the changelog speaks of it', (t) => {
  const version = read('VERSION').trim();
  t.regex(version, /^\d+\.\d+$/);
  t.is(JSON.parse(read('package.json')).version, `${version}.0`);
  t.true(read('CHANGELOG.md').includes(`\n## ${version}\n`));
});

/** Numbers that are given out for decisions that are being written. */
const promised: ReadonlySet<number> = new Set([25, 27]);

test('decisions are numbered without a gap, each by its file and its title, and say what was rejected', (t) => {
  const files = readdirSync(join(root, 'docs/decisions')).sort();
  t.true(files.length > 0);
  let number = 0;
  for (const file of files) {
    do number++;
    while (promised.has(number) && !file.startsWith(`00${number}-`));
    t.regex(file, new RegExp(`^${String(number).padStart(4, '0')}-[a-z-]+\\.md$`));
    const text = read(join('docs/decisions', file));
    t.true(text.startsWith(`# ${number}. `), file);
    for (const part of ['Context', 'Decision', 'Rejected', 'Consequence']) t.true(text.includes(`\n## ${part}\n`), `${file}: ${part}`);
  }
});

test('every file that a page names by a link is there, and has the heading that the link leads to', (t) => {
  for (const page of [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'src/ARCHITECTURE.md',
    ...pages,
    ...clientPages,
    ...decisions,
  ]) {
    for (const [, path = '', anchor] of read(page).matchAll(/\]\(([^)#:]*)(?:#([^)]+))?\)/g)) {
      const target = path === '' ? page : join(dirname(page), path);
      t.notThrows(() => read(target), `${page}: ${target}`);
      if (anchor !== undefined) t.true(anchorsOf(read(target)).has(anchor), `${page}: ${target}#${anchor}`);
    }
  }
});

test('the README lists every page of docs/', (t) => {
  for (const page of pages) t.true(readme.includes(`(${page})`), page);
});

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const words = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase());
  return new Set(words.map((heading) => heading.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')));
}

test('docs/settings.md is what the rows say (node test/catalogue/settings-page.ts writes it)', (t) => {
  t.is(read('docs/settings.md'), settingsPageOf(settings));
});

test('docs/operations.md is what the rows say (node test/admin/operations-page.ts writes it), and names commands that there are', (t) => {
  t.is(read('docs/operations.md'), operationsPageOf(operations));
  const named = operations.flatMap(({ command }) => command ?? []);
  t.true(named.length > 20, String(named.length));
  const known = Object.keys(commands).map((name) => `${name} `);
  for (const command of named)
    t.true(
      known.some((name) => `${command} `.startsWith(name)),
      command,
    );
});

test('every setting that a page lists beside its environment name is a row that has it', (t) => {
  const lines = pages.flatMap((page) => [...read(page).matchAll(/^\| `([a-zA-Z.]+)` \| `([A-Z_]+)` \|/gm)]);
  t.true(lines.length > 240, String(lines.length));
  for (const [, name = '', env] of lines) t.is((settings as Readonly<Record<string, SettingRow>>)[name]?.env, env, name);
});

const guides = [...clientPages, ...pages, 'README.md', 'SECURITY.md', 'CHANGELOG.md'];

test('every error code that a page for operators names is raised by a running service', (t) => {
  const live = new Set<string>(errorRows.filter(({ state }) => state === 'live').map(({ code }) => code));
  const named = guides.flatMap((page) => [...read(page).matchAll(/STS-[A-Z]+-\d{4}/g)].map(([code]) => [page, code] as const));
  t.true(named.length > 50, String(named.length));
  for (const [page, code] of named) t.true(live.has(code), `${page}: ${code}`);
});

test('every environment name that a page for operators says is that of a setting', (t) => {
  const known = new Set(['STS_CONFIG', ...Object.values<SettingRow>(settings).map(({ env }) => env)]);
  const named = guides.flatMap((page) => [...read(page).matchAll(/\bSTS_[A-Z0-9_]+/g)].map(([env]) => [page, env] as const));
  for (const [page, env] of named) t.true(known.has(env) || known.has(env.replace(/_FILE$/, '')), `${page}: ${env}`);
});

test('every attribute and class of ours that a page for operators names is in the schema', (t) => {
  const schema = readTestSchema();
  const named = guides.flatMap((page) =>
    [...read(page).matchAll(/`(sts[A-Z]\w+|pwd[A-Z]\w+)`/g)].map(([, name = '']) => [page, name] as const),
  );
  t.true(named.length > 150, String(named.length));
  for (const [page, name] of named) t.truthy(schema.attributeType(name) ?? schema.objectClass(name), `${page}: ${name}`);
});

test('every file of ours that a page names is there', (t) => {
  const named = [...guides, 'CONTRIBUTING.md', 'src/ARCHITECTURE.md'].flatMap((page) =>
    [...read(page).matchAll(/`((?:src|test|docs|schema|ldif|bench)\/[^` *<]+)`/g)].map(([, path = '']) => [page, path] as const),
  );
  t.true(named.length > 20, String(named.length));
  for (const [page, path] of named) t.true(path.includes('NNNN') || existsSync(join(root, path)), `${page}: ${path}`);
});
