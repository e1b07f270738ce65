import test from 'ava';
import { readSettings } from '#catalogue';
import { mailSettings } from '#mail';
import { readRealmSettings } from '#policy';
import { settings } from '../../src/settings.ts';

test('mail settings of a realm stand in its entry, but for what is the operator’s alone: passwords and paths', (t) => {
  const given = [
    'mail.smtpHost=mail.example.com',
    'mail.smtpPort=465',
    'mail.smtpTls=implicit',
    'mail.smtpUser=acme',
    'mail.from=id@example.com',
  ];
  const { values, faults } = readRealmSettings(settings, given, 'product');
  t.deepEqual([values.size, faults], [5, []]);
  for (const name of ['mail.smtpPassword', 'mail.realmPasswordFolder', 'mail.smtpCaFile', 'mail.sendS']) {
    t.is(readRealmSettings(settings, [`${name}=1`], 'product').faults.length, 1, name);
  }
});

test('a host that is none, and an address that mail cannot come from, are refused in words', (t) => {
  const problemOf = (name: string, value: string) => readSettings(mailSettings, { environment: { [name]: value } }).problems[0]?.problem;
  for (const host of ['mail.example.com', 'localhost', '127.0.0.1', '::1', 'mx'])
    t.is(problemOf('STS_MAIL_SMTP_HOST', host), undefined, host);
  for (const host of ['a b', 'smtp://mail', 'mail:25', '-x', 'a..b', '/var/run/x'])
    t.regex(problemOf('STS_MAIL_SMTP_HOST', host) ?? '', /host/, host);
  t.is(problemOf('STS_MAIL_FROM', 'id@example.com'), undefined);
  for (const from of ['Id <id@example.com>', 'id', 'id@example.com, x@example.com'])
    t.regex(problemOf('STS_MAIL_FROM', from) ?? '', /mail address/, from);
});
