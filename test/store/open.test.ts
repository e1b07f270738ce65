import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import Database from 'better-sqlite3';
import { systemClock, utf8 } from '#base';
import { Refusal } from '#catalogue';
import { openAuditStore, openStateStore } from '#store';
import { observeLog } from '../support/observed.ts';
import { entry, folder, open, settingsWith, uuid } from './support.ts';

async function written(t: ExecutionContext): Promise<string> {
  const file = join(folder(t), 'entries');
  const { store } = open(t, file);
  await store.commit([], [{ kind: 'put', entry: entry(1, ['a'], { user: utf8('cn=one;mail=m') }) }]);
  await store.close();
  return file;
}

function refusal(t: ExecutionContext, run: () => unknown): string | undefined {
  const message = t.throws(run, { instanceOf: Refusal })?.message;
  observeLog(message ?? '');
  return message;
}

test('what was written is there after closing and opening, and no other file of SQLite', async (t) => {
  const file = await written(t);
  t.deepEqual(readdirSync(join(file, '..')), ['entries']);
  const { store } = open(t, file);
  t.is(store.snapshot().number, 1);
  t.is(store.snapshot().idsEqual('cn', utf8('one'), 10).length, 1);
  t.deepEqual(await store.commit([], [{ kind: 'put', entry: entry(2, ['b']) }]), { kind: 'committed', number: 2 });
});

test('the files are readable by their owner alone', async (t) => {
  const file = join(folder(t), 'entries');
  const { store } = open(t, file);
  await store.commit([], [{ kind: 'put', entry: entry(1, ['a']) }]);
  for (const name of [file, `${file}-wal`, `${file}-shm`]) t.is(statSync(name).mode & 0o777, 0o600, name);
});

test('indexes are made anew when the version of the indexer is another, and only then', async (t) => {
  const file = await written(t);
  let calls = 0;
  const indexer = () => {
    calls++;
    return [
      { attribute: 'town', key: utf8('x') },
      { attribute: 'town', key: utf8('x') },
    ];
  };
  const same = open(t, file, {}, { indexer }).store;
  t.is(calls, 0);
  t.is(same.snapshot().idsEqual('cn', utf8('one'), 10).length, 1);
  await same.close();

  const other = open(t, file, {}, { indexer, indexVersion: '2' }).store;
  t.deepEqual(other.snapshot().idsPrefix('cn', utf8(''), 10), []);
  t.deepEqual(other.snapshot().idsPrefix('mail', utf8(''), 10), []);
  const [id] = other.snapshot().idsEqual('town', utf8('x'), 10);
  t.is(other.snapshot().byId(id ?? 0)?.uuid, uuid(1));
  t.is(other.snapshot().byDnKey(utf8('a'))?.id, id, 'names are found as before');
  await other.close();

  calls = 0;
  open(t, file, {}, { indexer, indexVersion: '2' });
  t.is(calls, 0);
});

test('an older Atrium refuses the folder of a newer one in clear words, and changes nothing in it', async (t) => {
  const file = await written(t);
  const database = new Database(file);
  database.pragma('user_version = 99');
  database.close();
  t.is(
    refusal(t, () => open(t, file)),
    '[STS-STORE-9003] entries has format 99, written by a newer Atrium; this one reads up to 4: run that version, or restore a backup from before it',
  );
});

test('a file of another kind is refused: another database, one of ours for another purpose, no database', async (t) => {
  const path = folder(t);
  const foreign = new Database(join(path, 'foreign'));
  foreign.exec('CREATE TABLE t (a)');
  foreign.close();
  t.regex(refusal(t, () => open(t, join(path, 'foreign'))) ?? '', /^\[STS-STORE-9004\]/);

  const settings = settingsWith();
  await openAuditStore({ file: join(path, 'audit'), settings }).close();
  t.regex(
    refusal(t, () => openStateStore({ file: join(path, 'audit'), settings, clock: systemClock, epoch: 1 })) ?? '',
    /^\[STS-STORE-9004\]/,
  );

  writeFileSync(join(path, 'text'), 'This is no database, and long enough that nobody could take it for one.\n'.repeat(20));
  t.regex(refusal(t, () => open(t, join(path, 'text'))) ?? '', /^\[STS-STORE-9005\].*SQLITE_NOTADB/);
  mkdirSync(join(path, 'directory'));
  t.regex(refusal(t, () => open(t, join(path, 'directory'))) ?? '', /^\[STS-STORE-9005\]/);
  t.regex(refusal(t, () => open(t, join(path, 'nowhere', 'entries'))) ?? '', /^\[STS-STORE-9005\]/);
});
