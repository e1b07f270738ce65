import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { Client } from 'ldapts';
import { encodeBer } from '#ldap';
import { createApp } from '../support/app.ts';
import { startTestAtrium, type TestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { openFollower } from '../support/follower.ts';
import { setPolicy } from './mailed.ts';
import { addPerson, asAdministrator, type TestPerson } from './people.ts';
import { replaceValues } from './realms.ts';

let folder: string;
let atrium: TestAtrium;
let ada: TestPerson;
let clockMs = Date.now();
const whyOid = '2.25.83716444157178576224225129172109131643.6.76';

interface Row {
  readonly rule: string;
  readonly verdict: string;
  readonly code: string;
  readonly change: string;
  readonly words: string;
}

test.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'atrium-why-'));
  atrium = await startTestAtrium({ dataDir: folder, clock: { nowMs: () => clockMs } });
  ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
});

test.after.always(async () => {
  await atrium?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function why(line = '', password?: string): Promise<readonly Row[]> {
  const args = [
    'why',
    'ada',
    '--json',
    ...line.split(' ').filter((word) => word !== ''),
    ...(password === undefined ? [] : ['--ask-password']),
  ];
  const { status, stdout, stderr } = await runCli(args, testEnvironment(folder), password === undefined ? undefined : `${password}\n`);
  if (status !== 0) throw new Error(stderr);
  return stdout
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each) as Row);
}

/** Rules that refuse, with their codes. */
async function refused(line = '', password?: string): Promise<readonly string[]> {
  return (await why(line, password)).flatMap(({ rule, verdict, code }) => (verdict === 'refuses' ? [`${rule} ${code}`] : []));
}

async function bind(password: string): Promise<string> {
  const client = new Client({ url: atrium.addresses.ldap ?? '' });
  try {
    await client.bind(ada.dn, password);
    return 'in';
  } catch {
    return 'refused';
  } finally {
    await client.unbind();
  }
}

/** The code with which the last bind was refused. */
function lastCode(): string | undefined {
  return atrium.audit.findLast(({ action, errorCode }) => action === 'ldap.bind' && errorCode !== undefined)?.errorCode;
}

test.serial('atrium why says of each rule what the door does, with the same code', async (t) => {
  t.deepEqual(await refused(), []);
  t.deepEqual((await why()).map(({ rule }) => rule).slice(0, 6), ['realm', 'protection', 'access', 'attempts', 'account', 'password']);
  t.is(await bind(ada.password), 'in');

  const each: readonly [attribute: string, values: readonly string[], rule: string][] = [
    ['pwdAccountLockedTime', ['000001010000Z'], 'account'],
    ['stsValidUntil', ['20200101000000Z'], 'account'],
    ['stsValidFrom', ['20990101000000Z'], 'account'],
    ['pwdReset', ['TRUE'], 'must-change'],
    ['stsMfaRequired', ['TRUE'], 'second-factor'],
  ];
  for (const [attribute, values, rule] of each) {
    await replaceValues(atrium, ada.dn, attribute, [...values]);
    t.is(await bind(ada.password), 'refused', attribute);
    t.deepEqual(await refused(), [`${rule} ${lastCode()}`], attribute);
    await replaceValues(atrium, ada.dn, attribute, []);
    // Refused binds count, and this is about something else.
    clockMs += 61_000;
  }
  await replaceValues(atrium, ada.dn, 'stsMfaRequired', ['TRUE']);
  t.deepEqual(await refused('--door browser'), [], 'a browser can be asked for more');
  await replaceValues(atrium, ada.dn, 'stsMfaRequired', []);
  t.deepEqual(await refused('--from 192.0.2.1'), ['protection STS-LDAP-9023']);
  t.deepEqual(await refused('--from 192.0.2.1+protected'), []);
});

test.serial('a second factor that is held is told, and the entry to change', async (t) => {
  await replaceValues(atrium, ada.dn, 'stsTotpCredential', [createApp().credential]);
  const row = (await why()).find(({ rule }) => rule === 'second-factor');
  t.is(row?.code, 'STS-AUTHN-0213');
  t.regex(row?.change ?? '', /app password of uid=ada.*authn\.passwordAloneDoors/);
  await replaceValues(atrium, ada.dn, 'stsTotpCredential', []);
});

test.serial('at a browser the policy is explained: how one may begin, which second factor is asked for, and what to change', async (t) => {
  const policyDn = `cn=default,ou=authnPolicies,${atrium.suffix}`;
  const told = async () => {
    const rows = await why('--door browser');
    return rows.filter(({ rule }) => rule.endsWith('-factor')).map(({ rule, code, words, change }) => [rule, code || words, change]);
  };
  const begins = ['first-factor', 'one begins with the password, or a security key', ''];
  t.deepEqual(await told(), [begins, ['second-factor', 'none is held that is asked for, and none is required', '']]);

  await setPolicy(atrium, { stsFirstFactor: ['security-key'] });
  t.deepEqual(await refused('--door browser'), ['key-alone STS-AUTHN-0206', 'sign-in STS-AUTHN-0206']);
  t.is((await told())[0]?.[2], `stsFirstFactor of ${policyDn}`);
  t.deepEqual(await refused(), [], 'a program is not asked for more than its password');

  await setPolicy(atrium, { stsFirstFactor: [] });
  await replaceValues(atrium, ada.dn, 'stsMfaRequired', ['TRUE']);
  t.regex((await told())[1]?.[1] ?? '', /it is set up, a code of an authenticator app, or a security key$/);
  await setPolicy(atrium, { stsSecondFactor: ['authenticator-app'], stsTotpEnrolment: ['FALSE'] });
  t.deepEqual((await told())[1], ['second-factor', 'STS-AUTHN-0172', `stsSecondFactor of ${policyDn}, stsTotpEnrolment of ${policyDn}`]);

  await replaceValues(atrium, ada.dn, 'stsTotpCredential', [createApp().credential]);
  t.is((await told())[1]?.[1], 'after the password is asked for: a code of an authenticator app');
  await setPolicy(atrium, { stsSecondFactor: ['security-key'] });
  t.deepEqual((await told())[1], ['second-factor', 'STS-AUTHN-0269', `stsSecondFactor of ${policyDn}`]);
  await setPolicy(atrium, { stsSecondFactor: [], stsTotpEnrolment: [] });
  await replaceValues(atrium, ada.dn, 'stsMfaRequired', []);
  const service = `cn=settings,${atrium.suffix}`;
  const off = { objectClass: 'stsServiceSettings', cn: 'settings', stsSetting: 'totp.enabled=false' };
  await asAdministrator(atrium, (client) => client.add(service, off));
  t.deepEqual((await told())[1], ['second-factor', 'STS-AUTHN-0172', 'totp.enabled']);
  await asAdministrator(atrium, (client) => client.del(service));
  await replaceValues(atrium, ada.dn, 'stsTotpCredential', []);
});

test.serial('a given password is explained by the rule that refuses it; a network is none where nobody says from where', async (t) => {
  const made = await runCli(
    ['person', 'app-password', 'add', 'ada', 'printer', '--scope', 'ldap', '--network', '192.0.2.0/24', '--json'],
    testEnvironment(folder),
  );
  const { id, value } = JSON.parse(made.stdout) as { readonly id: string; readonly value: string };
  const row = async (line: string, rule: string, password?: string) => (await why(line, password)).find((each) => each.rule === rule);
  const rule = 'app password "printer"';
  t.like(await row('', rule), { verdict: 'says', words: 'it is taken at this door from 192.0.2.0/24 alone: say from where to know more' });
  t.like(await row('--from 192.0.2.7+protected', rule), { verdict: 'passes' });
  t.like(await row('--from 192.0.3.7+protected', rule), { verdict: 'refuses', code: 'STS-AUTHN-9401' });
  const given = (line: string, password: string) => row(line, 'given password', password);
  t.like(await given('--from 192.0.3.7+protected', value), {
    code: 'STS-AUTHN-9401',
    change: `app password ${id}: revoke it and make another`,
  });
  t.like(await given('--door browser', value), { code: 'STS-AUTHN-0214', change: 'none: an app password opens no browser' });
  t.like(await given('', 'wrong-password-1'), { code: 'STS-AUTHN-9041', change: `userPassword of ${ada.dn}` });
  await replaceValues(atrium, ada.dn, 'stsMfaRequired', ['TRUE']);
  t.like(await given('', ada.password), { code: 'STS-AUTHN-0213', change: `an app password of ${ada.dn}, or authn.passwordAloneDoors` });
  await replaceValues(atrium, ada.dn, 'stsMfaRequired', []);
  await runCli(['person', 'app-password', 'revoke', 'ada', id, '--yes'], testEnvironment(folder));
});

test.serial('a password is judged without moving a counter; failures of the door are told', async (t) => {
  for (let times = 0; times < 6; times++) t.deepEqual(await refused('', 'wrong-password-1'), ['given password STS-AUTHN-9041']);
  t.deepEqual(await refused('', ada.password), []);
  t.is(await bind(ada.password), 'in', 'nothing was counted');
  t.true(atrium.audit.some(({ summary }) => summary.includes(`had a password of ${ada.dn} judged`)));
  for (let times = 0; times < 5; times++) await bind('wrong');
  t.is(await bind(ada.password), 'refused');
  t.deepEqual(await refused(), ['attempts STS-LDAP-9390']);
  clockMs += 61_000;
  t.deepEqual(await refused(), []);
});

test.serial('STS-LDAP-9414: only those who manage the realm are told, and nothing of others', async (t) => {
  const grace = await addPerson(atrium, 'grace', 'Grace Hopper');
  const ask = (who: string) => encodeBer((ber) => ber.sequence(() => ber.string(who, 0x80)));
  const own = await openFollower(t, atrium, grace.dn, grace.password);
  for (const who of [`dn:${grace.dn}`, `dn:${ada.dn}`, 'u:nobody'])
    t.is((await own.ask({ kind: 'extendedRequest', oid: whyOid, value: ask(who) })).code, 50);
  const anonymous = await openFollower(t, atrium);
  t.is((await anonymous.ask({ kind: 'extendedRequest', oid: whyOid, value: ask(`dn:${ada.dn}`) })).code, 50);
  const admin = await openFollower(t, atrium, atrium.adminDn, atrium.adminPassword);
  t.is((await admin.ask({ kind: 'extendedRequest', oid: whyOid, value: ask('u:nobody') })).code, 32);
  t.is((await admin.ask({ kind: 'extendedRequest', oid: whyOid, value: Uint8Array.of(0x30, 0x05) })).code, 2);
  t.is((await admin.ask({ kind: 'extendedRequest', oid: whyOid })).code, 2);
  t.true(atrium.audit.some(({ errorCode }) => errorCode === 'STS-LDAP-9414'));
});

test.serial('the same is told of the folder of a stopped service', async (t) => {
  await replaceValues(atrium, ada.dn, 'pwdAccountLockedTime', ['000001010000Z']);
  await atrium.stop();
  // Its attempts are of a clock that was moved.
  t.deepEqual(
    (await refused()).filter((row) => !row.startsWith('attempts')),
    ['account STS-AUTHN-0200'],
  );
});
