import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { repairFolder } from '../../src/wiring/folder/upkeep.ts';
import { startTestAtrium } from '../support/atrium.ts';
import {
  contentOf,
  copy,
  damageOf,
  folder,
  importText,
  indexOf,
  optionsOf,
  people,
  person,
  read,
  root,
  suffix,
  tryText,
  unfinished,
} from './support.ts';

const bad = person('last').replace('sn: last\n', '');
const gramsOf = (dataDir: string) =>
  read(dataDir, (database) =>
    database
      .prepare('SELECT name, gram, first, hex(ids) FROM gram JOIN attribute ON attribute.number = gram.attribute ORDER BY 1, 2, 3')
      .raw()
      .all(),
  );

test('a new file has the index, the grams and the log that a repair would make, and doctor finds nothing', async (t) => {
  const dataDir = folder(t);
  const imported = await importText(dataDir, people(0, 400));
  t.like(imported, { kind: 'imported', entries: 400 });
  t.deepEqual(await damageOf(dataDir), []);
  const [index, grams] = [indexOf(dataDir), gramsOf(dataDir)];
  t.true(index.length > 400 * 10 && grams.length > 100);
  await repairFolder(optionsOf(dataDir));
  t.deepEqual(indexOf(dataDir), index);
  t.deepEqual(gramsOf(dataDir), grams);
});

test('a folder filled in two imports, the second a transaction, is found by the same as one filled at once, and keeps its log', async (t) => {
  const [one, two] = [folder(t), folder(t)];
  await importText(one, people(0, 300));
  await importText(two, people(0, 150));
  const before = read(two, (database) => database.prepare('SELECT max(number) FROM change').pluck().get());
  t.like(await importText(two, people(150, 300)), { kind: 'imported', entries: 150 });
  t.deepEqual(await damageOf(two), []);
  // The entryUUIDs differ: they are made.
  const named = (rows: unknown[]) => rows.filter((row) => !['2', '3'].includes(String((row as unknown[])[0])));
  t.deepEqual(named(indexOf(two)), named(indexOf(one)));
  const log = read(two, (database) => database.prepare('SELECT count(*), max(number), max(part) FROM change').raw().get());
  t.deepEqual(log, [151, Number(before) + 150, 0]);
});

test('a refusal in the last record leaves no folder, the frame of a realm and a full folder as they were', async (t) => {
  const none = folder(t);
  t.like(await importText(none, people(0, 50) + bad), { kind: 'refused' });
  t.false(existsSync(join(none, 'directory.sqlite')));

  const frame = folder(t);
  await importText(frame, person('first'));
  const full = copy(t, frame);
  await importText(full, people(0, 150));
  for (const dataDir of [frame, full]) {
    const before = contentOf(dataDir);
    const imported = await importText(dataDir, people(200, 250) + bad);
    t.regex(imported.kind === 'refused' ? imported.lines.join() : '', /line 351, uid=last,.*requires attribute 'sn'/);
    t.is(contentOf(dataDir), before);
    t.deepEqual(await damageOf(dataDir), []);
    t.deepEqual(unfinished(dataDir), []);
    t.like(await importText(dataDir, people(200, 250)), { kind: 'imported', entries: 50 });
  }
});

test('a name or an entryUUID that came before is refused with its line, in the same file and in the folder', async (t) => {
  const uuid = 'entryUUID: 6f0a2a2e-1c1e-4f0e-9c58-0d5e6b9b2f10\n';
  const dataDir = folder(t);
  const text = person('ann', uuid) + people(0, 5);
  for (const [again, line, why] of [
    [person('P3'), 44, /an entry of that name exists/],
    [person('bob', uuid.toUpperCase().replace('ENTRYUUID', 'entryUUID')), 44, /entryUUID: another entry has it/],
  ] as const) {
    const imported = await importText(dataDir, text + again);
    t.regex(imported.kind === 'refused' ? imported.lines.join() : '', new RegExp(`line ${line}, `));
    t.regex(imported.kind === 'refused' ? imported.lines.join() : '', why);
  }
  await importText(dataDir, text);
  for (const size of [0, 120]) {
    if (size > 0) await importText(dataDir, people(1000, 1000 + size));
    t.regex(JSON.stringify(await importText(dataDir, person('p3'))), /line 1, uid=p3,.*an entry of that name exists/);
    t.regex(JSON.stringify(await importText(dataDir, person('bob', uuid))), /line 1, uid=bob,.*another entry has it/);
  }
});

test('the newest change has the newest entryCSN, whatever entryCSNs a file brings: a new folder takes them, one with entries gives its own', async (t) => {
  const csnsOf = (dataDir: string) =>
    read(dataDir, (database) => ({
      entries: database.prepare<[], string>('SELECT csn FROM entry').pluck().all().sort(),
      changes: database.prepare<[], string>('SELECT csn FROM change ORDER BY place').pluck().all(),
    }));
  const from = (year: number) => `entryCSN: ${year}0102030405.000000Z#000000#000#000000\n`;
  const dataDir = folder(t);
  await importText(dataDir, person('old', from(2001)) + person('far', from(2041)) + person('last', from(2002)) + people(0, 150));
  const fresh = csnsOf(dataDir);
  t.regex(fresh.entries.at(-1) ?? '', /^2041/);
  t.is(fresh.changes.at(-1), fresh.entries.at(-1));
  await importText(dataDir, person('older', from(2003)) + person('farther', from(2051)) + person('latest', from(2004)));
  const { entries, changes } = csnsOf(dataDir);
  t.is(changes.at(-1), entries.at(-1));
  t.deepEqual(changes, changes.toSorted());
  t.is(entries.filter((csn) => csn.startsWith('2041')).length, 4);
  t.deepEqual(await damageOf(dataDir), []);
});

test('a superior must stand in front, in the file or in the folder, also deep down', async (t) => {
  const dataDir = folder(t);
  const unit = (...path: string[]) =>
    `dn: ${path.map((each) => `ou=${each}`).join(',')},${suffix}\nobjectClass: organizationalUnit\nou: ${path[0]}\n\n`;
  t.regex(JSON.stringify(await importText(dataDir, unit('b', 'a') + unit('a'))), /line 1, ou=b,ou=a,.*there is no entry above it/);
  const deep = unit('a') + unit('b', 'a') + unit('x') + unit('c', 'b', 'a') + unit('b', 'x') + unit('c', 'b', 'x');
  t.like(await importText(dataDir, deep), { kind: 'imported', entries: 6 });
  t.deepEqual(await damageOf(dataDir), []);
  await importText(dataDir, people(0, 150));
  t.like(await importText(dataDir, unit('d', 'c', 'b', 'x') + unit('e', 'd', 'c', 'b', 'x')), { kind: 'imported', entries: 2 });
  t.deepEqual(await damageOf(dataDir), []);
});

test('a dry run names every refusal with line, entry, attribute and rule, writes nothing, and runs beside a service', async (t) => {
  const dataDir = folder(t);
  const unit = `dn: ou=team,${suffix}\nobjectClass: organizationalUnit\nou: team\nnope: x\n\n`;
  const text = `${person('ann')}${bad}${unit}dn: uid=eve,ou=team,${suffix}\nobjectClass: inetOrgPerson\nuid: eve\ncn: e\nsn: e\n\n${person('ann')}${person('bob', 'manager: nobody\n')}${person('cid', 'userPassword: in clear\n')}`;
  const empty = await tryText(dataDir, text);
  t.like(empty.imported, { kind: 'imported', entries: 3 });
  const wanted = [
    /^line 8, uid=last,.*requires attribute 'sn'/,
    /^line 14, ou=team,.*nope: attribute type undefined/,
    /^line 25, uid=ann,.*exists/,
    /^line 32, uid=bob,.*manager: value #0 invalid/,
  ];
  t.is(empty.refused.length, wanted.length, empty.refused.join('\n'));
  for (const [at, pattern] of wanted.entries()) t.regex(empty.refused[at] ?? '', pattern);
  t.false(existsSync(join(dataDir, 'directory.sqlite')));

  await using atrium = await startTestAtrium({ dataDir });
  t.truthy(atrium.addresses.ldap);
  const beside = await tryText(dataDir, text + person('admin'));
  t.is(beside.refused.length, wanted.length + 1);
  t.regex(beside.refused.at(-1) ?? '', /^line 48, uid=admin,.*an entry of that name exists/);
});

test('an import while persistence.mode is memory is refused: no folder would keep it', async (t) => {
  const { importFolder } = await import('../../src/wiring/folder/bulk.ts');
  const options = optionsOf(folder(t));
  const given = { records: (async function* () {})(), onProgress: () => undefined };
  const imported = await importFolder({ ...options, root, environment: { ...options.environment, STS_PERSISTENCE_MODE: 'memory' } }, given);
  t.regex(JSON.stringify(imported), /persistence\.mode is memory/);
});
