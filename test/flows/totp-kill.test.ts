import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { Client } from 'ldapts';
import { createApp } from '../support/app.ts';
import { testEnvironment } from '../support/atrium.ts';
import { startCli } from '../support/cli.ts';
import { ask, hiddenOf, openScreen, submit } from './raw.ts';

const suffix = 'dc=example,dc=com';
const dn = `uid=ada,ou=people,${suffix}`;
const password = 'Analytical-Engine-1843';

test('a code that let somebody in is used up after kill -9, too', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-totp-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const environment: Readonly<Record<string, string>> = {
    ...testEnvironment(folder),
    STS_TOTP_WINDOW: '10',
    STS_WEBAUTHN_ENABLED: 'false',
  };
  const app = createApp();
  const start = async () => {
    const service = startCli(['serve'], environment);
    t.teardown(() => service.child.kill('SIGKILL'));
    const said = await service.until('ready ');
    const [, ldap = '', http = ''] = /ready (ldap:\S+) .*?(http:\S+)/.exec(said) ?? [];
    return { service, ldap, http };
  };
  const first = await start();
  const client = new Client({ url: first.ldap });
  await client.bind(`uid=admin,ou=people,${suffix}`, environment['STS_ADMIN_BOOTSTRAP_PASSWORD'] ?? '');
  const person = { objectClass: 'inetOrgPerson', uid: 'ada', cn: 'Ada', sn: 'Lovelace', userPassword: password };
  await client.add(dn, { ...person, stsTotpCredential: app.credential });
  await client.unbind();

  const attempt = async (base: string, code: string) => {
    const screen = await openScreen(base);
    const { location } = await submit(base, screen, 'ada', password);
    t.regex(location, /\/authn\/totp\?/);
    const cookies = { sts_signin: screen.browser };
    const csrf = hiddenOf(await ask(base, location, { cookies }), 'csrf');
    return await ask(base, location, { method: 'POST', cookies, form: { csrf, code } });
  };
  const code = app.code(Date.now());
  t.regex((await attempt(first.http, code)).location, /\/portal$/);
  const gone = new Promise((resolve) => first.service.child.once('exit', resolve));
  first.service.child.kill('SIGKILL');
  await gone;

  const second = await start();
  const answer = await attempt(second.http, code);
  t.is(answer.status, 200);
  t.regex(answer.body, /used already/);
  t.regex((await attempt(second.http, app.code(Date.now(), 1))).location, /\/portal$/);
});
