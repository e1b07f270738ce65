import test from 'ava';
import { startSmtp } from '../support/smtp.ts';
import { openTestMail, settingsFor } from './support.ts';

test('what was given up is listed with why and without what it says, for mail.failedKeptHours; tried again it is the same mail', async (t) => {
  const smtp = await startSmtp(t);
  const { send, mail, pass } = openTestMail(t, { settings: settingsFor(smtp, { 'mail.failedKeptHours': 2 }) });
  smtp.behave(550);
  await send();
  await mail.run();
  const [failed, ...others] = await mail.list('default', 10);
  t.like(failed, { state: 'failed', kind: 'code', subject: 'urn:uuid:ada', attempts: 1, why: 'the server answered 550 (DATA)' });
  t.deepEqual(others, []);
  t.false(JSON.stringify(failed).includes('271828') || JSON.stringify(failed).includes('ada@example.org'));
  t.deepEqual(await mail.list('another', 10), []);
  t.deepEqual(await mail.retry('another', undefined), { tried: 0, over: 0 });
  t.deepEqual(await mail.retry('default', 'nothing'), { tried: 0, over: 0 });
  smtp.behave('take');
  t.deepEqual(await mail.retry('default', failed?.id), { tried: 1, over: 0 });
  await mail.run();
  t.true((await smtp.next()).raw.includes(`Message-ID: <${failed?.id}@`));
  t.deepEqual(await mail.list('default', 10), []);

  smtp.behave(550);
  await send();
  await mail.run();
  pass(2 * 3_600_000);
  t.deepEqual(await mail.list('default', 10), []);
});

test('a mail that waits for its next try is tried at once when asked; one whose time is over is not sent, and stays to be seen', async (t) => {
  const smtp = await startSmtp(t);
  const { send, mail, pass } = openTestMail(t, { settings: settingsFor(smtp) });
  smtp.behave(451);
  await send();
  await mail.run();
  t.like((await mail.list('default', 10))[0], { state: 'waiting', attempts: 1, why: 'the server answered 451 (DATA)' });
  smtp.behave('take');
  t.deepEqual(await mail.retry('default', undefined), { tried: 1, over: 0 });
  await mail.run();
  await smtp.next();
  smtp.behave(550);
  await send();
  await mail.run();
  pass(600_000);
  t.deepEqual(await mail.retry('default', undefined), { tried: 0, over: 1 });
  t.is((await mail.list('default', 10)).length, 1);
  t.is(smtp.received.length, 1);
});

test('a mail for nobody is never listed, and never among what was given up', async (t) => {
  const smtp = await startSmtp(t);
  const { send, mail } = openTestMail(t, { settings: settingsFor(smtp) });
  await mail.send({
    ...{ realm: 'default', realmName: 'Example', to: undefined, counted: 'nobody', kind: 'forgot', subject: '', correlationId: 'c' },
    ...{ fill: { link: 'http://x', time: '1 hour' }, untilMs: 1_800_000_600_000 },
  });
  t.deepEqual(await mail.list('default', 10), []);
  await mail.run();
  t.deepEqual(await mail.list('default', 10), []);
  await send();
});

test('a realm’s own words are used where they are fit; where they are not, ours are, and operators are told', async (t) => {
  const smtp = await startSmtp(t);
  const own = openTestMail(t, {
    settings: settingsFor(smtp),
    text: { subject: 'Ihr Code', body: '\r\nHallo,\r\n\r\n\r\n{code}\r\n \r\nbis bald \r\n' },
  });
  await own.send();
  const mail = await smtp.next();
  t.is(mail.subject, 'Ihr Code');
  t.is(mail.text.replaceAll('\r', '').trim(), 'Hallo,\n\n271828\n\nbis bald');
  t.deepEqual(own.warnings, []);
  const unfit = openTestMail(t, { settings: settingsFor(smtp), text: { subject: 'Ihr Code {code}', body: 'nichts' } });
  await unfit.send();
  t.is((await smtp.next()).subject, 'Your sign-in code for Example');
  t.regex(unfit.warnings[0] ?? '', /^\[STS-MAIL-9040\] realm default: cn=code/);
});
