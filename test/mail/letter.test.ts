import test from 'ava';
import fc from 'fast-check';
import { parseMailAddress } from '#mail';
import { writeLetter } from '../../src/mail/letter.ts';
import { letters } from '../../src/mail/texts.ts';
import { startSmtp } from '../support/smtp.ts';
import { openTestMail, settingsFor } from './support.ts';

test('an address is local@domain in ASCII, and nothing that could be read as two, or as a header (RFC 5321 §4.1.2)', (t) => {
  const good = ['ada@example.com', 'a.b+tag@mail.example.co.uk', "o'neil@example.com", 'x@localhost', `${'l'.repeat(64)}@example.com`];
  for (const text of good) t.is(parseMailAddress(text) as string | undefined, text);
  const bad = [
    '',
    'ada',
    '@example.com',
    'ada@',
    'ada@@example.com',
    'a@b@c',
    'ada@example..com',
    '.ada@example.com',
    'ada.@example.com',
    'a..b@example.com',
    'ada@example.com\r\nBcc: eve@example.org',
    'ada@example.com\n',
    ' ada@example.com',
    'ada @example.com',
    '"ada eve"@example.com',
    'ada@[127.0.0.1]',
    'ada@example.com, eve@example.org',
    '<ada@example.com>',
    'ada(comment)@example.com',
    'ädä@example.com',
    'ada@exämple.com',
    'ada@-example.com',
    `${'l'.repeat(65)}@example.com`,
    `a@${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(63)}`,
    'ada@example.com\0',
    'ada@example.com;eve@example.org',
  ];
  for (const text of bad) t.is(parseMailAddress(text), undefined, JSON.stringify(text));
});

test('property: what is filled in stays text on one line, in the subject, the text and the HTML', (t) => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.constantFrom(...(Object.keys(letters) as (keyof typeof letters)[])),
      (filled, kind) => {
        const fill = { realm: filled, code: filled, link: filled, minutes: filled };
        const plain = writeLetter(kind, { realm: 'x', code: 'x', link: 'x', minutes: 'x' });
        const written = writeLetter(kind, fill);
        t.false(/[\p{Cc}\p{Zl}\p{Zp}]/u.test(written.subject));
        t.is(written.text.split('\n').length, plain.text.split('\n').length);
        const elements = (html: string) =>
          html
            .match(/<[^>]*>/g)
            ?.map((one) => one.replace(/^<a href="[^"]*">$/, '<p style="font-size:1.5em">').replace('</a>', '</strong>'));
        t.deepEqual(
          elements(written.html)?.filter((one) => !/strong|style/.test(one)),
          elements(plain.html)?.filter((one) => !/strong|style/.test(one)),
        );
      },
    ),
  );
});

test('the mail never contains more than it must: the realm, what opens, and how long; no name of a person, and a subject without the code', (t) => {
  for (const kind of Object.keys(letters) as (keyof typeof letters)[]) {
    const words = JSON.stringify(letters[kind]);
    t.deepEqual(
      [...new Set(words.match(/\{\w+\}/g))].filter(
        (one) => !['{realm}', '{time}', '{code}', '{link}', '{minutes}', '{what}', '{by}', '{when}'].includes(one),
      ),
      [],
      kind,
    );
    t.false(/\{(code|link)\}/.test(letters[kind].subject), kind);
  }
});

test('a realm’s name begins no header: it is quoted and encoded on the wire', async (t) => {
  const smtp = await startSmtp(t);
  const { send } = openTestMail(t, { settings: settingsFor(smtp) });
  await send({ realmName: 'Eve"\r\nBcc: eve@example.org\r\n\r\n<b>Müller & Söhne</b>, x@example.org <' });
  const received = await smtp.next();
  t.deepEqual(received.to, ['ada@example.org']);
  const headers = received.raw.slice(0, received.raw.indexOf('\r\n\r\n'));
  t.false(/^Bcc:/im.test(headers));
  t.is(headers.match(/^From:/gm)?.length, 1);
  t.regex(headers.replace(/\r\n[ \t]/g, ' '), /^From: .* <no-reply@example\.com>$/m);
  t.false(received.html.includes('<b>'));
  t.true(received.html.includes('&#60;b&#62;Müller &#38; Söhne'));
});
