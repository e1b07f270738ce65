import { join } from 'node:path';
import test from 'ava';
import Database from 'better-sqlite3';
import { keysBelow } from '#schema';
import { attributeNumbers } from '../../src/store/attributes.ts';
import { keptOf } from '../../src/store/kept.ts';
import { Reader } from '../../src/store/reader.ts';
import { entry, folder, open, settingsWith, uuid } from './support.ts';

test('a transaction that SQLite rolled back under a reader is not read in, and not handed over to be written in', async (t) => {
  const file = join(folder(t), 'entries');
  const { store } = open(t, file);
  await store.commit([], [{ kind: 'put', entry: entry(1, ['dc=com']) }]);
  const database = new Database(file);
  t.teardown(() => database.close());
  const reader = new Reader({
    database,
    attributes: attributeNumbers(database),
    keysBelow,
    ...keptOf(settingsWith()),
    readWhole: () => undefined,
    generation: () => 0,
    governing: () => 0,
  });
  // What SQLite does by itself when the disk does not give a page (SQLITE_IOERR).
  const lose = () => database.exec('ROLLBACK');

  const lost = reader.snapshot();
  lose();
  t.is(reader.snapshot().byUuid(uuid(1))?.uuid, uuid(1));
  t.true(database.inTransaction);
  t.throws(() => lost.byUuid(uuid(1)), { message: /beyond its turn/ });

  lose();
  t.false(reader.handOver());
  reader.snapshot();
  lose();
  t.notThrows(() => reader.release());

  reader.snapshot();
  t.true(reader.handOver());
  database.exec('COMMIT');
});
