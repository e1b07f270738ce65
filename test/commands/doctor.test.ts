import { closeSync, cpSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import Database from 'better-sqlite3';
import { utf8 } from '#base';
import { decodeAttributes, encodeAttributes } from '#ldap';
import type { Damage } from '#store';
import { examineFolder } from '../../src/wiring/folder/upkeep.ts';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { type Ended, runCli, spawnCli, startCli } from '../support/cli.ts';
import { openLane } from '../torture/lane.ts';

const root = dirname(dirname(import.meta.dirname));
const suffix = 'dc=example,dc=com';
const base = mkdtempSync(join(tmpdir(), 'atrium-doctor-'));
const sound = join(base, 'sound');

/** As other systems keep passwords. */
const hashes: Readonly<Record<string, string>> = {
  bob: 'userPassword: {smd5}Ri0Tbs3hHbfI3M7hZZuJGzEyMzQ=\n',
  cid: `userPassword: {CRYPT}$6$salt$${'.'.repeat(86)}\n`,
};

/** A folder with a few commits, and a group whose members lie outside of it, from which each test takes a copy. */
test.before(async (t) => {
  // Through the service, so that each is in the change log.
  const service = await startTestAtrium({ dataDir: sound });
  const port = Number(new URL(service.addresses.ldap ?? '').port);
  for (const uid of ['ann', 'bob', 'cid']) {
    const person = `dn: uid=${uid},ou=people,${suffix}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: ${uid}\nmail: ${uid}@example.com\n${hashes[uid] ?? ''}\n`;
    const { status, stderr } = await runCli(['import', '-'], testEnvironment(sound), person);
    t.is(status, 0, stderr);
  }
  const lane = await openLane(port, `uid=admin,ou=people,${suffix}`, testEnvironment('').STS_ADMIN_BOOTSTRAP_PASSWORD ?? '');
  const values = (description: string, ...texts: string[]) => ({ description, values: texts.map(utf8) });
  const entry = `cn=many,ou=groups,${suffix}`;
  const members = values('member', ...Array.from({ length: 300 }, (_, at) => `uid=m${at},ou=people,${suffix}`));
  const added = await lane.send({
    kind: 'addRequest',
    entry,
    attributes: [values('objectClass', 'groupOfNames'), values('cn', 'many'), members],
  }).answer;
  t.is(added?.code, 0, added?.diagnostic);
  const changes = [{ operation: 'add', attribute: values('member', `uid=extra,ou=people,${suffix}`) }] as const;
  t.is((await lane.send({ kind: 'modifyRequest', object: entry, changes }).answer)?.code, 0);
  lane.close();
  await service.stop();
  // So that no gram is pending, which is a matter of how long each import took.
  const { status, stderr } = await runCli(['doctor', '--repair'], testEnvironment(sound));
  t.is(status, 0, stderr);
});
test.after.always(() => rmSync(base, { recursive: true, force: true }));

function copy(t: ExecutionContext): string {
  const folder = mkdtempSync(join(base, 'copy-'));
  cpSync(sound, folder, { recursive: true });
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Does something to the file of entries behind Atrium's back. */
function plant(folder: string, act: (database: Database.Database) => void): void {
  const database = new Database(join(folder, 'directory.sqlite'));
  act(database);
  database.close();
}

interface Report {
  readonly sound: boolean;
  readonly damage: Readonly<Record<string, number>>;
  readonly told: readonly { readonly kind: string; readonly what: string }[];
}

async function examine(folder: string): Promise<Ended & { readonly report: Report }> {
  const ended = await runCli(['doctor', '--json'], testEnvironment(folder));
  return { ...ended, report: JSON.parse(ended.stdout) as Report };
}

const rowOf = (uid: string) => `(SELECT id FROM entry WHERE dn LIKE 'uid=${uid},%')`;
const many = "(SELECT id FROM entry WHERE dn LIKE 'cn=many,%')";
const uuidOfMany = "(SELECT uuid FROM change WHERE kind = 'amend')";
const sinceMany = `number >= (SELECT min(number) FROM change WHERE uuid = ${uuidOfMany})`;
const firstSlice = '(SELECT min(id) FROM slice)';
const numberOf = (name: string) => `(SELECT number FROM attribute WHERE name = '${name}')`;

/** The kinds of damage, how each is planted, what alone is told of it, and in which words. */
const plants: readonly (readonly [
  damage: string,
  act: (database: Database.Database) => void,
  count: Readonly<Record<string, number>>,
  words: RegExp,
])[] = [
  [
    'a missing index row of an attribute',
    (database) => database.exec(`DELETE FROM found WHERE attribute = ${numberOf('mail')} AND id = ${rowOf('bob')}`),
    { index: 1 },
    /uid=bob,.*not found by mail/,
  ],
  [
    'a missing index row of the tree',
    (database) => database.exec(`DELETE FROM found WHERE attribute = 2 AND id = ${rowOf('bob')}`),
    { index: 1 },
    /uid=bob,.*not found by superior/,
  ],
  [
    'an extra index row that leads to an entry without the value',
    (database) => database.exec(`INSERT INTO found (attribute, key, id) VALUES (${numberOf('uid')}, CAST('eve' AS BLOB), ${rowOf('ann')})`),
    { index: 1 },
    /index row of uid leads to uid=ann,.*no such value/,
  ],
  [
    'an extra index row that leads nowhere',
    (database) => database.exec(`INSERT INTO found (attribute, key, id) VALUES (${numberOf('uid')}, CAST('eve' AS BLOB), 4711)`),
    { index: 1 },
    /index row of uid leads to an entry that is not there/,
  ],
  [
    'lists of grams that are gone',
    (database) => database.exec(`DELETE FROM gram WHERE attribute = ${numberOf('mail')}`),
    { index: 3 },
    /uid=bob,.*not found by what stands inside mail/,
  ],
  [
    'a list of grams that leads to an entry without the value',
    (database) => database.exec(`INSERT INTO gram VALUES (${numberOf('mail')}, 0x7a7a7a7a, ${rowOf('ann')}, x'')`),
    { index: 1 },
    /grams of mail lead to uid=ann,.*no such value/,
  ],
  [
    'a pending key that no entry has',
    (database) => {
      const moved = `unhex('00000000' || printf('%02x000000', ${numberOf('mail')}) || '04000000' || '7a7a7a7a')`;
      database.exec(`INSERT INTO gram_pending (place, id, moved) VALUES (4711 << 20, ${rowOf('ann')}, ${moved})`);
    },
    { index: 1 },
    /grams of mail lead to uid=ann,.*no such value/,
  ],
  [
    'an entry whose superior is gone',
    (database) => {
      const gone = database
        .prepare<[string], { id: number; uuid: string }>('SELECT id, uuid FROM entry WHERE dn = ?')
        .get(`ou=people,${suffix}`);
      database.prepare('DELETE FROM found WHERE id = ?').run(gone?.id);
      database.prepare('DELETE FROM entry WHERE id = ?').run(gone?.id);
      database
        .prepare('DELETE FROM change WHERE uuid = ? AND part = (SELECT max(part) FROM change c WHERE c.number = change.number)')
        .run(gone?.uuid);
    },
    { tree: 4, index: 1, log: 1 },
    /uid=ann,.*its superior is not there/,
  ],
  [
    'an entry that stands below another than its name says',
    (database) => database.exec(`UPDATE entry SET dn = 'uid=eve,ou=people,${suffix}' WHERE id = ${rowOf('ann')}`),
    { tree: 1, schema: 1, log: 1 },
    /uid=eve,.*the key of its name is another/,
  ],
  [
    'an entry that breaks the schema',
    (database) => rewrite(database, (attributes) => attributes.filter(({ description }) => description !== 'sn')),
    { schema: 1, log: 1 },
    /uid=cid,.*sn/,
  ],
  [
    'a secret that stands where searches read',
    (database) => rewrite(database, (attributes) => [...attributes, { description: 'userPassword', values: [utf8('x')] }], 'ann'),
    { schema: 1, log: 1 },
    /uid=ann,.*userPassword.*does not belong/,
  ],
  [
    'an entry that cannot be decoded',
    (database) => database.exec(`UPDATE entry SET user = x'30ff0102' WHERE id = ${rowOf('cid')}`),
    { schema: 1, log: 1 },
    /uid=cid,.*cannot be decoded/,
  ],
  [
    'an entryUUID that is not the one the entry is kept under',
    (database) =>
      database.exec(`UPDATE entry SET operational = (SELECT operational FROM entry WHERE id = ${rowOf('bob')}) WHERE id = ${rowOf('ann')}`),
    { identity: 2, log: 1 },
    /uid=ann,.*its entryUUID is/,
  ],
  ['a gap in the change log', (database) => database.exec('DELETE FROM change WHERE number = 3'), { log: 1 }, /gap: change 3 is missing/],
  [
    'a change of which the log has only a part',
    (database) => database.exec('DELETE FROM change WHERE number = 1 AND part = 2'),
    { log: 1 },
    /only \d+ of \d+ parts of change 1/,
  ],
  [
    'an entry that is otherwise than the log wrote it',
    (database) => database.exec(`UPDATE change SET csn = 'x' WHERE uuid = (SELECT uuid FROM entry WHERE id = ${rowOf('bob')})`),
    { log: 2 },
    /otherwise than it is there/,
  ],
  [
    'a missing index row of a value that lies outside of its entry',
    (database) => database.exec('DELETE FROM found WHERE place = 3'),
    { index: 1 },
    /cn=many,.*not found by member/,
  ],
  [
    'an index row that leads to another value than its own',
    (database) => database.exec('UPDATE found SET place = 4 WHERE place = 3'),
    { index: 2 },
    /cn=many,.*another place than its value has/,
  ],
  [
    'a slice of values that is gone',
    (database) => database.exec(`DELETE FROM slice WHERE id = ${firstSlice}`),
    { value: 1, index: 64 },
    /cn=many,.*it has 237 values of member.* it has 301/,
  ],
  [
    'a slice of values that cannot be read',
    (database) => database.exec(`UPDATE slice SET octets = substr(octets, 1, 100) WHERE id = ${firstSlice}`),
    { value: 2, schema: 1, index: 64, log: 1 },
    /cn=many,.*its values of member cannot be read/,
  ],
  [
    'values that belong to no entry',
    (database) => database.exec("INSERT INTO slice VALUES (999 * 268435456, x'', x'')"),
    { value: 1 },
    /values of list 999 are there, and no entry names it/,
  ],
  [
    'an entry that says of its large attributes what cannot be read',
    (database) => database.exec(`UPDATE entry SET large = '[' WHERE id = ${many}`),
    { value: 2, schema: 1, index: 301, log: 1 },
    /cn=many,.*what it says of its large attributes cannot be read/,
  ],
  [
    'values of a change in the log that cannot be read',
    (database) => database.exec("UPDATE change SET lists = x'ffffffff' WHERE kind = 'amend'"),
    { log: 2 },
    /otherwise than it is there/,
  ],
  [
    'a large attribute whose next value would go where others lie',
    (database) => database.exec(`UPDATE entry SET large = json_set(large, '$[0][5]', 0) WHERE id = ${many}`),
    { value: 1 },
    /cn=many,.*the next value of member would be written over others/,
  ],
  ['a change log that is lost', (database) => database.exec('DELETE FROM change'), { log: 1 }, /the change log is empty/],
  [
    'a change of a kind that there is not',
    (database) => database.exec("UPDATE change SET kind = 'x' WHERE place = (SELECT min(place) FROM change)"),
    { log: 1 },
    /change 1 is of a kind that is not known/,
  ],
  ...(
    [
      ["user = x'30ff0102'", 1, /its attributes cannot be decoded/],
      ["user = 'text'", 1, /what it wrote is no entry/],
      ["user = x''", 1, /it has no object class/],
      ["csn = 'x'", 1, /its entryCSN is none/],
      ["operational = (SELECT operational FROM change WHERE kind = 'amend')", 1, /its entryCSN is/],
      ['dn = NULL', 2, /what it wrote is no entry/],
      ["lists = x'ff'", 1, /what it says of large attributes/],
      ["uuid = 'x'", 2, /names no entry/],
      ["kind = 'x'", 1, /of a kind that is not known/],
      ["dn = 'cn=other,' || dn", 1, /made of another state than the change before it left/],
    ] as const
  ).map(
    ([garbage, count, words]) =>
      [
        `a change that is not an entry’s newest with ${garbage}`,
        (database: Database.Database) => database.exec(`UPDATE change SET ${garbage} WHERE kind = 'put' AND uuid = ${uuidOfMany}`),
        { log: count },
        words,
      ] as const,
  ),
  [
    'a change log that has lost its end, of entries of which it has nothing else',
    (database) => database.exec(`DELETE FROM change WHERE ${sinceMany}`),
    { log: 1 },
    /lost its newest changes: it ends with \d+, and the service had written \d+$/,
  ],
  [
    'the same in a folder of a service that was killed',
    (database) => database.exec(`DELETE FROM fact WHERE name = 'newestNumber'; DELETE FROM change WHERE ${sinceMany}`),
    { log: 1 },
    /lost its newest changes: it ends with \d+, and cn=many,.* has the entryCSN of a later one$/,
  ],
  [
    'a deletion that the end of the change log has lost',
    (database) => database.exec("UPDATE fact SET value = value + 1 WHERE name = 'newestNumber'"),
    { log: 1 },
    /lost its newest changes/,
  ],
  ['an epoch that is lost', (database) => database.exec("DELETE FROM fact WHERE name = 'epoch'"), { log: 1 }, /the epoch cannot be read/],
  [
    'an epoch that is no number',
    (database) => database.exec("UPDATE fact SET value = 'x' WHERE name = 'epoch'"),
    { log: 1 },
    /the epoch cannot be read/,
  ],
  [
    'a table that is lost',
    (database) => database.exec('DROP TABLE gram_pending'),
    { page: 1 },
    /^directory\.sqlite: the table gram_pending is missing$/,
  ],
  [
    'a column that is lost',
    (database) => database.exec('ALTER TABLE slice DROP COLUMN heads'),
    { page: 1 },
    /^directory\.sqlite: the column heads of the table slice is missing$/,
  ],
];

type Attributes = ReturnType<typeof decodeAttributes>;

/** Writes other user attributes into an entry. */
function rewrite(database: Database.Database, change: (attributes: Attributes) => Attributes, uid = 'cid'): void {
  const entry = database.prepare<[], { id: number; user: Uint8Array }>(`SELECT id, user FROM entry WHERE id = ${rowOf(uid)}`).get();
  if (entry === undefined) throw new Error('the entry is not there');
  database.prepare('UPDATE entry SET user = ? WHERE id = ?').run(encodeAttributes(change(decodeAttributes(entry.user))), entry.id);
  if (change(decodeAttributes(entry.user)).every(({ description }) => description !== 'sn')) {
    database.exec(`DELETE FROM found WHERE attribute = ${numberOf('sn')} AND id = ${entry.id}`);
  }
}

for (const [damage, act, count, words] of plants) {
  test(`doctor finds ${damage}, and that alone`, async (t) => {
    const folder = copy(t);
    plant(folder, act);
    const told: Damage[] = [];
    const environment = testEnvironment(folder);
    const examined = await examineFolder({ root, environment }, { tell: (each) => told.push(each), onProgress: () => undefined });
    t.is(examined.kind, 'examined');
    t.deepEqual(
      Object.fromEntries(
        Map.groupBy(told, ({ kind }) => kind)
          .entries()
          .map(([kind, all]) => [kind, all.length]),
      ),
      count,
      JSON.stringify(told),
    );
    t.true(
      told.some(({ what }) => words.test(what)),
      JSON.stringify(told),
    );
  });
}

test('doctor finds a page that was overwritten, by the check of SQLite, and what can be read is examined all the same', async (t) => {
  const folder = copy(t);
  let page = 0;
  plant(folder, (database) => {
    page = database.prepare<[], number>("SELECT rootpage FROM sqlite_schema WHERE name = 'change'").pluck().get() ?? 0;
  });
  const file = openSync(join(folder, 'directory.sqlite'), 'r+');
  writeSync(file, Buffer.alloc(8192, 0xa5), 0, 8192, (page - 1) * 8192);
  closeSync(file);
  const { status, stdout } = await runCli(['doctor'], testEnvironment(folder));
  t.is(status, 1);
  t.regex(stdout, /Damage in the pages of a file/);
  t.regex(stdout, /SQLite could not read on: SQLITE_CORRUPT/);
  t.regex(stdout, /^22 entries/);
});

test('doctor looks at the files beside the entries, too, and at one that is no database any more', async (t) => {
  const folder = copy(t);
  const file = openSync(join(folder, 'audit.sqlite'), 'r+');
  writeSync(file, Buffer.alloc(16_384, 0xa5), 0, 16_384, 8192);
  closeSync(file);
  const audit = await examine(folder);
  t.is(audit.status, 1);
  t.true(audit.report.told.every(({ kind, what }) => kind === 'page' && !what.includes('directory.sqlite')));

  const other = openSync(join(folder, 'directory.sqlite'), 'r+');
  writeSync(other, 'This is no database.', 0);
  closeSync(other);
  const entries = await examine(folder);
  t.is(entries.status, 1);
  t.true(entries.report.told.some(({ what }) => /directory\.sqlite.*SQLITE_NOTADB/.test(what)));
});

test('what cannot be opened for want of room or rights is no damage: doctor says with status 4 that it could not look, and advises no restore', async (t) => {
  for (const file of ['directory', 'audit']) {
    const folder = copy(t);
    // Nobody, root included, opens a folder as a log. That of a stopped service is empty, if it is there.
    for (const end of ['shm', 'wal']) rmSync(join(folder, `${file}.sqlite-${end}`), { force: true });
    mkdirSync(join(folder, `${file}.sqlite-wal`));
    const { status, stdout, stderr } = await runCli(['doctor'], testEnvironment(folder));
    t.deepEqual([status, stdout], [4, ''], file);
    t.regex(
      stderr,
      new RegExp(
        `^atrium: \\[STS-STORE-9005\\] ${file}\\.sqlite cannot be opened: it, or a log beside it, can be .*: look at the rights .* \\(SQLITE_CANTOPEN\\); it takes`,
      ),
    );
  }
});

test('a sound folder is told sound with status 0, and nothing in its files is changed', async (t) => {
  const folder = copy(t);
  const before = readFileSync(join(folder, 'directory.sqlite'));
  const { status, stdout, stderr } = await runCli(['doctor'], testEnvironment(folder));
  t.is(status, 0, stdout);
  const [entries = '', passwords, advice, ...rest] = stdout.split('\n');
  t.regex(entries, /^22 entries, \d+ index rows, \d+ changes in the log\.$/);
  t.is(passwords, 'Passwords: 1 {SCRYPT}, 1 {SMD5}, 1 {CRYPT}$6$.');
  t.regex(advice ?? '', /^\{MD5\} and \{SMD5\} are found out by whoever reads this folder/);
  t.deepEqual(rest, ['All is sound.', '']);
  const told = JSON.parse((await runCli(['doctor', '--json'], testEnvironment(folder))).stdout);
  t.deepEqual(told.passwords, { '{SCRYPT}': 1, '{SMD5}': 1, '{CRYPT}$6$': 1 });
  t.is(stderr, '');
  t.true(readFileSync(join(folder, 'directory.sqlite')).equals(before));
});

test('doctor --repair makes the indexes of a stopped folder anew, the tree among them, and searches find everything again', async (t) => {
  const folder = copy(t);
  plant(folder, (database) => database.exec("DELETE FROM found; INSERT INTO found (attribute, key, id) VALUES (3, CAST('x' AS BLOB), 9)"));
  t.is((await examine(folder)).status, 1);
  const repaired = await runCli(['doctor', '--repair'], testEnvironment(folder));
  t.is(repaired.status, 0, repaired.stdout);
  t.regex(repaired.stdout, /All is sound/);
  await using _service = await startTestAtrium({ dataDir: folder });
  const { stdout } = await runCli(['search', 'mail=bob@example.com', 'uid'], testEnvironment(folder));
  t.regex(stdout, /^uid: bob$/m);
});

test('doctor --repair gives what can be read its index again where other values cannot', async (t) => {
  const folder = copy(t);
  plant(folder, (database) =>
    database.exec(`UPDATE entry SET large = 'x' WHERE id = ${many}; DELETE FROM found WHERE attribute = ${numberOf('mail')}`),
  );
  const { status, stdout, stderr } = await runCli(['doctor', '--repair'], testEnvironment(folder));
  t.is(status, 1, stderr);
  t.false(/Damage in the index/.test(stdout), stdout);
  t.regex(stdout, /cn=many,.*cannot be read/);
});

test('damage beyond the indexes stays after a repair, and is told', async (t) => {
  const folder = copy(t);
  plant(folder, (database) =>
    database.exec(`UPDATE entry SET user = x'30ff0102' WHERE id = ${rowOf('cid')}; DELETE FROM found WHERE attribute > 3`),
  );
  const { status, stdout } = await runCli(['doctor', '--repair'], testEnvironment(folder));
  t.is(status, 1);
  t.false(/Damage in the index/.test(stdout), stdout);
  t.regex(stdout, /cannot be decoded/);
});

test('beside a running service that writes, doctor reads one moment of it and finds it sound; --repair is refused with who has the folder', async (t) => {
  const folder = copy(t);
  const environment = testEnvironment(folder);
  const service = startCli(['serve'], environment);
  t.teardown(() => service.child.kill('SIGKILL'));
  await service.until('ready ');
  const person = (number: number) =>
    `dn: uid=p${number},ou=people,${suffix}\nobjectClass: inetOrgPerson\nuid: p${number}\ncn: p\nsn: p\nmail: p${number}@example.com\n\n`;
  const writing = spawnCli(['import', '-'], environment, Array.from({ length: 600 }, (_, number) => person(number)).join(''));
  let over = false;
  void writing.then(() => {
    over = true;
  });
  const counts: number[] = [];
  do {
    const { status, stdout } = await runCli(['doctor'], environment);
    t.is(status, 0, stdout);
    counts.push(Number(/^([\d,]+) entries/.exec(stdout)?.[1]?.replace(',', '')));
  } while (!over);
  t.is((await writing).status, 0);
  // Those that were there before, and the task of the import.
  t.true(
    counts.every((count) => count >= 14 && count <= 700),
    counts.join(),
  );
  const repair = await runCli(['doctor', '--repair'], environment);
  t.is(repair.status, 4);
  t.regex(repair.stderr, new RegExp(`\\[STS-STORE-9002\\].*${service.child.pid}`));
});

test('where there is no directory doctor says so with status 4, and makes none', async (t) => {
  const folder = join(base, 'nowhere');
  for (const args of [['doctor'], ['doctor', '--repair']]) {
    const { status, stderr } = await runCli(args, testEnvironment(folder));
    t.deepEqual([status, stderr], [4, 'atrium: there is no directory in this folder\n']);
  }
  t.throws(() => readFileSync(folder), { code: 'ENOENT' });
});

test('what keeps mail from being sent is said in words, and is no damage; a realm without a mail server has nothing to say', async (t) => {
  const doctor = async (settings: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    await runCli(['doctor', ...args], { ...testEnvironment(sound), ...settings });
  const faults = async (settings: Readonly<Record<string, string>>) => {
    const { status, stdout } = await doctor(settings, '--json');
    t.is(status, 0);
    return (JSON.parse(stdout) as { mailFaults: readonly string[] }).mailFaults;
  };
  const server = { STS_MAIL_SMTP_HOST: 'mail.example.com' };
  t.deepEqual(await faults({ STS_MAIL_SMTP_CA_FILE: join(base, 'none.pem') }), []);
  t.deepEqual(await faults(server), []);
  t.deepEqual(await faults({ ...server, STS_MAIL_SMTP_USER: 'atrium', STS_MAIL_SMTP_TLS: 'none' }), [
    'Mail of the realm default: mail.smtpUser is set and there is no password of it (mail.smtpPassword).',
    'Mail of the realm default: mail.smtpUser is set and never told: without TLS (mail.smtpTls none) no password is sent.',
  ]);
  const { status, stdout } = await doctor({ ...server, STS_MAIL_SMTP_CA_FILE: join(base, 'none.pem') });
  t.is(status, 0);
  t.regex(stdout, /^Mail of the realm default: a mail was not handed over: mail\.smtpCaFile cannot be read .*: .*\.\nAll is sound\.$/m);
});

test('mail settings that stand in cn=settings are looked at, and the environment is in force before them', async (t) => {
  const environment = testEnvironment(copy(t));
  const stored = ['smtpHost=mail.example.com', 'smtpUser=atrium', 'smtpTls=none'].map((each) => `stsSetting: mail.${each}\n`).join('');
  const entry = `dn: cn=settings,${suffix}\nobjectClass: stsServiceSettings\ncn: settings\n${stored}`;
  const imported = await runCli(['import', '-'], environment, entry);
  t.is(imported.status, 0, imported.stderr);
  const faults = async (more: Readonly<Record<string, string>>) =>
    (JSON.parse((await runCli(['doctor', '--json'], { ...environment, ...more })).stdout) as { mailFaults: readonly string[] }).mailFaults;
  t.is((await faults({})).length, 2);
  t.is((await faults({ STS_MAIL_SMTP_TLS: 'implicit' })).length, 1);
});

test('doctor finds entries of settings and realms that cannot be decoded, as any other', async (t) => {
  const folder = copy(t);
  const settings = `dn: cn=settings,${suffix}\nobjectClass: stsServiceSettings\ncn: settings\nstsSetting: mail.smtpHost=mail.example.com\n`;
  const realm = `dn: cn=acme,ou=realms,${suffix}\nobjectClass: stsRealmEntry\ncn: acme\nstsRealmId: acme\n`;
  const imported = await runCli(['import', '-'], testEnvironment(folder), `${settings}\n${realm}`);
  t.is(imported.status, 0, imported.stderr);
  plant(folder, (database) => database.exec("UPDATE entry SET user = x'30ff0102' WHERE dn LIKE 'cn=settings,%' OR dn LIKE 'cn=acme,%'"));
  const told: Damage[] = [];
  const environment = testEnvironment(folder);
  const examined = await examineFolder({ root, environment }, { tell: (each) => told.push(each), onProgress: () => undefined });
  t.is(examined.kind, 'examined');
  for (const name of ['cn=settings', 'cn=acme,ou=realms'])
    t.true(
      told.some(({ what }) => what.startsWith(name) && what.includes('cannot be decoded')),
      name,
    );
});
