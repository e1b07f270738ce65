import test from 'ava';
import { Client } from 'ldapts';
import type { Browser } from 'playwright-core';
import { ClientRefusal, connectOperators } from '#client';
import { encodeBer } from '#ldap';
import { type TestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import type { TestSmtp } from '../support/smtp.ts';
import { inspect, openContext, typeIn } from './browser.ts';
import { openMailedHouse } from './house.ts';
import { issueLink, issueLinkOid, linkOrder, targetOf, tokenOf } from './link-orders.ts';
import { linkOf, setAttribute } from './mailed.ts';
import { addPerson, asAdministrator, type TestPerson } from './people.ts';
import { ask, hiddenOf } from './raw.ts';
import { addPersonTo, addRealm } from './realms.ts';

const path = '/portal/forgot-password';
const fresh = 'Difference-Engine-1822';

let smtp: TestSmtp;
let house: Awaited<ReturnType<typeof openMailedHouse>>;
let atrium: TestAtrium;
let browser: Browser;
let ada: TestPerson;
let base: string;
let nowMs = Date.now();

test.before(async () => {
  house = await openMailedHouse(() => nowMs, { STS_SECURITY_FORGOT_PER_ADDRESS_PER_HOUR: '200', STS_MAIL_ATTEMPTS_MAX: '1' });
  ({ atrium, browser, base, smtp } = house);
  ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  await setAttribute(atrium, ada.dn, 'stsVerifiedMail', ['ada@example.com']);
});

test.after.always(async () => await house?.[Symbol.asyncDispose]());

/** Asks for a link as a browser would. */
async function forget(name: string, prefix = '') {
  const page = await ask(base, `${prefix}${path}`);
  return await ask(base, `${prefix}${path}`, { method: 'POST', form: { csrf: hiddenOf(page, 'csrf'), username: name } });
}

async function sendPassword(link: string, password: string) {
  const page = await ask(base, targetOf(link));
  const form = { csrf: hiddenOf(page, 'csrf'), link: hiddenOf(page, 'link'), password, again: password };
  return await ask(base, new URL(link).pathname, { method: 'POST', form });
}

async function binds(dn: string, password: string): Promise<boolean> {
  const client = new Client({ url: atrium.addresses.ldap ?? '' });
  return await client
    .bind(dn, password)
    .then(
      () => true,
      () => false,
    )
    .finally(() => client.unbind());
}

const refusalsSince = (from: number) => atrium.audit.slice(from).flatMap(({ errorCode }) => errorCode ?? []);

test.serial('who has forgotten their password has a link mailed, which sets another; until it is used the old one works', async (t) => {
  const page = await (await openContext(t, browser)).newPage();
  await page.goto(base);
  await Promise.all([page.waitForNavigation(), page.click('text=Forgot your password?')]);
  t.is(page.url(), base + path);
  await inspect(t, page, 'forgot');
  await page.fill('#username', 'ada');
  await Promise.all([page.waitForNavigation(), page.click('main form button')]);
  t.is(await page.textContent('h1'), 'Look into your mail');
  await inspect(t, page, 'forgot-sent');
  const mail = await smtp.next();
  t.deepEqual(mail.to, ['ada@example.com']);
  t.regex(mail.subject, /^Set a new password for/);
  t.regex(mail.text, /It can be used once, for 60 minutes\. Until then your password works as before\./);
  for (const secret of ['Lovelace', 'uid=', ada.password]) t.false(mail.text.includes(secret), secret);
  t.true(await binds(ada.dn, ada.password));
  await page.goto(linkOf(mail));
  await page.fill('#password', fresh);
  await page.fill('#again', fresh);
  await Promise.all([page.waitForNavigation(), page.click('main form button')]);
  t.is(await page.textContent('h1'), 'You can sign in now');
  t.false(await binds(ada.dn, ada.password));
  await page.goto(base);
  await typeIn(page, 'ada', fresh);
  t.is(await page.textContent('h1'), 'Ada Lovelace');
});

test.serial(
  'answer and work are the same whether or not the account exists; mail goes to nobody but a verified address of an entry',
  async (t) => {
    await addPerson(atrium, 'una', 'Una Verified');
    const dis = await addPerson(atrium, 'dis', 'Dis Abled');
    await setAttribute(atrium, dis.dn, 'stsVerifiedMail', ['dis@example.com']);
    await setAttribute(atrium, dis.dn, 'pwdAccountLockedTime', ['000001010000Z']);
    nowMs += 3_600_000;
    const journey = async (name: string) => {
      const from = atrium.audit.length;
      const { status, body, setCookies } = await forget(name);
      return {
        status,
        setCookies,
        body: body.replaceAll(name, 'NAME'),
        actions: atrium.audit
          .slice(from)
          .map(({ action }) => action)
          .filter((action) => action === 'person.link.forgot'),
      };
    };
    const known = await journey('ada');
    const { to } = await smtp.next();
    t.deepEqual(to, ['ada@example.com']);
    const before = smtp.received.length;
    const from = atrium.audit.length;
    for (const name of ['nobody', 'una', 'dis', 'mallory@evil.example', 'uid=ada,ou=people', 'x)(uid=*'])
      t.deepEqual(await journey(name), known, name);
    t.is(smtp.received.length, before);
    t.is(refusalsSince(from).filter((code) => code === 'STS-AUTHN-9462').length, 6);
    // Over three an hour nothing is mailed, and nobody is told.
    for (let i = 0; i < 4; i++) t.deepEqual(await journey('ada'), known);
    t.deepEqual(await journey('ada@example.com'), known);
    t.true(refusalsSince(from).includes('STS-AUTHN-9463'));
    await smtp.next();
    await smtp.next();
    t.is(smtp.received.length, before + 2);
  },
);

test.serial('mail.resetRequiresVerifiedAddress false: the address of the entry does; two realms each have their own', async (t) => {
  const acme = await addRealm(atrium, 'acme', {
    stsSetting: ['mail.resetRequiresVerifiedAddress=false', 'security.passwordResetTtlMinutes=240'],
  });
  const bo = await addPersonTo(atrium, acme, 'bo', 'Bo Field', 'Analytical-Engine-1843');
  await setAttribute(atrium, bo.dn, 'mail', ['bo@example.net']);
  await forget('bo');
  t.is((await forget('bo', '/realm/acme')).status, 200);
  const mail = await smtp.next();
  t.deepEqual(mail.to, ['bo@example.net']);
  t.regex(mail.text, /for 4 hours/);
  t.true(linkOf(mail).startsWith(`${base}/realm/acme/portal/reset-password?link=`));
  t.is((await ask(base, `/portal/reset-password?link=${tokenOf(linkOf(mail))}`)).status, 410);
  t.is((await sendPassword(linkOf(mail), fresh)).status, 303);
  t.true(await binds(bo.dn, fresh));
});

test.serial('it is offered only where mail is set up and passwords are checked', async (t) => {
  await addRealm(atrium, 'mute', { stsSetting: 'mail.smtpHost=' });
  await addRealm(atrium, 'devel', { stsRealmMode: 'development' });
  for (const prefix of ['/realm/mute', '/realm/devel']) {
    t.is((await ask(base, prefix + path)).status, 404, prefix);
    t.is((await ask(base, prefix + path, { method: 'POST', form: { username: 'ada' } })).status, 404, prefix);
    const { location } = await ask(base, `${prefix}/portal`);
    t.false((await ask(base, location)).body.includes('Forgot your password'), prefix);
  }
});

test.serial('from one address no more than security.forgotPerAddressPerHour links are asked for', async (t) => {
  await addRealm(atrium, 'few', { stsSetting: 'security.forgotPerAddressPerHour=2' });
  t.is((await forget('x', '/realm/few')).status, 200);
  t.is((await forget('y', '/realm/few')).status, 200);
  const from = atrium.audit.length;
  const third = await forget('z', '/realm/few');
  t.is(third.status, 429);
  t.true(Number(third.retryAfter) > 0);
  t.true(refusalsSince(from).includes('STS-AUTHN-9464'));
  nowMs += 3_600_000;
  t.is((await forget('z', '/realm/few')).status, 200);
});

test.serial('an operator has a link mailed, and never sees it; without an address or a mail server there is none, in words', async (t) => {
  const cy = await addPerson(atrium, 'cy', 'Cy Pher');
  const issued = await issueLink(atrium, 'reset', cy.dn, true);
  t.is(issued.link, undefined);
  const mail = await smtp.next();
  t.deepEqual(mail.to, ['cy@example.com']);
  t.regex(mail.text, /has taken your password away/);
  t.is((await sendPassword(linkOf(mail), fresh)).status, 303);
  const invited = await runCli(['person', 'invite', 'cy', '--mail', '--json'], testEnvironment(atrium.dataDir));
  t.is(invited.status, 0, invited.stderr);
  t.false('link' in (JSON.parse(invited.stdout) as object));
  const second = await smtp.next();
  t.regex(second.text, /for 24 hours/);
  t.false(invited.stdout.includes(tokenOf(linkOf(second))));
  await setAttribute(atrium, cy.dn, 'mail', []);
  const why = async (dn: string) =>
    (await t.throwsAsync<ClientRefusal>(issueLink(atrium, 'reset', dn, true), { instanceOf: ClientRefusal }))?.message ?? '';
  t.regex(await why(cy.dn), /no address/);
  t.true(await binds(cy.dn, fresh), 'nothing was taken away');
  const mel = await addPersonTo(atrium, { id: 'mute', suffix: 'o=mute', dn: '' }, 'mel', 'Mel Low', fresh);
  t.regex(await why(mel.dn), /no mail server/);
});

test.serial('a realm’s own words stand in its mails; what is not fit is refused in words when it is written', async (t) => {
  const below = `ou=mailTexts,${atrium.suffix}`;
  const write = (cn: string, subject: string, body: string) =>
    asAdministrator(atrium, async (client) => {
      await client.add(`cn=${cn},${below}`, { objectClass: 'stsMailText', cn, stsMailSubject: subject, stsMailBody: body });
    });
  await asAdministrator(atrium, (client) => client.add(below, { objectClass: 'organizationalUnit', ou: 'mailTexts' }));
  const unfit: readonly [cn: string, subject: string, body: string, why: RegExp][] = [
    ['reset', 'A', 'no link', /stsMailBody: \{link\} is missing/],
    ['reset', 'A', '{link} {password}', /\{password\} is nothing that can be filled in here; there are \{link\}, \{realm\}, \{time\}/],
    ['reset', 'A {link}', '{link}', /stsMailSubject: \{link\} stands in the text alone/],
    ['reset', 'A', '{link} {', /a brace stands alone/],
    ['reset', 'A\u0007', '{link}', /plain text/],
    ['reset', 'A'.repeat(201), '{link}', /200 characters at most/],
    ['reset', 'A', `{link}${'x'.repeat(10_000)}`, /10000 characters at most/],
    ['birthday', 'A', '{link}', /cn: there is no such mail; there are code, link, verify, changed, activation, reset, forgot/],
  ];
  for (const [cn, subject, body, why] of unfit)
    t.regex((await t.throwsAsync(write(cn, subject, body)))?.message ?? '', why, body.slice(0, 40));
  await t.throwsAsync(
    asAdministrator(atrium, (client) =>
      client.add(`cn=reset,ou=people,${atrium.suffix}`, {
        objectClass: 'stsMailText',
        cn: 'reset',
        stsMailSubject: 'A',
        stsMailBody: '{link}',
      }),
    ),
    { message: /the words of a mail stand at cn=reset,ou=mailTexts/ },
  );
  await write('reset', 'Neues Kennwort für {realm}', 'Hallo <b>du</b>,\nhier ist es:\n\n{link}\n\nEs gilt {time}.');
  const dee = await addPerson(atrium, 'dee', 'Dee Light');
  await issueLink(atrium, 'reset', dee.dn, true);
  const mail = await smtp.next();
  t.regex(mail.text, /^Hallo <b>du<\/b>,\r?\nhier ist es:\r?\n\r?\nhttp\S+\r?\n\r?\nEs gilt 60 minutes\./);
  t.true(mail.html.includes('Hallo &#60;b&#62;du&#60;/b&#62;,<br>'));
  t.is((await ask(base, targetOf(linkOf(mail)))).status, 200);
});

test.serial('mails that were given up are shown to who manages the realm, never what they say, and tried again when asked', async (t) => {
  const eve = await addPerson(atrium, 'eve', 'Eve Ning');
  smtp.behave(550);
  await issueLink(atrium, 'activation', eve.dn, true);
  const cli = async (...args: readonly string[]) => await runCli(args, testEnvironment(atrium.dataDir));
  const listed = async () =>
    (await cli('mail', 'list', '--json')).stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { id: string; state: string; kind: string; subject: string; why: string });
  let failed = await listed();
  for (let i = 0; i < 50 && failed[0]?.state !== 'failed'; i++) failed = await listed();
  t.is(failed.length, 1);
  t.like(failed[0], { state: 'failed', kind: 'activation' });
  t.regex(failed[0]?.why ?? '', /the server answered 550/);
  t.regex(failed[0]?.subject ?? '', /^urn:uuid:/);
  t.regex((await cli('mail', 'list')).stdout, /^ID .*\n\S+ +failed +activation/);
  t.like(JSON.parse((await cli('doctor', '--json')).stdout), { sound: true, mailsFailed: 1 });
  t.regex((await cli('doctor')).stdout, /^1 mails were given up: see atrium mail list\.$/m);
  smtp.behave('take');
  const retried = await cli('mail', 'retry', failed[0]?.id ?? '');
  t.is(retried.stdout, '1 mails are tried again\n');
  t.is((await ask(base, targetOf(linkOf(await smtp.next())))).status, 200);
  t.deepEqual(await listed(), []);
  t.is((await cli('mail', 'retry', 'nothing')).status, 3);

  // What says nothing good any more is not sent.
  smtp.behave(550);
  await issueLink(atrium, 'reset', eve.dn, true);
  for (failed = []; failed[0]?.state !== 'failed'; ) failed = await listed();
  smtp.behave('take');
  nowMs += 2 * 3_600_000;
  t.like(JSON.parse((await cli('mail', 'retry', '--json')).stdout), { tried: 0, over: 1 });
  // Nobody else is told.
  const client = new Client({ url: atrium.addresses.ldap ?? '' });
  const ned = await addPerson(atrium, 'ned', 'Ned Newt');
  await client.bind(ned.dn, ned.password);
  const order = encodeBer((ber) =>
    ber.sequence(() => {
      ber.string(atrium.suffix);
      ber.number(10, 0x80);
    }),
  );
  await t.throwsAsync(client.exop('2.25.83716444157178576224225129172109131643.6.86', Buffer.from(order)), {
    message: /those who manage the realm/,
  });
  await client.unbind();
});

test.serial('only who may set a person’s password has a link issued, and nobody for themselves', async (t) => {
  const gus = await addPerson(atrium, 'gus', 'Gus Tave');
  const as = async (dn: string, password: string, kind: string, of: string) => {
    const client = new Client({ url: atrium.addresses.ldap ?? '' });
    try {
      if (dn !== '') await client.bind(dn, password);
      await client.exop(issueLinkOid, Buffer.from(linkOrder(kind, of)));
      return 0;
    } catch (error) {
      return (error as { code?: number }).code ?? -1;
    } finally {
      await client.unbind();
    }
  };
  t.is(await as('', '', 'reset', ada.dn), 50);
  t.is(await as(gus.dn, gus.password, 'reset', ada.dn), 50);
  t.is(await as(gus.dn, gus.password, 'activation', gus.dn), 50);
  t.is(await as(gus.dn, gus.password, 'reset', `uid=nobody,ou=people,${atrium.suffix}`), 32);
  t.is(await as(atrium.adminDn, atrium.adminPassword, 'party', ada.dn), 2);
  t.is(await as(atrium.adminDn, atrium.adminPassword, 'reset', 'no name'), 34);
  t.is(await as(atrium.adminDn, atrium.adminPassword, 'reset', `ou=people,${atrium.suffix}`), 53);
  t.true(await binds(ada.dn, fresh), 'nothing was taken away');
  t.is(await as(atrium.adminDn, atrium.adminPassword, 'reset', gus.dn), 0);
  const socketPath = decodeURIComponent((atrium.addresses.operators ?? '').replace('ldapi://', ''));
  await using operators = await connectOperators({ socketPath });
  for (const value of [new Uint8Array(0), Uint8Array.of(0x30, 0x80), linkOrder('reset', '').subarray(0, 8), new Uint8Array(100_000)]) {
    const refused = await t.throwsAsync<ClientRefusal>(operators.extended(issueLinkOid, value), { instanceOf: ClientRefusal });
    t.true([2, 34].includes(refused?.code ?? 0));
  }
});

test.serial(
  'a mail that is not taken makes no link, and says so; a password that the directory does not take leaves the link as good as before',
  async (t) => {
    const tight = await addRealm(atrium, 'tight', { stsSetting: 'mail.perAddressPerHour=1' });
    const kit = await addPersonTo(atrium, tight, 'kit', 'Kit Fox', fresh);
    await setAttribute(atrium, kit.dn, 'mail', ['kit@example.com']);
    await issueLink(atrium, 'activation', kit.dn, true);
    const mail = await smtp.next();
    const from = atrium.audit.length;
    const refused = await t.throwsAsync<ClientRefusal>(issueLink(atrium, 'reset', kit.dn, true), { instanceOf: ClientRefusal });
    t.regex(refused?.message ?? '', /the mail was not taken, and there is no link/);
    t.true(refusalsSince(from).includes('STS-LDAP-9432'));
    t.is((await ask(base, targetOf(linkOf(mail)))).status, 410, 'a reset ends what was there before');

    const { link = '' } = await issueLink(atrium, 'reset', kit.dn);
    const rule = `cn=fixed,ou=accessRules,${tight.suffix}`;
    await asAdministrator(atrium, async (client) => {
      await client.add(rule, {
        objectClass: 'stsAccessRule',
        cn: 'fixed',
        stsRuleOrder: '1',
        stsRuleEffect: 'deny',
        stsRuleWho: 'self',
        stsRuleAttribute: 'userPassword',
        stsRuleRight: 'write',
      });
    });
    const denied = await sendPassword(link, 'Difference-Engine-1823');
    t.is(denied.status, 403);
    t.regex(denied.body, /The directory does not let you set a password/);
    t.true(refusalsSince(from).includes('STS-AUTHN-9461'));
    await asAdministrator(atrium, (client) => client.del(rule));
    t.is((await sendPassword(link, 'Difference-Engine-1823')).status, 303);
  },
);
