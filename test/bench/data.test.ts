import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { type LdifContent, readLdif } from '#ldap';
import { writePeople } from '../../bench/data.ts';

const limits = { lineOctetsMax: 1 << 20, recordOctetsMax: 1 << 24, valuesMax: 100_000 };

test('everybody has what rows write: one that only some had would tell how often each server wrote it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-test-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'people.ldif');
  const count = 200;
  const world = await writePeople({ count, suffix: 'dc=example,dc=com', password: 'x', files: [{ file, storedPassword: '{SCRYPT}x' }] });
  const records: LdifContent[] = [];
  for await (const record of readLdif(createReadStream(file), limits)) if (record.kind === 'content') records.push(record);

  const people = records.filter(({ dn }) => dn.startsWith('uid='));
  t.is(people.length, count);
  for (const { attributes } of people) {
    for (const name of ['mobile', 'cn']) t.true(attributes.some(({ description }) => description === name));
  }
  const largest = records.find(({ dn }) => dn === world.groups.large)?.attributes.find(({ description }) => description === 'member');
  t.is(new Set(largest?.values.map(String)).size, count / 2);
  t.true(world.groups.small.length > 0 && world.groups.small.every((dn) => records.some((record) => record.dn === dn)));
});
