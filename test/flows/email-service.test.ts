import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { startTestAtrium } from '../support/atrium.ts';
import { startSmtp } from '../support/smtp.ts';
import { attributeOf, beginRaw, codeOf, isIn, mailedSettings, setAttribute, setPolicy } from './mailed.ts';
import { addPerson } from './people.ts';
import { addPersonTo, addRealm } from './realms.ts';

const codePath = '/authn/email-code';

test('a realm’s mail goes to its own server with its own password, also when it is sent after a restart, before anybody asked for the realm', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-email-'));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  const service = await startSmtp(t);
  const login = { user: 'acme', password: 'the password of acme' };
  const theirs = await startSmtp(t, { login });
  // One file vouches for both.
  const caFile = join(dataDir, 'both.pem');
  writeFileSync(caFile, readFileSync(service.caFile, 'utf8') + readFileSync(theirs.caFile, 'utf8'));
  mkdirSync(join(dataDir, 'mail'));
  writeFileSync(join(dataDir, 'mail', 'acme'), login.password, { mode: 0o600 });
  const settings = {
    ...mailedSettings(service),
    STS_MAIL_SMTP_USER: '',
    STS_MAIL_SMTP_PASSWORD: 'canary-of-the-service',
    STS_MAIL_SMTP_CA_FILE: caFile,
    STS_MAIL_SEND_S: '1',
  };
  let nowMs = Date.now();
  const clock = { nowMs: () => nowMs };
  {
    await using atrium = await startTestAtrium({ settings, dataDir, clock });
    const stsSetting = [`mail.smtpPort=${theirs.port}`, 'mail.smtpUser=acme', 'mail.from=id@acme.example'];
    const acme = await addRealm(atrium, 'acme', { stsSetting });
    const ada = await addPersonTo(atrium, acme, 'ada', 'Ada', 'Analytical-Engine-1843');
    await setAttribute(atrium, ada.dn, 'mail', ['ada@acme.example']);
    await setAttribute(atrium, ada.dn, 'stsVerifiedMail', ['ada@acme.example']);
    await setPolicy(atrium, { stsFirstFactor: ['password', 'email-code'] });
    theirs.behave(451);
    const sign = await beginRaw(atrium.addresses.http ?? '', '/realm/acme');
    await sign.get(codePath);
    await sign.send(codePath, 'ada');
    while (!atrium.log().includes('STS-MAIL-9000')) await new Promise(setImmediate);
  }
  t.deepEqual([service.connections(), theirs.received.length], [0, 0]);
  theirs.behave('take');
  nowMs += 10_000;
  await using again = await startTestAtrium({ settings, dataDir, clock });
  const mail = await theirs.next();
  t.like(mail, { from: 'id@acme.example', to: ['ada@acme.example'], user: 'acme' });
  t.deepEqual([service.connections(), theirs.shown.includes('canary-of-the-service')], [0, false]);
  t.truthy(again.addresses.http);
});

test('with threads beside the main one (ldap.workers) codes by mail are judged and failures counted alike', async (t) => {
  const smtp = await startSmtp(t);
  await using atrium = await startTestAtrium({ settings: { ...mailedSettings(smtp), STS_LDAP_WORKERS: '2' } });
  const base = atrium.addresses.http ?? '';
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  await setAttribute(atrium, ada.dn, 'stsVerifiedMail', ['ada@example.com']);
  await setPolicy(atrium, { stsFirstFactor: ['password', 'email-code'] });
  const sign = await beginRaw(base);
  await sign.get(codePath);
  await sign.send(codePath, 'ada');
  const code = codeOf(await smtp.next());
  await sign.post(codePath, { code: String((Number(code) + 1) % 1_000_000).padStart(6, '0') });
  t.true(isIn(await sign.post(codePath, { code })));
  t.deepEqual(await attributeOf(atrium, ada.dn, 'stsEmailFirstFailures'), []);
});

test('where mail alone begins a sign-in, the first screen leads to its page, and back to who it is', async (t) => {
  const smtp = await startSmtp(t);
  await using atrium = await startTestAtrium({ settings: mailedSettings(smtp) });
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  await setAttribute(atrium, ada.dn, 'stsVerifiedMail', ['ada@example.com']);
  const sign = await beginRaw(atrium.addresses.http ?? '');
  await setPolicy(atrium, { stsFirstFactor: ['email-code'] });
  t.regex((await sign.get('/authn/login')).location, /^\/authn\/email-code\?/);
  await sign.get(codePath);
  await sign.send(codePath, 'ada');
  t.true(isIn(await sign.post(codePath, { code: codeOf(await smtp.next()) })));
});
