import { join } from 'node:path';
import test from 'ava';
import Database from 'better-sqlite3';
import { text, utf8 } from '#base';
import { entryAt } from '#store';
import { dnKey, entry, folder, open } from './support.ts';

const top = ['dc=com'];

test('one entry of a file that nobody has open is found by the index of names: of the others none is read, however many they are', async (t) => {
  const file = join(folder(t), 'entries');
  const { store } = open(t, file);
  const put = (number: number) =>
    ({ kind: 'put', entry: { ...entry(number, [...top, `cn=${number}`]), operational: utf8(`${number}`) } }) as const;
  await store.commit([], [1, 2, 3].map(put));
  await store.close();
  const database = new Database(file);
  // What reads all entries to find a name would find none now.
  database.exec("UPDATE entry SET dn_key = x'00' || id");
  database.close();
  t.is(text(entryAt(file, dnKey(...top, 'cn=2'))?.operational ?? utf8('')), '2');
  t.is(entryAt(file, dnKey(...top, 'cn=4')), undefined);
  t.is(entryAt(`${file}-absent`, dnKey(...top)), undefined);
});
