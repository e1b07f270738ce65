import { cpSync, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import Database from 'better-sqlite3';
import { startTestAtrium } from '../support/atrium.ts';
import { folder, open } from './support.ts';

interface Fixture {
  readonly format: number;
  readonly path: string;
  /** A moment at which its session is good. */
  readonly goodAtMs: number;
  readonly cookie: string;
}

const fixtures: readonly Fixture[] = [
  { format: 1, goodAtMs: Date.UTC(2026, 10, 21, 3, 45), cookie: 'XaMgvTYPlYcVzkRT9ao_mQ.hJ0Vy6N42oahpfE2tEOcCTavbxuQbNb70Z4BeX9dbgA' },
  { format: 2, goodAtMs: Date.UTC(2026, 10, 21, 14, 35), cookie: 'hf9VjbWVHDBj_w15faRnwg.8eocbqPVmHMThX5eEkHZ7ivPw_FtpwBBYxOxJLDiERg' },
  { format: 3, goodAtMs: Date.UTC(2026, 10, 21, 19, 35), cookie: '8PVCIVT09_9rgTYFeTdQLQ.bSNsYIw7JypxdONJz-0vqhvfXcryMLJ3P6A_7RqI3Kc' },
].map((each) => ({ ...each, path: join(import.meta.dirname, '..', 'fixtures', `folder-format-${each.format}`) }));

const fixture = fixtures[0]?.path ?? '';
/** The formats of today's files. */
const formats = { directory: 4, state: 2 } as const;

function old(t: ExecutionContext, from = fixture): string {
  const path = folder(t);
  cpSync(from, path, { recursive: true });
  return path;
}

function read<Row>(file: string, query: string): Row[] {
  const database = new Database(file, { readonly: true });
  try {
    return database.prepare<[], Row>(query).all();
  } finally {
    database.close();
  }
}

for (const { format, path, goodAtMs, cookie } of fixtures) {
  test(`a folder of format ${format} opens: people sign in and sessions go on, and the file as it was stands beside the new one`, async (t) => {
    const dataDir = old(t, path);
    await using atrium = await startTestAtrium({ dataDir, clock: { nowMs: () => goodAtMs } });
    const page = await fetch(`${atrium.addresses.http}/portal`, { headers: { cookie: `sts_session=${cookie}` }, redirect: 'manual' });
    t.is(page.status, 200);
    t.regex(await page.text(), /ann@example\.org/);
    await atrium.stop();
    for (const [name, today] of Object.entries(formats)) {
      t.deepEqual(read(join(dataDir, `${name}.sqlite`), 'PRAGMA user_version'), [{ user_version: today }]);
      const kept = join(dataDir, `${name}.sqlite.format-${format}`);
      t.is(existsSync(kept), format < today);
      if (format >= today) continue;
      t.is(statSync(kept).mode & 0o777, 0o600);
      t.deepEqual(read(kept, 'PRAGMA user_version'), [{ user_version: format }]);
    }
    const entries = 'SELECT * FROM entry ORDER BY id';
    t.deepEqual(read(join(dataDir, `directory.sqlite.format-${format}`), entries), read(join(path, 'directory.sqlite'), entries));
  });
}

test('format 2: the epoch begins at 1, and each change of the log has the name that its entry had before', async (t) => {
  const path = old(t);
  const { store } = open(t, join(path, 'directory.sqlite'));
  t.is(store.epoch, 1);
  await store.close();
  const people = (name: string | null) => name && `uid=${name},ou=people,dc=example,dc=com`;
  t.deepEqual(
    read(join(path, 'directory.sqlite'), 'SELECT kind, dn, former FROM change WHERE number > 1 ORDER BY number, part'),
    [
      ['put', 'ann', null],
      ['put', 'bob', null],
      ['put', 'cid', null],
      ['put', 'ann', 'ann'],
      ['put', 'ann', 'ann'],
      ['put', 'rob', 'bob'],
      ['delete', null, 'cid'],
    ].map(([kind, dn = null, former = null]) => ({ kind, dn: people(dn), former: people(former) })),
  );
});

test('format 2 of a log that has forgotten its beginning: an entry that was there keeps its name', async (t) => {
  const path = old(t);
  const file = join(path, 'directory.sqlite');
  const database = new Database(file);
  database.exec('DELETE FROM change WHERE number < 3');
  database.close();
  await open(t, file).store.close();
  t.deepEqual(
    read<{ former: string | null }>(file, 'SELECT former FROM change ORDER BY number, part').map(
      ({ former }) => former?.slice(4, 7) ?? null,
    ),
    ['ann', 'ann', 'rob', null],
  );
});

test('format 4: each row of the log and each that is pending keeps its number, its part and all it says', async (t) => {
  const path = old(t, fixtures[2]?.path);
  const file = join(path, 'directory.sqlite');
  const database = new Database(file);
  // Beyond 32 bits, as the log of a busy directory comes to be; and no reason to make the indexes anew.
  database.exec("UPDATE fact SET value = '1' WHERE name = 'indexVersion'");
  database.exec(`UPDATE change SET number = number + 5000000000; INSERT INTO gram_pending VALUES (5000000003, 7, 2, x'00000000')`);
  database.close();
  const log =
    'SELECT number, part, uuid, csn, kind, parent, dn, dn_key, user, operational, secret, former, lists FROM change ORDER BY number, part';
  const pending = 'SELECT number, part, id, moved FROM gram_pending';
  const before = [read(file, log), read(file, pending)];
  const { store } = open(t, file);
  t.is(store.snapshot().number, 5_000_000_010);
  t.deepEqual(
    store.changes(5_000_000_007, 10).map(({ number }) => number),
    [5_000_000_008, 5_000_000_009, 5_000_000_010],
  );
  await store.close();
  t.deepEqual([read(file, log), read(file, pending)], before);
  t.is(before[0]?.length, 18);
});

test('a migration is one transaction: one that fails leaves the file at its format, and the next start does it', async (t) => {
  const path = old(t);
  const file = join(path, 'directory.sqlite');
  const database = new Database(file);
  database.exec("CREATE TRIGGER refuse BEFORE UPDATE ON change BEGIN SELECT raise(ABORT, 'no'); END");
  database.close();
  t.throws(() => open(t, file));
  t.deepEqual(read(file, 'PRAGMA user_version'), [{ user_version: 1 }]);
  t.deepEqual(read(file, "SELECT value FROM fact WHERE name = 'epoch'"), []);
  const mended = new Database(file);
  mended.exec('DROP TRIGGER refuse');
  mended.close();
  t.is(open(t, file).store.epoch, 1);
  t.deepEqual(
    readdirSync(path).filter((name) => name.includes('.new-') || name.includes('format')),
    ['directory.sqlite.format-1', 'directory.sqlite.format-1.2'],
    'no copy is ever written over',
  );
});
