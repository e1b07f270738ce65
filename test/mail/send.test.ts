import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { startSmtp } from '../support/smtp.ts';
import { openTestMail, settingsFor } from './support.ts';

const login = { user: 'atrium', password: 'a canary of a password' };

test('a mail is handed over after STARTTLS and a login, from no-reply at the realm’s domain, and the audit trail says so', async (t) => {
  const smtp = await startSmtp(t, { login });
  const { send, mail, events } = openTestMail(t, {
    settings: settingsFor(smtp, { 'mail.smtpUser': login.user, 'mail.smtpPassword': login.password }),
  });
  await send();
  const received = await smtp.next();
  t.like(received, {
    from: 'no-reply@example.com',
    to: ['ada@example.org'],
    user: 'atrium',
    secure: true,
    subject: 'Your sign-in code for Example',
  });
  t.true(received.text.includes('\r\n271828\r\n'));
  t.true(received.html.includes('<strong>271828</strong>'));
  t.regex(received.raw, /^From: Example <no-reply@example\.com>\r$/m);
  t.regex(received.raw, /^To: ada@example\.org\r$/m);
  t.regex(received.raw, /^Auto-Submitted: auto-generated\r$/m);
  t.is(await mail.run(), '0 mails wait');
  t.deepEqual(
    events.map(({ action, outcome, subject }) => ({ action, outcome, subject })),
    [{ action: 'mail.send', outcome: 'success', subject: 'urn:uuid:ada' }],
  );
  t.false(JSON.stringify(events).includes('271828') || JSON.stringify(events).includes('canary'));
});

test('mail.smtpTls: implicit speaks TLS from the first octet; a server without STARTTLS is told nothing', async (t) => {
  const implicit = await startSmtp(t, { tls: 'implicit' });
  const first = openTestMail(t, { settings: settingsFor(implicit, { 'mail.smtpTls': 'implicit' }) });
  await first.send();
  t.true((await implicit.next()).secure);

  const plain = await startSmtp(t, { tls: 'none', login });
  const second = openTestMail(t, { settings: settingsFor(plain, { 'mail.smtpUser': login.user, 'mail.smtpPassword': login.password }) });
  await second.send();
  t.is(await second.mail.run(), '1 mails wait');
  t.deepEqual([plain.received.length, plain.shown.length], [0, 0]);
  t.regex(second.warnings[0] ?? '', /^\[STS-MAIL-9000\] .*STARTTLS/);
});

test('mail.smtpTls none: mail goes without TLS, and no password is sent where all can read it', async (t) => {
  const smtp = await startSmtp(t, { tls: 'none' });
  const { send } = openTestMail(t, {
    settings: settingsFor(smtp, { 'mail.smtpTls': 'none', 'mail.smtpUser': login.user, 'mail.smtpPassword': login.password }),
  });
  await send();
  t.like(await smtp.next(), { secure: false, user: '' });
  t.deepEqual(smtp.shown, []);
});

test('a server whose certificate nobody vouches for gets no mail', async (t) => {
  const smtp = await startSmtp(t);
  const { send, mail, warnings } = openTestMail(t, { settings: settingsFor(smtp, { 'mail.smtpCaFile': '' }) });
  await send();
  await mail.run();
  t.is(smtp.received.length, 0);
  t.regex(warnings[0] ?? '', /STS-MAIL-9000/);
});

test('STS-CORE-0104: a CA file that cannot be read, or holds no certificate, stops the mail and not the service', async (t) => {
  const smtp = await startSmtp(t);
  const missing = openTestMail(t, { settings: settingsFor(smtp, { 'mail.smtpCaFile': '/nowhere/ca.pem' }) });
  await missing.send();
  await missing.mail.run();
  t.regex(missing.warnings[0] ?? '', /^\[STS-CORE-0104\] .*there is no such file$/);
  writeFileSync(join(missing.dataDir, 'ca.pem'), 'nothing');
  const empty = openTestMail(t, { settings: settingsFor(smtp, { 'mail.smtpCaFile': join(missing.dataDir, 'ca.pem') }) });
  await empty.send();
  await empty.mail.run();
  t.regex(empty.warnings[0] ?? '', /STS-CORE-0104.*it holds none$/);
  t.is(smtp.connections(), 0);
});

test('a realm with a mail server of its own: the service’s password is never shown to it; its own comes from the operator’s folder', async (t) => {
  const smtp = await startSmtp(t, { login });
  const own = { 'mail.smtpHost': 'localhost', 'mail.smtpPort': smtp.port, 'mail.smtpUser': login.user };
  const { send, mail, warnings, dataDir, pass } = openTestMail(t, {
    settings: {
      'mail.smtpHost': 'mail.example.com',
      'mail.smtpUser': login.user,
      'mail.smtpPassword': 'the password of the service',
      'mail.smtpCaFile': smtp.caFile,
    },
    realms: { acme: own },
  });
  await send({ realm: 'acme' });
  await mail.run();
  t.regex(warnings[0] ?? '', /^\[STS-MAIL-9004\] realm acme: .*there is no such file$/);
  const file = join(dataDir, 'mail', 'acme');
  mkdirSync(join(dataDir, 'mail'));
  writeFileSync(file, `${login.password}\n`, { mode: 0o644 });
  pass(10_000);
  await mail.run();
  t.regex(warnings[1] ?? '', /STS-MAIL-9004.*chmod 600/);
  t.deepEqual([smtp.connections(), smtp.shown.length], [0, 0]);
  chmodSync(file, 0o600);
  pass(20_000);
  await mail.run();
  t.is((await smtp.next()).user, login.user);
  t.deepEqual(smtp.shown, [login.password]);
});

test('what waits is sealed: neither a code nor an address can be read in the state’s file', async (t) => {
  const { send, file, close } = openTestMail(t, { settings: { 'mail.smtpHost': 'localhost', 'mail.smtpPort': 1 } });
  await send();
  await close();
  const octets = readFileSync(file, 'latin1');
  t.false(octets.includes('271828') || octets.includes('ada@example.org'));
});
