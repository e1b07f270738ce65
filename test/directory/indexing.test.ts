import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { empty, utf8 } from '#base';
import { createIndexer } from '#directory';
import { encodeAttributes } from '#ldap';
import { loadSchema } from '#schema';
import type { EntryRecord } from '#store';

const root = join(import.meta.dirname, '../../schema');
const files = readdirSync(root).filter((name) => name.endsWith('.schema'));
const schema = loadSchema(files.sort().map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') })));
const indexer = createIndexer(schema);

function person(values: Readonly<Record<string, string>>): EntryRecord {
  const attributes = Object.entries(values).map(([description, value]) => ({ description, values: [utf8(value)] }));
  const parts = { user: encodeAttributes(attributes), operational: empty, secret: empty };
  return { uuid: 'u', parent: undefined, dn: 'uid=u', dnKey: utf8('u'), csn: '1', ...parts };
}

const found = (entry: EntryRecord, other?: EntryRecord) =>
  indexer(entry, other).map(({ attribute, key }) => `${attribute} ${Buffer.from(key)}`);

test('beside another state of an entry, its keys are those of the attributes that differ, whichever of the two is asked first', (t) => {
  const was = person({ uid: 'u', sn: 'Moss', mobile: '1' });
  const renamed = person({ uid: 'u', sn: 'Reed', mobile: '1' });
  const called = person({ uid: 'u', sn: 'Moss', mobile: '2' });
  const moved = person({ uid: 'v', sn: 'Moss', mobile: '1' });
  t.is(found(was).length, 2);
  for (const [one, other, expected] of [
    [was, renamed, ['sn moss']],
    [renamed, was, ['sn reed']],
    [was, called, []],
    [called, was, []],
    [called, renamed, ['sn moss']],
    [moved, was, ['uid v']],
    [was, moved, ['uid u']],
    [was, renamed, ['sn moss']],
  ] as const)
    t.deepEqual(found(one, other), [...expected]);
});
