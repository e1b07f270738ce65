import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { Refusal } from '#catalogue';
import { commonPasswordsIn, readCommonPasswords } from '#credentials';

const folder = mkdtempSync(join(tmpdir(), 'atrium-common-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test('a list of passwords: each is found in any case and form of its letters, and nothing else is', async (t) => {
  const list = await readCommonPasswords(file('plain', '123456\npassword\r\n\nPaßwort-Grüße\nlast'), 100);
  t.is(list.count, 4);
  for (const password of ['123456', 'Password', 'PASSWORD', 'paßwort-grüße', 'PAßWORT-GRU\u0308ßE', 'last'])
    t.true(list.has(password), password);
  for (const password of ['', '12345', '1234567', 'password ', 'passwor', '\r', 'password\r']) t.false(list.has(password), password);
});

test('a list of as many lines as many lists have: all are found, also across the pieces in which a file is read', async (t) => {
  const lines = Array.from({ length: 200_000 }, (_, at) => `Word-${(at * 7919) % 200_003}-${at}`);
  const list = await readCommonPasswords(file('many', lines.join('\n')), 200_000);
  t.is(list.count, 200_000);
  t.is(lines.filter((line) => !list.has(line)).length, 0);
  t.false(list.has('Word-0-1'));
  t.is(list.shared.byteLength, 8 * 200_000, 'eight octets each, whatever their length');
  const there = commonPasswordsIn(list.shared);
  t.true(there.has('WORD-0-0'), 'by another thread');
});

test('a list has a bound, and a line, too: a file of one line is not kept', async (t) => {
  t.is((await readCommonPasswords(file('bound', 'a\nb\nc\n'), 3)).count, 3);
  const many = await t.throwsAsync(readCommonPasswords(file('beyond', 'a\nb\nc\nd\n'), 3), { instanceOf: Refusal });
  t.is(many.says, 'security.commonPasswordsFile: it has more than 3 lines (security.commonPasswordsMax)');
  const long = await readCommonPasswords(file('long', `${'x'.repeat(5_000_000)}\nshort\n${'y'.repeat(600)}`), 10);
  t.is(long.count, 1);
  t.true(long.has('short'));
  t.is((await readCommonPasswords(file('empty', ''), 10)).count, 0);
  t.false((await readCommonPasswords(file('octets', Uint8Array.of(0xff, 0xfe, 0x0a, 0x00)), 10)).has('a'));
});

test('a list that cannot be read is refused, and says why without its path', async (t) => {
  const absent = await t.throwsAsync(readCommonPasswords(join(folder, 'absent'), 10), { instanceOf: Refusal });
  t.is(absent.says, 'security.commonPasswordsFile: it cannot be read (ENOENT)');
  mkdirSync(join(folder, 'folder'));
  await t.throwsAsync(readCommonPasswords(join(folder, 'folder'), 10), { instanceOf: Refusal, message: /EISDIR/ });
});
