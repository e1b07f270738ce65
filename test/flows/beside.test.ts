import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { startTwoWebs, type TwoWebs, twoWebsEnvironment } from '../races/house.ts';
import { createApp } from '../support/app.ts';
import { spawnCli, startCli } from '../support/cli.ts';
import { startSmtp, type TestSmtp } from '../support/smtp.ts';
import { beginRaw, codeOf, mailedSettings, setAttribute, setPolicy } from './mailed.ts';
import { addPerson } from './people.ts';
import { ask, cookieOf, hiddenOf, openScreen, submit } from './raw.ts';

let smtp: TestSmtp;
let house: TwoWebs;
const ends: (() => unknown)[] = [];

test.before(async () => {
  smtp = await startSmtp({ teardown: (end) => void ends.push(end) });
  house = await startTwoWebs({
    ...mailedSettings(smtp),
    STS_SECURITY_RATE_PER_IDENTITY: '4',
    // Nobody looks by the clock: what is mailed goes because the one who has it says so.
    STS_MAIL_SEND_S: '3600',
    STS_LDAP_WORKERS: '1',
  });
});

test.after.always(async () => {
  await house?.[Symbol.asyncDispose]();
  for (const end of ends.reverse()) await end();
});

const fileIn = (folder: string) => join(folder, 'run', 'web.json');

test.serial(
  'a form that one web process drew is taken by the other, and a session is one of both until it is ended at either',
  async (t) => {
    const [service, beside] = house.bases;
    const ada = await addPerson(house, 'ada', 'Ada Lovelace');
    const screen = await openScreen(service);
    const answer = await submit(beside, screen, ada.uid, ada.password);
    t.is(answer.location, '/portal');
    const cookies = { sts_session: cookieOf(answer, 'sts_session') ?? '' };
    const pages = await Promise.all(house.bases.map((base) => ask(base, '/portal', { cookies })));
    for (const page of pages) t.regex(page.body, /Ada Lovelace/);
    t.is(hiddenOf(pages[0] as never, 'csrf'), hiddenOf(pages[1] as never, 'csrf'));
    t.is(
      (await ask(beside, '/portal/sign-out', { method: 'POST', cookies, form: { csrf: hiddenOf(pages[0] as never, 'csrf') } })).status,
      303,
    );
    t.is((await ask(service, '/portal', { cookies })).status, 303);
  },
);

test.serial('failed attempts at both web processes are counted together', async (t) => {
  const alan = await addPerson(house, 'alan', 'Alan Turing');
  await setAttribute(house, alan.dn, 'stsTotpCredential', [createApp().credential]);
  const statuses: number[] = [];
  for (let tries = 0; tries < 6; tries++) {
    const base = house.bases[tries % 2] ?? '';
    statuses.push((await submit(base, await openScreen(base), alan.uid, 'wrong')).status);
  }
  t.deepEqual(statuses, [200, 200, 200, 200, 429, 429]);
});

test.serial('what the web process mails waits for the service, which hands it over', async (t) => {
  const mary = await addPerson(house, 'mary', 'Mary Somerville');
  await setAttribute(house, mary.dn, 'stsVerifiedMail', ['mary@example.com']);
  await setAttribute(house, mary.dn, 'stsEmailFactor', ['TRUE']);
  await setPolicy(house, { stsFirstFactor: ['password'], stsSecondFactor: ['email-code'] });
  const [service, beside] = house.bases;
  const signin = await beginRaw(beside);
  await signin.post('/authn/login', { username: mary.uid, password: mary.password });
  await signin.get('/authn/email-code');
  const page = await signin.send('/authn/email-code', mary.uid);
  const code = codeOf(await smtp.next());
  const target = `/authn/email-code?authn=${signin.id}`;
  const form = { csrf: hiddenOf(page, 'csrf'), code };
  const answer = await ask(service, target, { method: 'POST', cookies: { sts_signin: signin.browser }, form });
  t.is(answer.location, '/portal');
});

test.serial(
  'the file for web processes is its owner’s alone, in a folder that nobody else may enter, and holds no key and no value of a setting',
  (t) => {
    const file = fileIn(house.folder);
    t.is(statSync(file).mode & 0o777, 0o600);
    t.is(statSync(join(house.folder, 'run')).mode & 0o777, 0o700);
    const text = readFileSync(file, 'utf8');
    for (const name of ['STS_KEYS_KEK', 'STS_ADMIN_BOOTSTRAP_PASSWORD', 'STS_MAIL_SMTP_CA_FILE'])
      t.false(text.includes(house.environment[name] ?? '?'), name);
  },
);

test.serial('a web process with other settings than the service is refused, and told which', async (t) => {
  const other = { ...house.environment, STS_KEYS_KEK: 'another key-encryption key of forty octets', STS_SECURITY_RATE_WINDOW_S: '61' };
  const { status, stderr } = await spawnCli(['web'], other);
  t.is(status, 1);
  t.regex(stderr, /STS-CORE-9402.*: keys\.kek, security\.rateLimitWindowS$/m);
  t.false(stderr.includes('another key'));
});

test.serial('a file that others may read, or that the service did not write, is refused', async (t) => {
  const file = fileIn(house.folder);
  const [text, mode] = [readFileSync(file, 'utf8'), statSync(file).mode];
  const refused = async (says: RegExp) => {
    const { status, stderr } = await spawnCli(['web'], house.environment);
    t.is(status, 1, stderr);
    t.regex(stderr, says);
  };
  try {
    chmodSync(file, 0o640);
    await refused(/STS-CORE-9401.*others than its owner/);
    chmodSync(file, mode);
    for (const wrong of ['', '{', '[]', 'null', JSON.stringify({ ...JSON.parse(text), secret: 'AAAA' }), 'x'.repeat(70_000)]) {
      writeFileSync(file, wrong);
      await refused(/STS-CORE-9401/);
    }
    writeFileSync(file, JSON.stringify({ ...JSON.parse(text), version: '0.0.1' }));
    await refused(/STS-CORE-9401.*version/);
  } finally {
    writeFileSync(file, text);
    chmodSync(file, mode);
  }
});

test.serial(
  'when the service is killed the web process says so and ends; then there is none to run beside, whatever was left behind',
  async (t) => {
    house.service.child.kill('SIGKILL');
    await house.service.ended;
    const ended = await house.web.ended;
    t.is(ended.status, 4);
    t.regex(ended.stderr, /STS-CORE-9403/);
    t.notThrows(() => statSync(fileIn(house.folder)), 'a killed service leaves the file behind');
    const { status, stderr } = await spawnCli(['web'], house.environment);
    t.is(status, 4);
    t.regex(stderr, /STS-CORE-9400.*no service runs on the folder/);
  },
);

test.serial('a service that stops takes the file with it, and the web process ends; one that begins anew is another', async (t) => {
  const first = await startTwoWebs();
  t.teardown(() => first[Symbol.asyncDispose]());
  const secret = () => (JSON.parse(readFileSync(fileIn(first.folder), 'utf8')) as { readonly secret: string }).secret;
  const before = secret();
  first.service.child.kill('SIGTERM');
  await first.service.ended;
  t.throws(() => statSync(fileIn(first.folder)), { code: 'ENOENT' });
  t.is((await first.web.ended).status, 4);
  const again = startCli(['serve'], first.environment);
  t.teardown(() => again.child.kill('SIGKILL'));
  await again.until('ready ');
  t.not(secret(), before);
  const web = startCli(['web'], first.environment);
  await web.until('ready ');
  web.child.kill('SIGTERM');
  t.is((await web.ended).status, 0);
  again.child.kill('SIGTERM');
  t.is((await again.ended).status, 0);
});

test.serial('without a key-encryption key forms and waiting secrets are shared, too', async (t) => {
  const own = await startTwoWebs({ STS_GLOBAL_MODE: 'development', STS_KEYS_KEK: '' });
  t.teardown(() => own[Symbol.asyncDispose]());
  const [service, beside] = own.bases;
  const answer = await submit(beside, await openScreen(service), 'grace', 'anything');
  const cookies = { sts_session: cookieOf(answer, 'sts_session') ?? '' };
  const list = await ask(beside, '/portal/mfa', { cookies });
  const begun = await ask(service, '/portal/mfa/app', { method: 'POST', cookies, form: { csrf: hiddenOf(list, 'csrf') } });
  t.regex(begun.location, /\/portal\/mfa\/app\?app=/);
  const secretAt = async (base: string) =>
    /class="secret"[^>]*>\s*(?:<[^>]*>)*\s*([A-Z2-7 ]{16,})/.exec((await ask(base, begun.location, { cookies })).body)?.[1];
  t.truthy(await secretAt(service));
  t.is(await secretAt(beside), await secretAt(service));
});

test.serial('what lies in memory is not shared, and a service that cannot write for web processes serves all the same', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-beside-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const environment = twoWebsEnvironment(folder);
  const memory = await spawnCli(['web'], { ...environment, STS_PERSISTENCE_MODE: 'memory' });
  t.is(memory.status, 1);
  t.regex(memory.stderr, /STS-CORE-9404/);
  const none = await spawnCli(['web'], environment);
  t.is(none.status, 4);
  t.throws(() => statSync(join(folder, 'audit.sqlite')), { code: 'ENOENT' }, 'nothing was made');

  mkdirSync(join(fileIn(folder), 'in the way'), { recursive: true });
  const service = startCli(['serve'], environment);
  await service.until('ready ');
  service.child.kill('SIGTERM');
  const { status, stderr } = await service.ended;
  t.is(status, 0);
  t.regex(stderr, /STS-CORE-9405/);
});
