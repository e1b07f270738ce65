import test from 'ava';
import type { Timers } from '#jobs';
import { startSmtp } from '../support/smtp.ts';
import { openTestMail, settingsFor } from './support.ts';

test('a mail that is not taken is tried again after growing waits, and given up after mail.attemptsMax tries, with an audit row', async (t) => {
  const smtp = await startSmtp(t);
  const { send, mail, events, warnings, pass } = openTestMail(t, {
    settings: settingsFor(smtp, { 'mail.attemptsMax': 4, 'mail.retryFirstS': 10, 'mail.retryLongestS': 25 }),
  });
  smtp.behave(451);
  await send();
  await mail.run();
  const triesAfter = async (ms: number) => {
    const before = smtp.connections();
    pass(ms);
    await mail.run();
    return smtp.connections() - before;
  };
  t.is(smtp.connections(), 1);
  t.deepEqual([await triesAfter(9999), await triesAfter(1)], [0, 1]);
  t.deepEqual([await triesAfter(19_999), await triesAfter(1)], [0, 1]);
  t.deepEqual([await triesAfter(24_999), await triesAfter(1)], [0, 1]);
  t.deepEqual(
    events.map(({ outcome, summary }) => `${outcome} ${summary}`),
    ['failed a mail was given up: the server answered 451 (DATA); tries: 4'],
  );
  t.is(warnings.length, 4);
  t.regex(warnings[0] ?? '', /^\[STS-MAIL-9000\] realm default: .*451/);
  t.is(await triesAfter(3_600_000), 0);
});

test('a reply that is final ends a mail at once; one that is for now does not', async (t) => {
  const smtp = await startSmtp(t);
  const { send, mail, events } = openTestMail(t, { settings: settingsFor(smtp) });
  smtp.behave(550, 'RCPT');
  await send();
  t.is(await mail.run(), '0 mails wait');
  t.regex(events[0]?.summary ?? '', /given up: the server answered 550 \(RCPT\); tries: 1$/);
  smtp.behave(450, 'RCPT');
  await send();
  t.is(await mail.run(), '1 mails wait');
});

test('a connection that is cut within a mail leaves it waiting, and it comes once', async (t) => {
  const smtp = await startSmtp(t);
  const { send, mail, pass } = openTestMail(t, { settings: settingsFor(smtp) });
  smtp.behave('drop');
  await send();
  t.is(await mail.run(), '1 mails wait');
  smtp.behave('take');
  pass(10_000);
  t.is(await mail.run(), '0 mails wait');
  t.is(smtp.received.length, 1);
});

test('mail.smtpTimeoutMs: a server that says nothing more is cut off, and holds up nobody else', async (t) => {
  const smtp = await startSmtp(t);
  const waits: (readonly [number, () => void])[] = [];
  const timers: Timers = {
    after: (ms, callback) => {
      waits.push([ms, callback]);
      return () => undefined;
    },
  };
  const other = await startSmtp(t);
  const { send, mail, warnings } = openTestMail(t, {
    settings: settingsFor(smtp, { 'mail.smtpTimeoutMs': 5000, 'mail.connectionsMax': 1 }),
    realms: { acme: { 'mail.smtpPort': other.port, 'mail.smtpCaFile': other.caFile } },
    timers,
  });
  smtp.behave('hold', 'RCPT');
  await send();
  const running = mail.run();
  while (waits.length === 0) await new Promise(setImmediate);
  t.is(waits[0]?.[0], 5000);
  waits[0]?.[1]();
  t.is(await running, '1 mails wait');
  t.regex(warnings[0] ?? '', /within 5000 ms/);
});

test('what says nothing good any more is not sent late: a mail is given up when its time is over', async (t) => {
  const smtp = await startSmtp(t);
  const { send, mail, events, pass } = openTestMail(t, {
    settings: settingsFor(smtp, { 'mail.retryFirstS': 400, 'mail.retryLongestS': 400 }),
  });
  smtp.behave(451);
  await send();
  t.is(await mail.run(), '1 mails wait');
  pass(400_000);
  t.is(await mail.run(), '0 mails wait');
  t.regex(events[0]?.summary ?? '', /given up.*tries: 2/);
  pass(1_000_000);
  smtp.behave('take');
  await mail.run();
  t.is(smtp.received.length, 0);
});

test('a restart loses no mail that waits, and nobody but the same key opens it', async (t) => {
  const smtp = await startSmtp(t);
  smtp.behave(451);
  const first = openTestMail(t, { settings: settingsFor(smtp) });
  await first.send();
  await first.send({ to: 'bob@example.org' });
  t.is(await first.mail.run(), '2 mails wait');
  await first.close();
  smtp.behave('take');
  const second = first.beside();
  second.pass(10_000);
  t.is(await second.mail.run(), '0 mails wait');
  t.deepEqual(smtp.received.flatMap(({ to }) => to).sort(), ['ada@example.org', 'bob@example.org']);

  smtp.behave(451);
  await second.send();
  await second.mail.run();
  await second.close();
  const stranger = openTestMail(t, {
    settings: settingsFor(smtp),
    dataDir: first.dataDir,
    kek: 'another key-encryption key of forty octets',
  });
  stranger.pass(60_000);
  t.is(await stranger.mail.run(), '0 mails wait');
  t.deepEqual(
    stranger.events.map(({ error }) => error?.code),
    ['STS-MAIL-9005'],
  );
});

test('what was sealed before keys.kek changed opens under keys.previousKek', async (t) => {
  const smtp = await startSmtp(t);
  smtp.behave(451);
  const first = openTestMail(t, { settings: settingsFor(smtp), kek: 'the key-encryption key of the year before' });
  await first.send();
  await first.mail.run();
  await first.close();
  smtp.behave('take');
  const kek = 'the key-encryption key of this year, forty octets';
  const second = openTestMail(t, {
    settings: settingsFor(smtp),
    dataDir: first.dataDir,
    kek,
    previousKek: 'the key-encryption key of the year before',
  });
  second.pass(10_000);
  t.is(await second.mail.run(), '0 mails wait');
  t.is(smtp.received.length, 1);
});

test('several processes share the mails that wait: each is handed over by one', async (t) => {
  const smtp = await startSmtp(t);
  const first = openTestMail(t, { settings: settingsFor(smtp, { 'mail.connectionsMax': 20 }) });
  smtp.behave(451);
  for (let i = 0; i < 20; i++) await first.send({ to: `person-${i}@example.org` });
  await first.mail.run();
  smtp.behave('take');
  const others = [first, first.beside(), first.beside()];
  first.pass(10_000);
  await Promise.all(others.map(({ mail }) => mail.run()));
  t.is(smtp.received.length, 20);
  t.is(new Set(smtp.received.flatMap(({ to }) => to)).size, 20);
  t.is(others.flatMap(({ events }) => events).filter(({ outcome }) => outcome === 'success').length, 20);
});

test('a mail whose process died with it is tried again when its claim is over, under the same Message-ID', async (t) => {
  const smtp = await startSmtp(t);
  const first = openTestMail(t, { settings: settingsFor(smtp, { 'mail.smtpTimeoutMs': 20_000 }) });
  smtp.behave('hold');
  await first.send();
  const dying = first.mail.run();
  while (smtp.held() === 0) await new Promise(setImmediate);
  const second = first.beside();
  smtp.behave('take');
  t.is(await second.mail.run(), '1 mails wait');
  second.pass(25_001);
  await second.mail.run();
  t.is(smtp.received.length, 1);
  await first.close();
  await dying;
  t.regex(smtp.received[0]?.raw ?? '', /^Message-ID: <[\w-]{22}@example\.com>\r$/m);
});

test('a stop cuts what is under way, and the mail waits for the next start', async (t) => {
  const smtp = await startSmtp(t);
  smtp.behave('hold', 'RCPT');
  const first = openTestMail(t, { settings: settingsFor(smtp) });
  await first.send();
  while (smtp.held() === 0) await new Promise(setImmediate);
  await first.close();
  smtp.behave('take');
  const second = first.beside();
  t.is(await second.mail.run(), '0 mails wait');
  t.is(smtp.received.length, 1);
});

test('mail.queueMax: one more than may wait is not taken, and the audit trail says so; other realms have a queue of their own', async (t) => {
  const { send, mail, events } = openTestMail(t, { settings: { 'mail.smtpHost': 'localhost', 'mail.smtpPort': 1, 'mail.queueMax': 2 } });
  for (let i = 0; i < 3; i++) await send({ to: `person-${i}@example.org` });
  t.deepEqual(
    events.map(({ error }) => error?.code),
    ['STS-MAIL-9002'],
  );
  await send({ realm: 'acme' });
  t.is(await mail.run(), '3 mails wait');
});

test('mail.perAddressPerHour: nobody’s mailbox is filled, whoever asks; the next hour begins anew', async (t) => {
  const smtp = await startSmtp(t);
  const { send, mail, events, pass } = openTestMail(t, { settings: settingsFor(smtp, { 'mail.perAddressPerHour': 2 }) });
  for (let i = 0; i < 4; i++) await send(i % 2 === 0 ? {} : { counted: 'ADA@example.org' });
  await send({ to: 'bob@example.org' });
  await mail.run();
  t.is(smtp.received.length, 3);
  t.deepEqual(
    events.flatMap(({ error }) => error?.code ?? []),
    ['STS-MAIL-9003', 'STS-MAIL-9003'],
  );
  pass(3_600_000);
  await send();
  await mail.run();
  t.is(smtp.received.length, 4);
});

test('a mail for nobody is kept and thrown away: nothing is sent, and no row tells it from another', async (t) => {
  const smtp = await startSmtp(t);
  const { send, mail, events } = openTestMail(t, { settings: settingsFor(smtp) });
  await mail.send({
    realm: 'default',
    realmName: 'Example',
    to: undefined,
    counted: 'nobody',
    kind: 'code',
    fill: { code: '271828', minutes: '10' },
    untilMs: 1_800_000_600_000,
    subject: '',
    correlationId: 'c',
  });
  t.is(await mail.run(), '0 mails wait');
  t.deepEqual([smtp.connections(), events.length], [0, 0]);
  await send();
  await mail.run();
  t.is(smtp.received.length, 1);
});

test('a realm that is removed has no mail that waits', async (t) => {
  const { send, mail } = openTestMail(t, { settings: { 'mail.smtpHost': 'localhost', 'mail.smtpPort': 1 } });
  await send({ realm: 'acme' });
  await send();
  t.is(await mail.drop('acme'), 1);
  t.is(await mail.drop('acme'), 0);
  t.is(await mail.run(), '1 mails wait');
  await send({ realm: 'gone' });
  t.is(await mail.run(), '1 mails wait');
});
