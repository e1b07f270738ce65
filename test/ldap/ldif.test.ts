import { readFileSync } from 'node:fs';
import test from 'ava';
import fc from 'fast-check';
import ldif from 'ldif';
import { formatLdifRecord, LdifError, type LdifRecord, ldifHeader, readLdif } from '#ldap';
import { holdsInTime } from '../support/holds.ts';
import { controls, description, octets } from './arbitraries.ts';

const limits = { lineOctetsMax: 100_000, recordOctetsMax: 1_000_000, valuesMax: 10_000 };
const utf8 = (one: string) => new TextEncoder().encode(one);
const textOf = (one: Uint8Array) => new TextDecoder().decode(one);

async function read(text: string | Uint8Array, some: Partial<typeof limits> = {}): Promise<LdifRecord[]> {
  const bytes = typeof text === 'string' ? utf8(text) : text;
  return Array.fromAsync(readLdif([bytes], { ...limits, ...some }));
}

async function refusal(text: string, some: Partial<typeof limits> = {}): Promise<[line: number, why: string] | undefined> {
  try {
    await read(text, some);
    return undefined;
  } catch (error) {
    if (!(error instanceof LdifError)) throw error;
    return [error.line, error.why];
  }
}

function example(number: number): string {
  return readFileSync(new URL(`rfc2849/example${number}.ldif`, import.meta.url), 'utf8');
}

/** Attributes with their values as text, for records whose values are text. */
function seen(record: LdifRecord | undefined): Record<string, string[]> {
  if (record?.kind !== 'content' && record?.kind !== 'add') return {};
  return Object.fromEntries(record.attributes.map((one) => [one.description, one.values.map(textOf)]));
}

test('RFC 2849 example 1: a simple file with two entries', async (t) => {
  const records = await read(example(1));
  t.deepEqual(
    records.map(({ kind, line, dn }) => [kind, line, dn]),
    [
      ['content', 2, 'cn=Barbara Jensen, ou=Product Development, dc=airius, dc=com'],
      ['content', 14, 'cn=Bjorn Jensen, ou=Accounting, dc=airius, dc=com'],
    ],
  );
  t.deepEqual(seen(records[0]), {
    objectclass: ['top', 'person', 'organizationalPerson'],
    cn: ['Barbara Jensen', 'Barbara J Jensen', 'Babs Jensen'],
    sn: ['Jensen'],
    uid: ['bjensen'],
    telephonenumber: ['+1 408 555 1212'],
    description: ['A big sailing fan.'],
  });
});

test('RFC 2849 example 2: an entry with a folded value', async (t) => {
  const [record] = await read(example(2));
  t.deepEqual(seen(record)['description'], ['Babs is a big sailing fan, and travels extensively in search of perfect sailing conditions.']);
});

test('RFC 2849 example 3: an entry with a base64 value, folded', async (t) => {
  const [record] = await read(example(3));
  t.deepEqual(seen(record)['description'], [
    'What a careful reader you are!  This value is base-64-encoded because it has a control character in it (a CR).\r  By the way, you should really get out more.',
  ]);
});

test('RFC 2849 example 4: entries with UTF-8 in base64, options and comments', async (t) => {
  const records = await read(example(4));
  t.deepEqual(
    records.map(({ dn }) => dn),
    ['ou=営業部,o=Airius', 'uid=rogasawara,ou=営業部,o=Airius'],
  );
  t.deepEqual(seen(records[0])['ou;lang-ja;phonetic'], ['えいぎょうぶ']);
  t.deepEqual(seen(records[1])['title;lang-en'], ['Sales, Director']);
});

test('RFC 2849 example 5: a value from a file is refused, whatever the file is', async (t) => {
  t.deepEqual(await refusal(example(5)), [11, 'values from URLs are refused']);
});

test('RFC 2849 example 6: all kinds of changes', async (t) => {
  t.deepEqual(await refusal(example(6)), [12, 'values from URLs are refused']);
  const records = await read(example(6).replace('jpegphoto:< file:///usr/local/directory/photos/fiona.jpg\n', ''));
  const changes = records.map((record) => {
    if (record.kind !== 'modify') return record;
    const read = record.changes.map((one) => [one.operation, one.attribute.description, ...one.attribute.values.map(textOf)]);
    return { kind: record.kind, dn: record.dn, read };
  });
  t.like(changes[0], { kind: 'add', dn: 'cn=Fiona Jensen, ou=Marketing, dc=airius, dc=com' });
  t.like(changes[1], { kind: 'delete', dn: 'cn=Robert Jensen, ou=Marketing, dc=airius, dc=com' });
  t.like(changes[2], { kind: 'modrdn', newRdn: 'cn=Paula Jensen', deleteOldRdn: true });
  t.like(changes[3], {
    kind: 'modrdn',
    newRdn: 'ou=Product Development Accountants',
    deleteOldRdn: false,
    newSuperior: 'ou=Accounting, dc=airius, dc=com',
  });
  t.deepEqual(changes[4], {
    kind: 'modify',
    dn: 'cn=Paula Jensen, ou=Product Development, dc=airius, dc=com',
    read: [
      ['add', 'postaladdress', '123 Anystreet $ Sunnyvale, CA $ 94086'],
      ['delete', 'description'],
      ['replace', 'telephonenumber', '+1 408 555 1234', '+1 408 555 5678'],
      ['delete', 'facsimiletelephonenumber', '+1 408 555 9876'],
    ],
  });
  t.deepEqual(changes[5], {
    kind: 'modify',
    dn: 'cn=Ingrid Jensen, ou=Product Support, dc=airius, dc=com',
    read: [
      ['replace', 'postaladdress'],
      ['delete', 'description'],
    ],
  });
});

test('RFC 2849 example 7: a change with a control', async (t) => {
  t.deepEqual(await read(example(7)), [
    {
      kind: 'delete',
      line: 6,
      dn: 'ou=Product Development, dc=airius, dc=com',
      controls: [{ oid: '1.2.840.113556.1.4.805', critical: true }],
    },
  ]);
});

test('RFC 2849: a control has a criticality and a value, both optional', async (t) => {
  const [record] = await read(
    'dn: a=b\ncontrol: 1.2\ncontrol: 1.3 false: x y\ncontrol: 1.4 true:: AP8=\ncontrol: 1.5:z\nchangetype: delete\n',
  );
  t.deepEqual(record?.kind === 'delete' && record.controls, [
    { oid: '1.2', critical: false },
    { oid: '1.3', critical: false, value: utf8('x y') },
    { oid: '1.4', critical: true, value: Uint8Array.of(0, 255) },
    { oid: '1.5', critical: false, value: utf8('z') },
  ]);
});

const refused: readonly [title: string, text: string, line: number, why: string][] = [
  ['another version is refused', 'version: 2\n\ndn: a=b\n', 1, 'only version 1 is known'],
  ['version stands only at the start', 'dn: a=b\na: b\n\nversion: 1\n', 4, 'dn expected'],
  ['a record begins with its DN', 'cn: a\n', 1, 'dn expected'],
  ['a line has a colon', 'dn: a=b\ncn\n', 2, 'no colon'],
  ['a line has a description', 'dn: a=b\nc n: a\n', 2, 'attribute description is malformed'],
  ['a file does not begin with a folded line', ' dn: a=b\n', 1, 'attribute description is malformed'],
  ['base64 is well-formed', 'dn: a=b\ncn:: a$b=\n', 2, 'value is not base64'],
  ['base64 is padded', 'dn: a=b\ncn:: YQ\n', 2, 'value is not base64'],
  ['a DN is UTF-8', 'dn:: /w==\n', 1, 'value is not UTF-8'],
  ['an entry has attributes', '# x\n\ndn: a=b\n\ndn: a=c\n', 4, 'the entry has no attributes'],
  ['an added entry has attributes', 'dn: a=b\nchangetype: add\n\n', 3, 'the entry to add has no attributes'],
  ['a control stands before a change', 'dn: a=b\ncontrol: 1.2\ncn: a\n', 3, 'changetype expected'],
  ['a control names an OID', 'dn: a=b\ncontrol: x\n', 2, 'control is malformed'],
  ['a control takes no value from a URL', 'dn: a=b\ncontrol: 1.2 true:< file:///etc/passwd\n', 2, 'values from URLs are refused'],
  ['a change is of a known type', 'dn: a=b\nchangetype: destroy\n', 2, 'changetype destroy'],
  ['a delete has no lines', 'dn: a=b\nchangetype: delete\ncn: a\n', 3, 'a delete takes no lines'],
  [
    'a modify adds, deletes, replaces or increments',
    'dn: a=b\nchangetype: modify\nset: cn\n',
    3,
    'add, delete, replace or increment expected',
  ],
  ['a modification keeps to its attribute', 'dn: a=b\nchangetype: modify\nadd: cn\nsn: a\n', 4, 'a value of cn expected, or a line with -'],
  ['a modification names an attribute', 'dn: a=b\nchangetype: modify\nadd: c n\n', 3, 'attribute description expected'],
  ['a - ends a modification', 'dn: a=b\nchangetype: modify\n-\n', 3, '- ends no modification'],
  ['deleteoldrdn is 0 or 1', 'dn: a=b\nchangetype: modrdn\nnewrdn: a=c\ndeleteoldrdn: yes\n', 4, 'deleteoldrdn is 0 or 1'],
  ['a modrdn has its lines in order', 'dn: a=b\nchangetype: moddn\ndeleteoldrdn: 1\n', 3, 'deleteoldrdn is out of place'],
  ['a modrdn has all its lines', 'dn: a=b\nchangetype: modrdn\nnewrdn: a=c\n\n', 4, 'deleteoldrdn is missing'],
];

for (const [title, text, line, why] of refused) {
  test(`RFC 2849: ${title}`, async (t) => t.deepEqual(await refusal(text), [line, why]));
}

test('line numbers count folded lines and comments', async (t) => {
  t.deepEqual(await refusal('# a\n#  comment\n folded\ndn: a=b\ncn: a\n b\n c\n!\n'), [8, 'no colon']);
});

test('lines may end with CR LF, and the last one with nothing', async (t) => {
  const unix = 'version: 1\n\ndn: a=b\ncn: x\n y\nsn:\n\ndn: a=c\ncn: z';
  t.deepEqual(await read(unix.replaceAll('\n', '\r\n')), await read(unix));
  t.deepEqual(seen((await read(unix))[0]), { cn: ['xy'], sn: [''] });
});

test('the mark of UTF-8 that an editor put in front is no part of the first line', async (t) => {
  const text = 'version: 1\n\ndn: a=b\ncn: x\n';
  t.deepEqual(await read(`\ufeff${text}`), await read(text));
});

test('text of 16 bits is told as what it is', async (t) => {
  const octets = Buffer.from('\ufeffdn: a=b\n', 'utf16le');
  for (const chunk of [octets, Buffer.from(octets).swap16()]) {
    const error = await t.throwsAsync(async () => await Array.fromAsync(readLdif([chunk], limits)), { instanceOf: LdifError });
    t.deepEqual([error?.line, error?.why], [1, 'the text is UTF-16, and LDIF is UTF-8']);
  }
});

test('no records are in no text', async (t) => t.deepEqual(await read(''), []));

test('values of one attribute are gathered wherever they stand, whatever the case of its name', async (t) => {
  const names = Array.from({ length: 40 }, (_, i) => `a${i}`);
  const lines = [...names, ...names.map((name) => name.toUpperCase())].map((name) => `${name}: x`);
  const [record] = await read(`dn: a=b\n${lines.join('\n')}\n`);
  t.deepEqual(seen(record), Object.fromEntries(names.map((name) => [name, ['x', 'x']])));
});

test('a line, a record and its values have limits, each told with its line', async (t) => {
  t.deepEqual(await refusal('dn: a=b\ncn: 0123456789\n', { lineOctetsMax: 14 }), undefined);
  t.deepEqual(await refusal('dn: a=b\ncn: 0123456789\n', { lineOctetsMax: 13 }), [2, 'line is too long']);
  t.deepEqual(await refusal('dn: a=b\ncn: 01\n 2345\n 6789\n', { lineOctetsMax: 13 }), [2, 'line is too long']);
  t.deepEqual(await refusal('dn: a=b\ncn: 0\ncn: 1\n', { recordOctetsMax: 17 }), undefined);
  t.deepEqual(await refusal('dn: a=b\ncn: 0\ncn: 1\n', { recordOctetsMax: 16 }), [3, 'record is too large']);
  t.deepEqual(await refusal('dn: a=b\ncn: 0\ncn: 1\n', { valuesMax: 1 }), [3, 'record has too many values']);
});

test('a line without an end is refused at its limit, not gathered for ever', async (t) => {
  let given = 0;
  function* endless() {
    for (;;) {
      given += 65536;
      yield new Uint8Array(65536).fill(0x61);
    }
  }
  await t.throwsAsync(Array.fromAsync(readLdif(endless(), limits)), { instanceOf: LdifError, message: 'line 1: line is too long' });
  t.true(given <= 4 * 65536, `${given} octets were taken`);
});

test('records come while the rest of the file is still to come, one chunk ahead at most', async (t) => {
  const record = `dn: a=b\ncn: ${'x'.repeat(1000)}\n\n`;
  const chunk = utf8(record.repeat(100));
  let given = 0;
  function* file() {
    for (let i = 0; i < 50; i++) {
      given += 1;
      yield chunk;
    }
  }
  let records = 0;
  for await (const one of readLdif(file(), limits)) {
    t.is(one.kind, 'content');
    records += 1;
    t.true(given * 100 - records <= 100);
  }
  t.is(records, 5000);
});

const text = fc.string({ unit: fc.constantFrom('a', 'B', ' ', ':', '<', '\n', '\r', '\0', 'é', '営', '-', '#'), maxLength: 120 });
const value = fc.oneof(octets, text.map(utf8));
const attributes = fc.uniqueArray(fc.record({ description, values: fc.array(value, { minLength: 1, maxLength: 4 }) }), {
  minLength: 1,
  maxLength: 4,
  selector: (one) => one.description,
});
const change = fc.record({
  operation: fc.constantFrom('add', 'delete', 'replace', 'increment'),
  attribute: fc.record({ description, values: fc.array(value, { maxLength: 3 }) }),
});
const line = fc.constant(0);
const record = fc.oneof(
  fc.record({ kind: fc.constant('content' as const), line, dn: text, attributes }),
  fc.record({ kind: fc.constant('add' as const), line, dn: text, controls, attributes }),
  fc.record({ kind: fc.constant('delete' as const), line, dn: text, controls }),
  fc.record({ kind: fc.constant('modify' as const), line, dn: text, controls, changes: fc.array(change, { maxLength: 4 }) }),
  fc.record(
    { kind: fc.constant('modrdn' as const), line, dn: text, controls, newRdn: text, deleteOldRdn: fc.boolean(), newSuperior: text },
    { requiredKeys: ['kind', 'line', 'dn', 'controls', 'newRdn', 'deleteOldRdn'] },
  ),
) as fc.Arbitrary<LdifRecord>;

test('RFC 2849: every record is read as it was written, however the file is cut into chunks', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(record, { maxLength: 6 }), fc.integer({ min: 1, max: 400 }), async (records, octetsMax) => {
      const bytes = utf8(ldifHeader + records.map(formatLdifRecord).join(''));
      async function* cut() {
        for (let at = 0; at < bytes.length; at += octetsMax) yield bytes.slice(at, at + octetsMax);
      }
      const found = await Array.fromAsync(readLdif(cut(), limits));
      t.deepEqual(
        found.map((one) => ({ ...one, line: 0 })),
        records,
      );
    }),
  );
});

test('a file of several chunks is read alike wherever a chunk ends', async (t) => {
  // Chunks below 64 KiB are gathered, so the ends that matter are those behind it: each one within two folded records is tried.
  const record = 'dn: a=b\r\n# com\r\n ment\r\ncn: x\r\n y\r\n z\r\nsn:: YW\r\n I=\r\n\r\n';
  const bytes = utf8(record.repeat(Math.ceil(66_000 / record.length)));
  const [one] = await read(record);
  for (let first = 65_536; first < 65_536 + 2 * record.length; first++) {
    let records = 0;
    let lines = 1;
    for await (const found of readLdif([bytes.subarray(0, first), bytes.subarray(first)], limits)) {
      if (found.line !== lines || found.kind !== 'content' || seen(found)['cn']?.[0] !== 'xyz') t.deepEqual(found, one);
      records += 1;
      lines += 9;
    }
    t.is(records * record.length, bytes.length);
  }
});

test('RFC 2849 notes 2 and 4: what is written is ASCII in lines of at most 76 columns', (t) => {
  fc.assert(
    fc.property(record, (one) => {
      for (const written of formatLdifRecord(one).split('\n')) {
        t.true(written.length <= 76);
        t.is(Buffer.byteLength(written), written.length, 'ASCII alone');
      }
    }),
  );
});

test('RFC 2849 SAFE-STRING: base64 is used where it must be, and nowhere else', (t) => {
  const written = (one: string) =>
    formatLdifRecord({ kind: 'content', line: 0, dn: 'a=b', attributes: [{ description: 'c', values: [utf8(one)] }] }).split('\n')[1];
  t.is(written('plain: <text> #1'), 'c: plain: <text> #1');
  t.is(written(''), 'c:');
  for (const one of [' a', ':a', '<a', 'a ', 'a\0', 'a\nb', 'a\rb', 'é']) t.is(written(one), `c:: ${Buffer.from(one).toString('base64')}`);
});

test('arbitrary octets are refused with a line or read, nothing else', async (t) => {
  const word = fc.constantFrom(
    'dn: a=b\n',
    'cn: a\n',
    '\n',
    ' ',
    ':',
    '-\n',
    'changetype: modify\n',
    'add: cn\n',
    '#',
    'cn:: YQ==\n',
    'control: 1.2\n',
    '\r\n',
    '\xff',
    'x',
  );
  await holdsInTime(
    t,
    fc.asyncProperty(fc.array(word, { maxLength: 12 }), async (words) => {
      try {
        await read(new Uint8Array(Buffer.from(words.join(''), 'latin1')));
      } catch (error) {
        t.true(error instanceof LdifError);
      }
    }),
    { numRuns: 1000 },
  );
});

test('the ldif package reads what is written here as it is read here', async (t) => {
  // It turns values into text and fails on empty ones and on those of spaces alone, so those are not compared.
  const plain = fc.string({ unit: fc.constantFrom('a', 'B', ' ', ':', '<', 'é', '営', '-', '#', '9'), minLength: 1, maxLength: 150 });
  const entry = fc.record({
    dn: plain.map((one) => `cn=${one.trim()}x`),
    attributes: fc.uniqueArray(
      fc.record({ description: fc.constantFrom('cn', 'sn', 'ou', 'x-1'), values: fc.array(plain, { minLength: 1, maxLength: 3 }) }),
      {
        minLength: 1,
        maxLength: 4,
        selector: (one) => one.description,
      },
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 4 }), async (entries) => {
      const written = entries.map(({ dn, attributes }) =>
        formatLdifRecord({
          kind: 'content',
          line: 0,
          dn,
          attributes: attributes.map((one) => ({ description: one.description, values: one.values.map(utf8) })),
        }),
      );
      const file = ldifHeader + written.join('');
      const theirs = ldif.parse(file).entries.map((one) => one.toObject({ decode: true, flatten: false }));
      const ours = (await read(file)).map((one) => ({ dn: one.dn, attributes: seen(one) }));
      t.deepEqual(
        ours,
        theirs.map(({ dn, attributes }) => ({ dn, attributes: { ...attributes } })),
      );
      t.is(ours.length, entries.length);
    }),
    { numRuns: 60 },
  );
});
